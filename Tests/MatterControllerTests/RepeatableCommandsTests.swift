import Testing

@testable import MatterController
@testable import MatterModel

@Suite("Repeatable commands")
struct RepeatableCommandsTests {
    private func mayRepeat(_ cluster: String, _ command: String) throws -> Bool {
        let cluster = try Catalogue.standard.cluster(named: cluster)
        return Catalogue.standard.mayRepeat(command: try cluster.command(named: command).id, ofCluster: cluster.id)
    }

    @Test("every name of the table is a command of its cluster")
    func namesExist() throws {
        for id in RepeatableCommands.clusters {
            let cluster = try #require(Catalogue.standard.cluster(id), "\(hexadecimal(id))")
            let known = Set(cluster.commands.map(\.name))
            let unknown = RepeatableCommands.names(in: id).union(RepeatableCommands.slowNames(in: id)).subtracting(
                known)
            #expect(unknown.isEmpty, "\(cluster.name): \(unknown.sorted())")
        }
    }

    @Test("a kind of device says what may be repeated in its own clusters, and only there")
    func kinds() throws {
        var found: [ClusterID: String] = [:]
        for declaration in DeviceKind.all {
            for (cluster, names) in declaration.repeatable {
                #expect(found.updateValue(declaration.kind.name, forKey: cluster) == nil)
                #expect(
                    !names.isEmpty && names == RepeatableCommands.names(in: cluster), "the table has \(cluster) too")
            }
        }
        #expect(try mayRepeat("valve-configuration-and-control", "close"))
    }

    @Test("the kind of what has modes has every cluster with modes of the data model, and each kind its own name")
    func modes() {
        let all = Catalogue.standard.clusterNames.map(\.id).filter(DeviceModes.isMode)
        #expect(Set(ModeKind.clusters) == Set(all) && ModeKind.clusters.count == all.count)
        #expect(DeviceKind.all.allSatisfy { $0.name == $0.kind.name })
    }

    @Test(
        "what sets a state may be repeated",
        arguments: [
            ("on-off", "on"), ("on-off", "off"), ("level-control", "move-to-level"),
            ("level-control", "move-to-level-with-on-off"), ("door-lock", "lock-door"),
            ("color-control", "move-to-color-temperature"), ("window-covering", "go-to-lift-percentage"),
            ("rvc-run-mode", "change-to-mode"), ("group-key-management", "key-set-read"),
        ])
    func absolute(cluster: String, command: String) throws {
        #expect(try mayRepeat(cluster, command))
    }

    @Test(
        "what toggles, steps, moves, appends, generates or opens may not",
        arguments: [
            ("on-off", "toggle"), ("level-control", "step"), ("level-control", "move"), ("fan-control", "step"),
            ("color-control", "step-hue"), ("color-control", "move-color"), ("thermostat", "setpoint-raise-lower"),
            ("door-lock", "unlock-door"), ("valve-configuration-and-control", "open"),
            ("closure-control", "move-to"), ("matter-controller", "append-refresh-token"),
            ("operational-credentials", "add-noc"), ("operational-credentials", "csr-request"),
            ("identify", "trigger-effect"), ("time-synchronization", "set-utc-time"),
        ])
    func once(cluster: String, command: String) throws {
        #expect(try !mayRepeat(cluster, command))
    }

    @Test("no command may whose name says that it counts")
    func suspiciousNames() {
        let words = ["Append", "Toggle", "Step", "Skip", "Raise", "Next", "Add", "Unlock", "Open", "Play", "Send"]
        var found: Set<String> = []
        for cluster in Catalogue.standard.clusters {
            for command in cluster.commands
            where Catalogue.standard.mayRepeat(command: command.id, ofCluster: cluster.id) {
                if words.contains(where: command.name.contains) { found.insert(command.name) }
            }
        }
        // Each of these replaces what is there, stops, or has no other effect the second time.
        #expect(
            found == [
                "AddGroup", "AddOrUpdateThreadNetwork", "AddOrUpdateWiFiNetwork", "AddScene", "Play", "SendData",
                "StopMoveStep", "UpOrOpen",
            ])
    }

    @Test("a command that is not named runs at most once")
    func unknown() {
        let catalogue = Catalogue.standard
        #expect(!catalogue.mayRepeat(command: 1, ofCluster: 0xFFF1_FC00))
        #expect(!catalogue.mayRepeat(command: 0x77, ofCluster: 6))
        #expect(!catalogue.mayRepeat(writeOf: 0, inCluster: 0xFFF1_FC00))
        #expect(!catalogue.mayRepeat(writeOf: 0x7777, inCluster: 6))
    }

    @Test("attributes: a plain write may be repeated, not one of an atomic request, nor of what cannot be written")
    func attributes() throws {
        let catalogue = Catalogue.standard
        #expect(catalogue.mayRepeat(writeOf: 0x4003, inCluster: 6))
        #expect(!catalogue.mayRepeat(writeOf: 0, inCluster: 6))
        // It may take away the right to write it again.
        #expect(!catalogue.mayRepeat(writeOf: AccessControl.Attribute.acl, inCluster: AccessControl.id))
        for cluster in catalogue.clusters {
            for attribute in cluster.attributes where attribute.mustAtomicWrite {
                #expect(!catalogue.mayRepeat(writeOf: attribute.id, inCluster: cluster.id), "\(attribute.name)")
            }
        }
    }

    @Test("slow commands are known as such")
    func work() {
        #expect(Catalogue.standard.expectedWork(ofCommand: 6, inCluster: 0x31) == .seconds(60))
        #expect(Catalogue.standard.expectedWork(ofCommand: 2, inCluster: 6) == nil)
    }
}
