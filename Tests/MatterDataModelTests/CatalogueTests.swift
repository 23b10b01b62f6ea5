import Foundation
import MatterBase
import TestSupport
import Testing

@testable import MatterModel

@Suite("Catalogue") struct CatalogueTests {
    let catalogue = Catalogue.standard

    @Test("it holds every cluster of the model and RainMaker's four")
    func count() {
        #expect(catalogue.clusterNames.count == 168)
        #expect(catalogue.clusters.count == 168)
        #expect(catalogue.clusterNames.map(\.id) == catalogue.clusterNames.map(\.id).sorted())
        #expect(Catalogue.specificationVersion == "1.6")
        #expect(catalogue.deviceTypes.count == 95)
        #expect(catalogue.statusCodes.count == 33)
    }

    @Test("a cluster is found by id and by any spelling of its name")
    func lookUp() throws {
        let byID = try #require(catalogue.cluster(6))
        #expect(byID.name == "OnOff")
        #expect(byID.label == "On/Off")
        for spelling in ["OnOff", "onoff", "on-off", "ON_OFF", "On Off", "On/Off"] {
            #expect(try catalogue.cluster(named: spelling) == byID)
        }
        #expect(catalogue.clusterName(0x131B_FC00) == "RainMaker")
        #expect(catalogue.cluster(0xFFF1_FC99) == nil)
        #expect(catalogue.clusterName(7) == nil)
    }

    @Test("an unknown cluster is an error with the nearest spelling")
    func unknownCluster() throws {
        let error = try #require(failure { _ = try catalogue.cluster(named: "level-contrl") })
        #expect(error.code == .unknownCluster)
        #expect(error.suggestions.first == "level-control")
        #expect(error.hint == "did you mean level-control?")
        #expect(error.description == "no cluster is called 'level-contrl'; did you mean level-control?")
    }

    @Test("the facts of a light's clusters are right")
    func lightFacts() throws {
        let level = try catalogue.cluster(named: "LevelControl")
        #expect(level.id == 8)
        #expect(level.revision == 6)
        let move = try level.command(named: "move-to-level")
        #expect(move.id == 0)
        #expect(!move.isTimed)
        #expect(move.response == nil)
        #expect(move.fields.map(\.name) == ["Level", "TransitionTime", "OptionsMask", "OptionsOverride"])
        #expect(move.fields.map(\.id) == [0, 1, 2, 3])
        #expect(move.fields[0].type.kind == .unsigned(bits: 8))
        #expect(move.fields[0].type.limits.maximum == 254)
        #expect(move.fields[1].type.isNullable)
        let onOff = try catalogue.cluster(named: "on-off")
        #expect(onOff.commands.map(\.name).prefix(3) == ["Off", "On", "Toggle"])
        #expect(try onOff.command(named: "toggle").id == 2)
        let startUp = try onOff.attribute(named: "start-up-on-off")
        #expect(startUp.id == 0x4003)
        #expect(startUp.isWritable && startUp.isOptional && startUp.type.isNullable)
        #expect(startUp.writePrivilege == .manage)
        #expect(startUp.readPrivilege == .view)
        #expect(onOff.features.map(\.code) == ["LT", "DF", "OFFONLY"])
    }

    @Test("timed, privileged and fabric-scoped elements say so")
    func access() throws {
        let lock = try catalogue.cluster(named: "door-lock")
        #expect(try lock.command(named: "unlock-door").isTimed)
        #expect(try lock.command(named: "unlock-door").id == 1)
        let set = try lock.command(named: "set-credential")
        #expect(set.id == 0x22)
        #expect(set.isTimed)
        #expect(set.invokePrivilege == .administer)
        #expect(lock.response(to: set)?.id == 0x23)
        #expect(lock.response(to: set)?.name == "SetCredentialResponse")
        let acl = try catalogue.cluster(named: "access-control").attribute(named: "acl")
        #expect(acl.isWritable && acl.isFabricScoped && acl.type.isList)
        #expect(acl.readPrivilege == .administer)
        #expect(acl.writePrivilege == .administer)
        guard case .structure(let entry) = acl.type.kind else {
            Issue.record("the ACL is no list of structures")
            return
        }
        #expect(entry.isFabricScoped)
        #expect(entry.fields.last?.id == FieldDefinition.fabricIndexTag)
        #expect(try catalogue.cluster(named: "operational-credentials").command(named: "add-noc").id == 6)
        #expect(
            try catalogue.cluster(named: "administrator-commissioning").command(named: "open-commissioning-window")
                .isTimed)
    }

    @Test("requests and responses have number spaces of their own")
    func numberSpaces() throws {
        let thermostat = try catalogue.cluster(named: "thermostat")
        #expect(thermostat.command(0)?.name == "SetpointRaiseLower")
        #expect(thermostat.response(0)?.name == "GetWeeklyScheduleResponse")
    }

    @Test("every cluster has the global attributes, and its FeatureMap names its features")
    func globals() throws {
        for cluster in catalogue.clusters {
            #expect(cluster.globalAttributes.map(\.id) == [0xFFF8, 0xFFF9, 0xFFFB, 0xFFFC, 0xFFFD])
        }
        let map = try catalogue.type("level-control", "feature-map")
        guard case .bitmap(let bits) = map.kind else {
            Issue.record("FeatureMap is no bitmap")
            return
        }
        #expect(bits.field(named: "Lighting")?.mask == 2)
        #expect(bits.field(named: "LT")?.mask == 2)
        // In the order of the bits, of which there are more than ten.
        let lock = try catalogue.cluster(named: "door-lock")
        #expect(lock.features.map(\.bit) == lock.features.map(\.bit).sorted() && lock.features.count > 10)
        guard case .bitmap(let names) = try catalogue.type("door-lock", "feature-map").kind else {
            Issue.record("FeatureMap is no bitmap")
            return
        }
        #expect(names.fields.map(\.mask) == names.fields.map(\.mask).sorted())
        #expect(catalogue.attribute(cluster: 0xFFF1_FC99, 0xFFFD)?.name == "ClusterRevision")
        #expect(catalogue.attribute(cluster: 0xFFF1_FC99, 0) == nil)
    }

    @Test("types resolve in the cluster first, then globally")
    func resolution() throws {
        let power = try catalogue.cluster(named: "electrical-power-measurement")
        let accuracy = try power.attribute(named: "accuracy").type
        guard case .structure(let own) = accuracy.kind else {
            Issue.record("Accuracy is no structure")
            return
        }
        #expect(power.structs.contains(own))
        let location = try catalogue.type("basic-information", "device-location")
        guard case .structure(let global) = location.kind else {
            Issue.record("DeviceLocation is no structure")
            return
        }
        #expect(global.name == "LocationDescriptorStruct")
    }

    @Test("RainMaker's aliases, notes, revisions and bare command are there")
    func rainmaker() throws {
        let cluster = try catalogue.cluster(named: "rainmaker")
        #expect(cluster.origin == .vendor)
        #expect(cluster.vendor == 0x131B)
        #expect(try cluster.attribute(named: "rmaker-node-id").id == 1)
        #expect(try cluster.attribute(named: "rainmakerNodeId").id == 1)
        let challenge = try cluster.attribute(named: "matter-node-id")
        #expect(challenge.name == "Challenge")
        #expect(challenge.sinceRevision == 2)
        #expect(challenge.notes == ["writing makes the device sign"])
        let sign = try cluster.command(named: "send-node-id")
        #expect(sign.name == "SignData")
        #expect(sign.bareFieldsOnWire)
        #expect(sign.untilRevision == 2)
        #expect(cluster.notes.count == 3)
        #expect(
            try catalogue.cluster(named: "matter-controller").command(named: "authorize").invokePrivilege == .administer
        )
    }

    @Test("device types and status codes are found by name and number")
    func deviceTypes() throws {
        let light = try #require(catalogue.deviceType(0x0101))
        #expect(light.label == "Dimmable Light")
        #expect(light.requiredServerClusters.contains(8))
        #expect(try catalogue.deviceType(named: "dimmable light") == light)
        #expect(try catalogue.deviceType(named: "dimmable-light") == light)
        let error = try #require(failure { _ = try catalogue.deviceType(named: "dimable-light") })
        #expect(error.code == .unknownDeviceType)
        #expect(error.suggestions.first == "dimmable-light")
        #expect(catalogue.statusCode(0x7F)?.specificationName == "UNSUPPORTED_ENDPOINT")
        #expect(catalogue.statusCode(0x7F)?.name == "UnsupportedEndpoint")
        #expect(catalogue.statusCode(2) == nil)
    }

    @Test("events carry their priority and fields")
    func events() throws {
        let start = try catalogue.cluster(named: "basic-information").event(named: "start-up")
        #expect(start.priority == .critical)
        #expect(start.fields.map(\.name) == ["SoftwareVersion"])
        #expect(try catalogue.cluster(named: "switch").event(named: "initial-press").priority == .info)
    }
}

@Suite("CatalogueTable") struct CatalogueTableTests {
    @Test("the table stays far below its limit of 1.5 MB")
    func size() {
        let sections = [
            CatalogueTable.index, CatalogueTable.globals, CatalogueTable.deviceTypes, CatalogueTable.clusters,
        ]
        let octets = sections.reduce(0) { $0 + $1.utf8CodeUnitCount }
        #expect(octets > 150_000)
        #expect(octets < 400_000)
    }

    @Test("the index meets the records")
    func index() {
        for entry in CompiledIndex.shared.entries {
            let cluster = entry.decode()
            #expect(cluster.id == entry.id)
            #expect(cluster.name == entry.name)
            #expect(!cluster.attributes.isEmpty || !cluster.commands.isEmpty || cluster.origin != .vendor)
        }
    }

    @Test("the table says what the model says", .enabled(if: Checkout.hasReference))
    func equalsModel() throws {
        // The strict reader for users' files understands the model itself: two decoders, one meaning.
        let standard = try VendorDefinitions(json: Checkout.referenceFile("data-model.json"), source: "data-model.json")
        let rainmaker = try VendorDefinitions(
            json: Checkout.referenceFile("data-model-rainmaker.json"), source: "rainmaker")
        let expected = standard.clusters + rainmaker.clusters
        #expect(expected.count == 157)
        for cluster in expected {
            var ours = try #require(Catalogue.standard.cluster(cluster.id))
            // A maker's additions to it (VendorClustersTests).
            ours.attributes.removeAll { $0.id.rawValue >> 16 == 0x1534 }
            #expect(ours.withoutHints() == cluster.withoutHints(), "\(cluster.name)")
        }
        #expect(Catalogue.standard.deviceTypes == standard.deviceTypes.sorted { $0.id < $1.id })
    }

    @Test("the generated files are current")
    func current() throws {
        let generator = Process()
        generator.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        generator.arguments = [
            "python3", Checkout.root.appendingPathComponent("Tests/Tools/generate_catalogue.py").path, "--check",
        ]
        let output = Pipe()
        generator.standardError = output
        generator.standardOutput = output
        try generator.run()
        let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        generator.waitUntilExit()
        if generator.terminationStatus == 127 {
            FileHandle.standardError.write(Data("\nSKIPPED: no python3; the generated table is not checked.\n\n".utf8))
            return
        }
        #expect(generator.terminationStatus == 0, "\(said)")
    }
}

// MARK: - Comparison without what the generator adds

extension ClusterDefinition {
    /// Without units, formats and substitutes, which the model does not have; types in one order.
    fileprivate func withoutHints() -> ClusterDefinition {
        var plain = self
        plain.attributes = attributes.map {
            var attribute = $0
            attribute.type = $0.type.withoutHints()
            attribute.isSecret = false
            return attribute
        }
        plain.commands = commands.map { $0.withoutHints() }
        plain.responses = responses.map { $0.withoutHints() }
        plain.events = events.map {
            var event = $0
            event.fields = $0.fields.map { $0.withoutHints() }
            return event
        }
        plain.enums.sort { $0.name < $1.name }
        plain.bitmaps.sort { $0.name < $1.name }
        plain.structs = structs.map { $0.withoutHints() }.sorted { $0.name < $1.name }
        return plain
    }
}

extension CommandDefinition {
    fileprivate func withoutHints() -> CommandDefinition {
        var plain = self
        plain.fields = fields.map { $0.withoutHints() }
        return plain
    }
}

extension FieldDefinition {
    fileprivate func withoutHints() -> FieldDefinition {
        var plain = self
        plain.type = type.withoutHints()
        plain.isSecret = false
        plain.substitute = nil
        return plain
    }
}

extension StructDefinition {
    fileprivate func withoutHints() -> StructDefinition {
        var plain = self
        plain.fields = fields.map { $0.withoutHints() }
        return plain
    }
}

extension DataType {
    fileprivate func withoutHints() -> DataType {
        var plain = self
        plain.unit = nil
        plain.format = nil
        if case .structure(let definition) = kind { plain.kind = .structure(definition.withoutHints()) }
        return plain
    }
}
