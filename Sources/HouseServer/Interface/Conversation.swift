import Logging
import MatterController

/// A conversation with one client over the interface of Home Assistant's Matter server.
struct Conversation: Sendable {
    /// How many requests of one client are worked on at a time; then no more are read.
    private static let mostRequests = 64

    let house: House
    let commands: InterfaceCommands
    let visitor: Visitor
    let logger: Logger

    /// Converses until the client leaves, or the house is closed.
    func run(over socket: any MessageSocket) async {
        let box = await house.open()
        await house.answer(box, [await commands.serverInfo()])
        let writer = house.time.start { [house] in
            while let message = await house.next(box) {
                do { try await socket.send(message) } catch { break }
            }
            await house.close(box)
            await socket.close(code: 1001)
        }
        let gate = RequestGate(limit: Self.mostRequests)
        await withDiscardingTaskGroup { group in
            while let octets = await socket.next() {
                guard let value = try? JSONValue(parsing: octets) else {
                    logger.info("\(visitor.name) sent what is not JSON")
                    await house.answer(box, AnswerMessage.failure("", InterfaceError(.unknown, "this is not JSON")))
                    continue
                }
                guard let request = InterfaceRequest(value) else {
                    await house.answer(
                        box, AnswerMessage.failure("", InterfaceError(.invalidArguments, "this is not a request")))
                    continue
                }
                await gate.enter()
                group.addTask {
                    await answer(request, in: box)
                    await gate.leave()
                }
            }
            // Commands that were sent go on to their end; their answers have no reader.
            await house.close(box)
        }
        writer.cancel()
    }

    private func answer(_ request: InterfaceRequest, in box: Int) async {
        let began = house.time.now
        let afterwards = Afterwards()
        defer { afterwards.run() }
        do {
            try await commands.check(request, of: visitor)
            // Also where the command fails.
            let interests = NetworkInterests(command: request.command)
            if !interests.isEmpty { await house.note(box, interests) }
            if request.command == "start_listening" {
                await house.waitUntilSettled(atMost: .seconds(5))
                let isNew = await house.listen(box) { nodes in
                    AnswerMessage.success(request.id, AnswerMessage.list(nodes))
                }
                guard isNew else { throw InterfaceError(.invalidCommand, "this connection listens already") }
            } else {
                let result = try await commands.result(of: request, for: visitor, afterwards)
                await house.answer(box, AnswerMessage.success(request.id, result))
            }
            await house.noteCommand(request.command, "done")
        } catch {
            let failure = InterfaceFailure.error(error)
            if failure.code == .nodeNotResolving, let node = commands.node(of: request) { await house.doubt(node) }
            logger.info("\(visitor.name): \(request.command) failed: \(failure.details)")
            await house.noteCommand(commands.isKnown(request.command) ? request.command : "unknown", "failed")
            await house.answer(box, AnswerMessage.failure(request.id, failure))
        }
        if request.command == "device_command" { await house.noteRoundTrip(house.time.now - began) }
    }
}

/// Limits how much goes on at a time.
private actor RequestGate {
    private let limit: Int
    private var inside = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(limit: Int) { self.limit = limit }

    func enter() async {
        guard inside >= limit else {
            inside += 1
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    func leave() {
        guard waiting.isEmpty else { return waiting.removeFirst().resume() }
        inside -= 1
    }
}
