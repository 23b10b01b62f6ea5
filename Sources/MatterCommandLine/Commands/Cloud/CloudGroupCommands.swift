import ArgumentParser
import JSON
import MatterController
import MatterCredentials
import MatterDataModel
import MatterSession
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
        object["fault"] = group.fault.map { ["id": .string($0.code.rawValue), "message": .string($0.reason)] }
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

    /// The nodes of the group: their ids in the cloud and on the fabric.
    var nodeRows: [[String]] {
        group.nodes.map { [TerminalText.escaped($0.nodeID), $0.matterNodeID?.description ?? "-"] }
    }

    static let nodeHeader = ["NODE", "MATTER NODE"]
}

struct CloudGroups: CloudSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "List the groups and their fabrics.",
        discussion: """
            With --group, a line for each of its nodes follows: its id in the cloud, and that on the fabric. A group whose \
            fabric cannot be used is listed with a warning.

            Example: matterctl cloud group ls --json
            """, aliases: ["list"])

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
            if group != nil { console.rows(CloudGroupReport.nodeHeader, reports.flatMap(\.nodeRows)) }
        }
        // The others are as good as ever, so that this is no failure.
        for fault in groups.compactMap(\.fault) {
            console.message("warning: \(TerminalText.escaped(fault.reason))")
        }
    }
}

struct CloudCreateFabric: CloudSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Create a group that is a Matter fabric, in the cloud only.",
        discussion: "Example: matterctl cloud group create 'Lake House'")

    @Argument(help: "The name of the group.") var name: String
    @OptionGroup var options: CloudOptions

    func run(_ client: CloudClient, _ setup: CloudSetup) async throws {
        let id = try await client.createGroup(name: name)
        // What was created is told whatever comes of reading it.
        if !output.json { console.result(TerminalText.escaped(id)) }
        let group: CloudGroup
        do {
            group = try await client.createdGroup(id)
        } catch {
            if output.json { console.result(.object(["group": .string(id), "name": .string(name)])) }
            throw error
        }
        if output.json { console.result(CloudGroupReport(group: group).json) }
        _ = try group.requireFabric()
    }
}

struct CloudConvert: CloudSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "convert", abstract: "Make a group a Matter fabric.",
        discussion: "Example: matterctl cloud group convert --group Hq3xTnW8bLk5sZr9cVdYpM")

    @OptionGroup var group: GroupOptions
    @OptionGroup var options: CloudOptions

    func run(_ client: CloudClient, _ setup: CloudSetup) async throws {
        let group = try await client.convert(try await client.findGroup(group.name).id)
        if output.json { console.result(CloudGroupReport(group: group).json) }
    }
}
