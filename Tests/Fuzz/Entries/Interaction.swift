import MatterBase

@testable import MatterController
@testable import MatterModel
@testable import MatterNetwork

extension FuzzEntry {
    /// The messages of the Interaction Model, and the transactions that they are fed to.
    static let interaction = [
        FuzzEntry("im-messages") {
            Seeds.interaction
        } run: { bytes in
            message(StatusResponse.self, bytes) | message(ReadRequest.self, bytes)
                | message(SubscribeRequest.self, bytes) | message(SubscribeResponse.self, bytes)
                | message(ReportData.self, bytes) | message(WriteRequest.self, bytes)
                | message(WriteResponse.self, bytes) | message(InvokeRequest.self, bytes)
                | message(InvokeResponse.self, bytes) | message(TimedRequest.self, bytes)
        },
        FuzzEntry("im-client") {
            Seeds.conversations
        } run: { bytes in
            guard let kind = bytes.first else { return .refused }
            let rest = Array(bytes.dropFirst())
            let path = ConcreteAttributePath(endpoint: 0, cluster: 0x28, attribute: 5)
            let command = Command(endpoint: 1, cluster: 6, command: 2)
            switch kind % 6 {
            case 0: return feed(ReadTransaction(ReadRequest(attributePaths: [AttributePath()])), rest)
            case 1:
                let request = SubscribeRequest(
                    minIntervalFloor: 0, maxIntervalCeiling: 1, attributePaths: [AttributePath()])
                return feed(SubscribeTransaction(request), rest)
            case 2:
                let items = (0..<40).map { TLVElement(.anonymous, .string("item \($0)")) }
                return feed(WriteTransaction([AttributeWrite(path, value: .array(items))]), rest, maxPayload: 400)
            case 3: return feed(WriteTransaction([AttributeWrite(path, value: .null)], timeout: 9), rest)
            case 4: return feed(InvokeTransaction([command], timeout: 9), rest)
            default: return feed(InvokeTransaction([command, command], maxPathsPerInvoke: 3), rest)
            }
        },
        FuzzEntry("im-server") {
            Seeds.serverConversations
        } run: { bytes in
            var receiver = WriteReceiver()
            var depth = Depth.refused
            for piece in Pieces(bytes) {
                guard let opcode = piece.first else { continue }
                let payload = Array(piece.dropFirst())
                if let chunk = try? receiver.receive(payload) {
                    depth = .deep
                    _ = chunk.response([]).encoded()
                }
                if (try? InteractionRequest(opcode: opcode, payload: payload)) != nil { depth = .deep }
            }
            return depth
        },
    ]

    private static func message<Message: InteractionMessage>(_ type: Message.Type, _ bytes: [UInt8]) -> Depth {
        guard let message = try? Message(decoding: bytes) else { return .refused }
        let encoded = message.encoded()
        precondition((try? Message(decoding: encoded))?.encoded() == encoded, "read otherwise than it was written")
        return .deep
    }

    /// Feeds pieces to a transaction: the first byte of each is the opcode.
    private static func feed(
        _ transaction: some InteractionTransaction, _ bytes: [UInt8],
        maxPayload: Int = LinkProperties.udp.largestPayload
    ) -> Depth {
        var transaction = transaction
        guard (try? transaction.start(maxPayload: maxPayload)) != nil else { return .refused }
        for piece in Pieces(bytes) {
            guard let opcode = piece.first else { continue }
            do {
                let action = try transaction.handle(opcode: opcode, payload: Array(piece.dropFirst()))
                if case .send(_, _, true) = action { continue }
                if action == .wait { continue }
                precondition(transaction.output != nil, "ended without a result")
                if let result = transaction.output as? ReadResult { take(result) }
                return .deep
            } catch {
                precondition(transaction.output == nil, "failed with a result")
                return .refused
            }
        }
        return .refused
    }

    /// The decision of a commissioning about a report.
    private static func take(_ result: ReadResult) {
        let information = DeviceInformation(result)
        _ = (information.isFabricTableFull, information.isLongIdleTime)
        _ = EndpointDescription.all(in: result)
        _ = DeviceDescription(result)
    }
}
