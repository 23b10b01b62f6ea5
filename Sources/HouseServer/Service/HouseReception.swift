import Logging
import MatterController

/// The interface, and pages for programs and people.
struct HouseReception: Reception {
    let house: House
    let commands: InterfaceCommands
    /// Makes documents of the house; `nil` for none.
    var runner: (any CommandRunner)?
    /// Whether there is a page for people.
    var hasPage = false
    /// Whether `/metrics` names nodes and tells what they measure.
    var hasValues = false
    let logger: Logger

    func converse(with visitor: Visitor, over socket: any MessageSocket) async {
        logger.info("\(visitor.name) is connected")
        await Conversation(house: house, commands: commands, visitor: visitor, logger: logger).run(over: socket)
        logger.info("\(visitor.name) has left")
    }

    func upload(_ id: String, of visitor: Visitor, _ body: UploadBody) async -> PageResponse {
        await commands.firmware.take(id, of: visitor, body)
    }

    func page(_ request: PageRequest, of visitor: Visitor) async -> PageResponse {
        if hasPage, let file = WebPage.response(to: request) { return file }
        guard request.method == "GET" || request.method == "HEAD" else { return .plain(405, "only GET is served here") }
        switch request.path {
        case "/info": return .json(await commands.serverInfo())
        case "/health": return await health()
        case "/metrics": return await metrics()
        case "/house": return await rooms()
        case "/map": return await document(.map)
        case "/jobs": return await document(.jobs)
        default: return .plain(404, "there is nothing here")
        }
    }

    private func health() async -> PageResponse {
        let board = await house.board
        let up = board.nodes.values.count { $0.isAvailable }
        var health: JSONObject = [
            "version": .string(commands.settings.version), "node_count": .int(Int64(board.nodes.count)),
            "nodes_up": .int(Int64(up)), "settled": .bool(board.isSettled),
        ]
        if let shares = commands.shares, !shares.declared.isEmpty {
            health["shares"] = .array(
                await shares.reports().map { share in
                    [
                        "name": .string(share.name), "state": .string(share.state),
                        "node_count": .int(Int64(share.nodeCount)), "nodes_up": .int(Int64(share.upCount)),
                    ]
                })
        }
        return .json(JSONValue.object(health).utf8())
    }

    private func metrics() async -> PageResponse {
        let metrics = HouseMetrics(
            nodes: await house.board.sorted, counts: await house.counts,
            traffic: await house.controller.context.traffic(), now: house.time.now, resting: await house.restingNodes,
            hasValues: hasValues)
        return PageResponse(status: 200, contentType: MetricsText.contentType, body: Array(metrics.text().utf8))
    }

    /// The nodes with the names and rooms that people gave them, which the interface has no place for.
    private func rooms() async -> PageResponse {
        let nodes = await house.board.sorted.map(\.record)
        var names: [String] = []
        for room in (try? house.controller.context.rooms().sound().rooms) ?? [] { names.append(room.name) }
        for node in nodes {
            for room in [node.room] + node.endpoints.map({ $0.bridged?.room }) {
                if let room, !names.contains(room) { names.append(room) }
            }
        }
        let items: [JSONValue] = nodes.map { node in
            [
                "node_id": .uint(node.nodeID.rawValue), "name": node.name.map { .string($0) } ?? .null,
                "room": node.room.map { .string($0) } ?? .null,
                "endpoints": .array(
                    node.endpoints.map { endpoint in
                        [
                            "endpoint": .int(Int64(endpoint.number)),
                            "label": (endpoint.bridged?.name ?? endpoint.bridged?.label).map { .string($0) } ?? .null,
                            "room": endpoint.bridged?.room.map { .string($0) } ?? .null,
                            "device_types": .array(endpoint.deviceTypes.map { .int(Int64($0)) }),
                        ]
                    }),
            ]
        }
        return .json(
            JSONValue.object(["rooms": .array(names.map { .string($0) }), "nodes": .array(items)]).utf8())
    }

    /// A document of the command line.
    private func document(_ document: HouseDocument) async -> PageResponse {
        guard let runner else { return .plain(404, "there is nothing here") }
        let output = await runner.output(of: document)
        guard output.status == 0 else { return .plain(503, String(decoding: output.errors, as: UTF8.self)) }
        return .json(output.result)
    }
}

extension PageResponse {
    static func json(_ body: [UInt8]) -> PageResponse {
        PageResponse(status: 200, contentType: "application/json", body: body)
    }

    static func plain(_ status: Int, _ text: String) -> PageResponse {
        PageResponse(status: status, contentType: "text/plain; charset=utf-8", body: Array("\(text)\n".utf8))
    }
}
