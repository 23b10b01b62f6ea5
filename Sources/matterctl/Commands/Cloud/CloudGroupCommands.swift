import ArgumentParser
import MatterController
import MatterCredentials
import MatterDataModel
import MatterSession
import MatterTLV
import RainMaker

/// What is printed of a group. Keys are not among it.
struct CloudGroupReport {
    let group: CloudGroup

    var json: JSONValue {
        var object: JSONObject = [
            "group": .string(group.id), "name": .string(group.name), "isMatter": .bool(group.isMatter),
            "primary": .bool(group.isPrimary),
        ]
        object["fabricId"] = group.fabricID.map { .string($0.description) }
        if let fabric = group.fabric {
            object["adminCat"] = .string(fabric.adminCAT.description)
            object["operateCat"] = .string(fabric.operateCAT.description)
            object["userNodeId"] = fabric.userID.map { .string($0.description) }
        }
        object["total"] = group.total.map { .int(Int64($0)) }
        if !group.nodes.isEmpty {
            object["nodes"] = .array(
                group.nodes.map { node in
                    var entry: JSONObject = ["node": .string(node.nodeID)]
                    entry["matterNodeId"] = node.matterNodeID.map { .string($0.description) }
                    return .object(entry)
                })
        }
        return .object(object)
    }

    var row: [String] {
        [
            TerminalText.escaped(group.id), TerminalText.escaped(group.name), group.fabricID?.description ?? "-",
            group.isPrimary ? "primary" : "secondary", group.total.map { "\($0)" } ?? "-",
        ]
    }

    static let header = ["GROUP", "NAME", "FABRIC ID", "ROLE", "NODES"]
}

struct CloudGroups: CloudSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "groups", abstract: "List the groups and their fabrics.",
        discussion: "Example: matterctl cloud groups --json")

    @Option(help: ArgumentHelp("Only this one, with its nodes: id or name.", valueName: "GROUP")) var group: String?
    @Flag(help: "Only groups that are Matter fabrics.") var matter = false
    @OptionGroup var options: CloudOptions

    func run(_ client: CloudClient, _ setup: CloudSetup) async throws {
        let groups: [CloudGroup]
        if let group {
            groups = [try await client.findGroup(group)]
        } else {
            groups = try await client.groups(onlyMatter: matter)
        }
        let reports = groups.map { CloudGroupReport(group: $0) }
        if output.json {
            console.result(.array(reports.map(\.json)))
        } else {
            console.rows(CloudGroupReport.header, reports.map(\.row))
        }
    }
}

struct CloudCreateFabric: CloudSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "create-fabric", abstract: "Create a group that is a Matter fabric, in the cloud only.",
        discussion: "Example: matterctl cloud create-fabric 'Lake House'")

    @Argument(help: "The name of the group.") var name: String
    @OptionGroup var options: CloudOptions

    func run(_ client: CloudClient, _ setup: CloudSetup) async throws {
        let group = try await client.createFabric(name: name)
        console.result(output.json ? CloudGroupReport(group: group).json.serialized() : TerminalText.escaped(group.id))
    }
}

struct CloudConvert: CloudSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "convert", abstract: "Make a group a Matter fabric.",
        discussion: "Example: matterctl cloud convert Hq3xTnW8bLk5sZr9cVdYpM")

    @Argument(help: "The group: id or name.") var group: String
    @OptionGroup var options: CloudOptions

    func run(_ client: CloudClient, _ setup: CloudSetup) async throws {
        let group = try await client.convert(try await client.findGroup(group).id)
        if output.json { console.result(CloudGroupReport(group: group).json) }
    }
}
