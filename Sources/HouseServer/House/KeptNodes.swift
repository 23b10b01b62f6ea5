import Logging
import MatterController

/// The attributes of a node as they were last known.
struct KeptNode: Sendable {
    var attributes: AttributeTable
    /// The endpoints but the root.
    var parts: Set<UInt16>
    /// When all of it was read last, milliseconds since 1970.
    var interviewedAt: Int64?
}

extension KeptNode {
    private static let version: Int64 = 1

    /// The record: attributes by path, in TLV as base64.
    var encoded: [UInt8] {
        var values = JSONObject()
        for path in attributes.paths {
            if let value = attributes.encoded(path) { values[path.description] = .string(Base64Text.encoded(value)) }
        }
        var object: JSONObject = ["version": .int(Self.version), "attributes": .object(values)]
        object["interviewed"] = interviewedAt.map { .int($0) }
        return JSONValue.object(object).utf8()
    }

    /// - Returns: `nil` for a record of another version, and for one that is damaged.
    init?(_ record: [UInt8]) {
        guard let json = try? JSONValue(parsing: record), case .object(let object) = json,
            object["version"] == .int(Self.version), case .object(let values)? = object["attributes"]
        else { return nil }
        var table = AttributeTable()
        for member in values.members {
            guard case .string(let text) = member.value, let octets = Base64Text.decoded(text),
                let path = try? AttributePathText.concrete(member.key),
                let value = try? TLVElement(decoding: octets, tags: .asWritten).value
            else { return nil }
            _ = table.set(CachePath(path), value, at: AttributeTable.unknownTime)
        }
        attributes = table
        parts = HouseBoard.parts(table[.parts] ?? .null)
        if case .int(let time)? = object["interviewed"] { interviewedAt = time } else { interviewedAt = nil }
    }
}

/// The attributes of nodes that outlive the server, so that a node that is silent after a start can still be shown.
///
/// They are written when a node has other attributes than before, and when the server ends; a value that is older is told again
/// as soon as the node is heard.
struct KeptNodes: Sendable {
    private let controller: Controller
    private let logger: Logger

    init(_ controller: Controller, logger: Logger) {
        self.controller = controller
        self.logger = logger
    }

    private func record(_ id: NodeID) throws -> ProgramRecord {
        try controller.context.programRecord("house-node-\(id.rawValue)")
    }

    /// - Returns: `nil` if nothing is known.
    func node(_ id: NodeID) -> KeptNode? {
        do {
            guard let contents = try record(id).contents() else { return nil }
            if let node = KeptNode(contents) { return node }
            logger.warning("the kept values of node \(id.rawValue) cannot be read, and are left out")
        } catch { logger.warning("the kept values of node \(id.rawValue) cannot be read: \(error)") }
        return nil
    }

    func keep(_ id: NodeID, _ node: KeptNode) async {
        do { try await record(id).change { _ in node.encoded } } catch {
            logger.warning("the values of node \(id.rawValue) cannot be kept: \(error)")
        }
    }

    func forget(_ id: NodeID) {
        do { try record(id).remove() } catch {
            logger.warning("the kept values of node \(id.rawValue) cannot be removed: \(error)")
        }
    }
}

/// The state of the house from memory, for commands that only show it.
struct HouseMemory: KnownStates {
    let house: House

    func state(of node: NodeID, at paths: [AttributePath]) async -> KnownState? {
        await house.knownState(of: node, at: paths)
    }

    func follow(_ node: NodeID, at paths: [AttributePath]) async -> StandingSubscription? {
        await house.share(node, at: paths)
    }

    func take(_ answer: ReadResult, of node: NodeID) async { await house.takeReading(node, answer) }
}
