import MatterBase
import TestSupport
import Testing

@testable import MatterModel

private let toggle = Command(endpoint: 1, cluster: 6, command: 2)
private let arm = Command(
    endpoint: 0, cluster: 0x30, command: 0, fields: .structure([TLVElement(.context(0), .uint(60))]))

private func status(_ command: Command, _ status: IMStatus, reference: UInt16? = nil) -> InvokeResponseIB {
    .status(CommandStatusIB(path: command.path, status: StatusIB(status), reference: reference))
}

private func response(_ command: Command, _ id: CommandID, _ fields: TLVValue?, reference: UInt16? = nil)
    -> InvokeResponseIB
{
    var path = command.path
    path.command = id
    return .command(CommandDataIB(path: path, fields: fields, reference: reference))
}

@Suite("InvokeTransaction")
struct InvokeTransactionTests {
    private func started(_ commands: [Command], maxPathsPerInvoke: Int = 10) throws -> InvokeTransaction {
        var transaction = InvokeTransaction(commands, maxPathsPerInvoke: maxPathsPerInvoke)
        #expect(try sent(try transaction.start()).expectsReply)
        return transaction
    }

    @Test("one command goes without a reference, with an empty structure for no fields")
    func request() throws {
        var transaction = InvokeTransaction([toggle])
        let message = try sent(try transaction.start())
        #expect(message.opcode == .invokeRequest)
        #expect(
            hexString(message.payload)
                == hexString(hex("15 2800 2801 3602 15 3700 240001 240106 240202 18 3501 18 18 18 24FF0C 18")))
    }

    @Test("a status or a response is the outcome")
    func outcomes() throws {
        var transaction = try started([toggle])
        #expect(try transaction.handle(InvokeResponse(responses: [status(toggle, .busy)])) == .finished)
        #expect(transaction.output == [CommandResult(path: toggle.path, outcome: .status(StatusIB(.busy)))])
        #expect(transaction.output?.first?.status == StatusIB(.busy))

        transaction = try started([arm])
        _ = try transaction.handle(InvokeResponse(responses: [response(arm, 1, .string("bare"))]))
        #expect(
            transaction.output == [
                CommandResult(path: arm.path, outcome: .response(command: 1, fields: .string("bare")))
            ])
        #expect(transaction.output?.first?.status.isSuccess == true)
    }

    @Test("responses to several commands come in any order and number of messages")
    func batch() throws {
        let commands = [toggle, arm, Command(endpoint: 2, cluster: 6, command: 2)]
        var transaction = InvokeTransaction(commands, maxPathsPerInvoke: 3)
        let request = try InvokeRequest(decoding: try sent(try transaction.start()).payload)
        #expect(request.commands.map(\.reference) == [0, 1, 2])
        let first = InvokeResponse(responses: [status(commands[2], .success, reference: 2)], hasMoreChunks: true)
        #expect(try transaction.handle(first) == .goOn(expectsReply: true))
        let second = InvokeResponse(responses: [response(arm, 1, nil, reference: 1)])
        #expect(try transaction.handle(second) == .finished)
        #expect(
            transaction.output?.map(\.outcome) == [
                .status(StatusIB(.noCommandResponse)), .response(command: 1, fields: nil), .status(StatusIB(.success)),
            ])
    }

    @Test("a peer that passes over the only command has not answered it")
    func noResponse() throws {
        var transaction = try started([toggle])
        #expect(try transaction.handle(InvokeResponse(responses: [])) == .finished)
        #expect(transaction.output?.map(\.status) == [StatusIB(.noCommandResponse)])
    }

    @Test("responses that do not belong to the commands are refused")
    func violations() throws {
        let other = Command(endpoint: 2, cluster: 6, command: 2)
        let one = [
            InvokeResponse(responses: [status(other, .success)]),
            InvokeResponse(responses: [status(Command(endpoint: 1, cluster: 8, command: 2), .success)]),
            InvokeResponse(responses: [status(Command(endpoint: 1, cluster: 6, command: 1), .success)]),
            InvokeResponse(responses: [status(toggle, .success), status(toggle, .success)]),
            InvokeResponse(suppressesResponse: true, responses: [], hasMoreChunks: true),
        ]
        for message in one {
            var transaction = try started([toggle])
            let error = #expect(throws: InteractionError.self) { try transaction.handle(message) }
            #expect(error?.code == .protocolViolation)
            #expect(transaction.output == nil)
        }
        let two = [
            InvokeResponse(responses: [status(toggle, .success)]),
            InvokeResponse(responses: [status(toggle, .success, reference: 2)]),
            InvokeResponse(responses: [status(toggle, .success, reference: 1)]),
        ]
        for message in two {
            var transaction = try started([toggle, other])
            let error = #expect(throws: InteractionError.self) { try transaction.handle(message) }
            #expect(error?.code == .protocolViolation)
        }
    }

    @Test("a response path without an endpoint is taken for the command's")
    func responseWithoutEndpoint() throws {
        var transaction = try started([toggle])
        let path = CommandPath(endpoint: nil, cluster: 6, command: 2)
        _ = try transaction.handle(
            InvokeResponse(responses: [.status(CommandStatusIB(path: path, status: StatusIB(.success)))]))
        #expect(transaction.output?.first?.path == toggle.path)
    }

    @Test("empty responses without end are stopped")
    func endless() throws {
        var transaction = try started([toggle])
        let empty = InvokeResponse(responses: [], hasMoreChunks: true)
        #expect {
            for _ in 0..<10 { _ = try transaction.handle(empty) }
        } throws: { ($0 as? InteractionError)?.code == .limitExceeded }
    }

    @Test("a StatusResponse is a refusal of the whole")
    func refused() throws {
        var transaction = try started([toggle])
        let error = #expect(throws: InteractionError.self) { try transaction.handle(StatusResponse(.invalidAction)) }
        #expect(error?.code == .refused)
        #expect(error?.status == .invalidAction)
    }

    @Test("a timed invoke is announced; the command follows the go-ahead with the flag")
    func timed() throws {
        var transaction = InvokeTransaction([toggle], timeout: 10_000)
        let announcement = try sent(try transaction.start())
        #expect(announcement.opcode == .timedRequest)
        #expect(hexString(announcement.payload) == hexString(hex(Samples.timedRequest)))
        let command = try sent(try transaction.handle(StatusResponse(.success)))
        #expect(command.opcode == .invokeRequest)
        #expect(try InvokeRequest(decoding: command.payload).isTimed)
        #expect(try transaction.handle(InvokeResponse(responses: [status(toggle, .success)])) == .finished)
    }

    @Test("what needs a timed interaction is repeated as one, once, and nothing else is")
    func timedRetry() throws {
        var transaction = try started([toggle, arm])
        _ = try transaction.handle(
            InvokeResponse(responses: [
                status(toggle, .needsTimedInteraction, reference: 0), response(arm, 1, nil, reference: 1),
            ]))
        var retry = try #require(transaction.timedRetry(timeout: 1_000))
        #expect(try sent(try retry.start()).opcode == .timedRequest)
        let command = try sent(try retry.handle(StatusResponse(.success)))
        #expect(try InvokeRequest(decoding: command.payload).commands.map(\.path) == [toggle.path])
        _ = try retry.handle(InvokeResponse(responses: [status(toggle, .needsTimedInteraction)]))
        #expect(retry.timedRetry(timeout: 1_000) == nil)
        let merged = try #require(transaction.output).replaced(by: try #require(retry.output))
        #expect(merged.map(\.path) == [toggle.path, arm.path])
        #expect(merged[1].outcome == .response(command: 1, fields: nil))

        transaction = try started([toggle])
        _ = try transaction.handle(InvokeResponse(responses: [status(toggle, .success)]))
        #expect(transaction.timedRetry(timeout: 1_000) == nil)
    }

    @Test("a group is not waited for")
    func group() throws {
        var transaction = InvokeTransaction([Command(endpoint: nil, cluster: 6, command: 2)], isGroup: true)
        let message = try sent(try transaction.start())
        #expect(!message.expectsReply)
        #expect(try InvokeRequest(decoding: message.payload).suppressesResponse)
        #expect(transaction.output == [])
    }

    @Test("contradictory and oversized invokes are refused before anything is sent")
    func invalid() {
        let invalid = [
            InvokeTransaction([]), InvokeTransaction([toggle, arm], maxPathsPerInvoke: 1),
            InvokeTransaction([toggle, toggle], maxPathsPerInvoke: 2),
            InvokeTransaction([toggle, arm], isGroup: true, maxPathsPerInvoke: 2),
            InvokeTransaction([Command(endpoint: nil, cluster: 6, command: 2)]),
            InvokeTransaction([toggle], timeout: 1, isGroup: true),
        ]
        for var transaction in invalid {
            #expect { try transaction.start() } throws: { ($0 as? InteractionError)?.code == .invalidRequest }
        }
        var large = InvokeTransaction([
            Command(endpoint: 0, cluster: 6, command: 0, fields: .octets([UInt8](repeating: 0, count: 1_200)))
        ])
        #expect { try large.start() } throws: { ($0 as? InteractionError)?.code == .requestTooLarge }
    }

    @Test("commands are batched in order, by count, by size, and never twice the same path")
    func batches() {
        let commands = (0..<5).map { Command(endpoint: $0, cluster: 6, command: 2) }
        #expect(
            InvokeTransaction.batches(of: commands, maxPathsPerInvoke: 2, maxPayload: 1_178).map(\.count) == [2, 2, 1])
        #expect(
            InvokeTransaction.batches(of: commands, maxPathsPerInvoke: 1, maxPayload: 1_178).map(\.count) == [
                1, 1, 1, 1, 1,
            ])
        #expect(
            InvokeTransaction.batches(of: [toggle, arm, toggle], maxPathsPerInvoke: 9, maxPayload: 1_178)
                == [[toggle, arm], [toggle]])
        let sized = InvokeTransaction.batches(of: commands, maxPathsPerInvoke: 9, maxPayload: 60)
        #expect(sized.count > 1)
        #expect(sized.flatMap(\.self) == commands)
    }
}

@Suite("InvokeResponder")
struct InvokeResponderTests {
    @Test("responses arrive, whatever the size of messages")
    func conversation() throws {
        var generator = SeededGenerator(seed: 5)
        var longest = 0
        for _ in 0..<300 {
            let maxPayload = generator.number(128...1_200)
            let commands = (0..<generator.number(1...12)).map {
                Command(endpoint: EndpointID(UInt16($0)), cluster: 6, command: 2)
            }
            var client = InvokeTransaction(commands, maxPathsPerInvoke: 12)
            let request = try InvokeRequest(decoding: try sent(try client.start()).payload)
            var outcomes: [CommandResult.Outcome] = []
            var expected: [CommandResult.Outcome] = []
            for _ in commands {
                switch generator.number(0...9) {
                case 0:
                    // Does not fit any message.
                    outcomes.append(.response(command: 3, fields: .octets(generator.octets(maxPayload))))
                    expected.append(.status(StatusIB(.resourceExhausted)))
                    continue
                case 1...3: outcomes.append(.status(StatusIB(.failure, clusterStatus: 7)))
                case 4: outcomes.append(.response(command: 3, fields: nil))
                default:
                    let size = generator.number(0...maxPayload - 60)
                    outcomes.append(.response(command: 3, fields: .octets(generator.octets(size))))
                }
                expected.append(outcomes[outcomes.count - 1])
            }
            var server = InvokeResponder(answering: request, with: outcomes)
            let payloads = try converse(&client, &server, maxPayload: maxPayload)
            longest = max(longest, payloads.count)
            #expect(payloads.allSatisfy { $0.count <= maxPayload })
            #expect(client.output?.map(\.outcome) == expected)
            #expect(server.output != nil)
        }
        #expect(longest > 10)
    }

    @Test("responses of every size around the limit end in one message")
    func boundary() throws {
        var fitting = 0
        for size in 60...128 {
            var client = InvokeTransaction([toggle])
            let request = try InvokeRequest(decoding: try sent(try client.start()).payload)
            let fields = TLVValue.octets([UInt8](repeating: 0, count: size))
            var server = InvokeResponder(
                answering: request, with: [.response(command: 3, fields: fields)])
            let payloads = try converse(&client, &server, maxPayload: 128)
            #expect(payloads.count == 1)
            #expect(payloads.allSatisfy { $0.count <= 128 })
            if client.output?.first?.outcome == .response(command: 3, fields: fields) { fitting = size }
        }
        #expect((80...100).contains(fitting))
    }

    @Test("a command without an outcome has failed")
    func missingOutcome() throws {
        var client = InvokeTransaction([toggle])
        let request = try InvokeRequest(decoding: try sent(try client.start()).payload)
        var server = InvokeResponder(answering: request, with: [])
        _ = try converse(&client, &server)
        #expect(client.output?.map(\.status) == [StatusIB(.failure)])
    }

    @Test("a client that answers a chunk with a failure, or something else, ends it")
    func refusal() throws {
        let commands = (UInt16(0)..<10).map {
            CommandDataIB(
                path: CommandPath(endpoint: EndpointID($0), cluster: 6, command: 2), fields: nil, reference: $0)
        }
        for (message, code) in [(StatusResponse(.busy).encoded(), InteractionError.Code.refused), ([0x15], .malformed)]
        {
            var server = InvokeResponder(
                answering: InvokeRequest(commands: commands), with: [])
            #expect(try sent(try server.start(maxPayload: InteractionModel.smallestMaxPayload)).expectsReply)
            let error = #expect(throws: InteractionError.self) { try server.handle(opcode: 1, payload: message) }
            #expect(error?.code == code)
            #expect(server.output == nil)
        }
        var server = InvokeResponder(answering: InvokeRequest(commands: commands), with: [])
        #expect(throws: InteractionError.self) { try server.start(maxPayload: 100) }
    }
}

@Suite("TimedInteraction")
struct TimedInteractionTests {
    private let now = ContinuousClock.now

    @Test("the request that was announced is accepted in time, once")
    func inTime() {
        var timed = TimedInteraction<ContinuousClock.Instant>()
        timed.announce(TimedRequest(timeout: 500), at: now)
        #expect(timed.check(isTimed: true, at: now + .milliseconds(500)) == .success)
        #expect(timed.check(isTimed: true, at: now + .milliseconds(500)) == .timedRequestMismatch)
    }

    @Test("late is TIMEOUT")
    func late() {
        var timed = TimedInteraction<ContinuousClock.Instant>()
        timed.announce(TimedRequest(timeout: 500), at: now)
        #expect(timed.check(isTimed: true, at: now + .milliseconds(501)) == .timeout)
    }

    @Test("a flag that does not fit what was announced is a mismatch")
    func mismatch() {
        var timed = TimedInteraction<ContinuousClock.Instant>()
        #expect(timed.check(isTimed: false, at: now) == .success)
        #expect(timed.check(isTimed: true, at: now) == .timedRequestMismatch)
        timed.announce(TimedRequest(timeout: 500), at: now)
        #expect(timed.check(isTimed: false, at: now) == .timedRequestMismatch)
    }
}
