import ArgumentParser
import MatterController

extension FabricCommand {
    struct Show: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show a fabric's ids and certificates.",
            discussion: "Example: matterctl fabric show home --json")

        @Argument(help: "The name; the fabric in use if left out.", completion: .kind(.fabric)) var name: String?
        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func execute() async throws {
            let controller = try state.controller()
            let fabric = try await controller.context.settled(try controller.fabrics.select(name ?? state.fabricName))
            let backup = controller.exports.lastBackup(of: fabric)
            try console.result {
                Report(fabric)
                Field(label: "root", try validity(fabric.root))
                Field(label: "intermediate", try fabric.nocIntermediate.map(validity))
                Field(label: "node certificate", try validity(fabric.noc))
                try ages(controller.rotations.ages(of: fabric), controller.options.unixTime())
                Field("authority", Self.authority(fabric))
                Field(
                    label: "authority",
                    [fabric.hasAuthority ? "here" : fabric.membership.map { "with \($0.holder)" } ?? "elsewhere"])
                Field("lastBackup", backup.map(Self.json))
                Field(label: "last backup", [backup.map { words($0, controller.options.unixTime()) } ?? "none"])
                Field("usedBefore", fabric.provenance.map(Self.before))
                Field(
                    label: "used before",
                    fabric.provenance.map { ["\($0.words), \($0.way.rawValue) \(DateText.time($0.at))"] })
            }
        }

        /// Who commissions devices, and adds and removes administrators.
        private static func authority(_ fabric: FabricRecord) -> Report {
            Report {
                Field("here", fabric.hasAuthority)
                Field("host", fabric.membership?.holderHost)
                Field("nodeId", fabric.membership?.holderNode)
                Field("member", fabric.membership?.member)
            }
        }

        /// Where it was used before it came here.
        private static func before(_ provenance: FabricProvenance) -> Report {
            Report {
                Field("way", provenance.way.rawValue)
                Field("host", provenance.host)
                Field("sameMachine", provenance.isSameMachine)
                Field("at", DateText.time(provenance.at))
            }
        }

        private static func json(_ backup: BackupNote) -> JSONValue {
            .object(["at": .string(DateText.time(backup.at)), "file": .string(backup.path)])
        }

        private func words(_ backup: BackupNote, _ now: Int64) -> String {
            let days = max(0, now - backup.at) / 86_400
            let age = days == 0 ? "today" : days == 1 ? "a day ago" : "\(days) days ago"
            return "\(age), \(backup.path)"
        }

        /// How old keys and certificates are.
        private func ages(_ ages: FabricAges, _ now: Int64) -> Report {
            func days(_ since: Int64) -> String {
                let days = max(0, now - since) / 86_400
                return days == 1 ? "a day old" : "\(days) days old"
            }
            return Report {
                Field("identityKeySince", DateText.time(ages.identityKey))
                Field("certificateSince", DateText.time(ages.ownCertificate))
                Field(label: "identity key", [days(ages.identityKey)])
                Field(label: "own certificate", [days(ages.ownCertificate)])
                Field(
                    "nodeCertificates",
                    ages.nodes.map { node, since in
                        Report {
                            Field("node", node.nodeID)
                            Field("since", DateText.time(since))
                        }
                    })
                Field(
                    label: "oldest node certificate",
                    ages.nodes.first.map { ["\(days($0.since)), of \($0.node.label)"] })
                Field(
                    "groupKeys",
                    ages.groups.map { group, since in
                        Report {
                            Field("group", group.group)
                            Field("name", group.name)
                            Field("since", DateText.time(since))
                        }
                    })
                Field(label: "oldest group key", ages.groups.first.map { ["\(days($0.since)), of \($0.group.name)"] })
            }
        }

        private func validity(_ tlv: [UInt8]) throws -> [String] {
            let certificate = try MatterCertificate(tlv: tlv)
            let end = certificate.notAfter == MatterEpoch.none ? "no end" : MatterEpoch.text(certificate.notAfter)
            return ["valid \(MatterEpoch.text(certificate.notBefore)) – \(end)"]
        }
    }
}
