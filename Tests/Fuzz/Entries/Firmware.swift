import MatterBase

@testable import MatterCrypto
@testable import MatterLedger
@testable import MatterNetwork

extension FuzzEntry {
    /// Firmware: images, and the messages by which nodes fetch them.
    static let firmware = [
        FuzzEntry("update-image") {
            Seeds.images
        } run: { bytes in
            guard let image = try? UpdateImage(bytes) else { return .refused }
            precondition(image.octets == bytes && image.applicable.lowerBound <= image.applicable.upperBound)
            return .deep
        },
        FuzzEntry("bulk-data") {
            [Pieces.joined(Seeds.transfer)]
        } run: { bytes in
            // The first byte of a piece is the opcode.
            var sender = BDXSender(size: 3000, largestBlock: 1024)
            var depth = Depth.refused
            for piece in Pieces(bytes) {
                guard let opcode = piece.first else { continue }
                let payload = Array(piece.dropFirst())
                guard let message = try? BDXMessage(opcode: opcode, payload: payload) else { continue }
                precondition((try? BDXMessage(opcode: message.opcode, payload: message.encoded())) == message)
                for action in (try? sender.handle(message)) ?? [] {
                    guard case .sendBlock(_, let offset, let count, _) = action else { continue }
                    precondition(offset + UInt64(count) <= 3000 && count <= 1024)
                    depth = .deep
                }
            }
            return depth
        },
    ]
}

extension Seeds {
    /// Images with and without the optional fields of the header.
    fileprivate static var images: [[UInt8]] {
        [nil, (1, 7)].map { (range: (UInt64, UInt64)?) in
            let payload = Array("firmware".utf8)
            var fields: [TLVElement] = [
                TLVElement(.context(0), .uint(0xFFF1)), TLVElement(.context(1), .uint(0x8001)),
                TLVElement(.context(2), .uint(2)), TLVElement(.context(3), .string("2.0")),
                TLVElement(.context(4), .uint(UInt64(payload.count))),
            ]
            if let range {
                fields += [TLVElement(.context(5), .uint(range.0)), TLVElement(.context(6), .uint(range.1))]
            }
            fields += [
                TLVElement(.context(8), .uint(1)), TLVElement(.context(9), .octets(SHA256.hash(payload))),
            ]
            let header = TLVElement(.anonymous, .structure(fields)).encoded()
            var bytes: [UInt8] = []
            bytes.append(littleEndian: UInt32(0x1BEE_F11E))
            bytes.append(littleEndian: UInt64(16 + header.count + payload.count))
            bytes.append(littleEndian: UInt32(header.count))
            return bytes + header + payload
        }
    }

    /// The messages of a node that fetches a file.
    fileprivate static var transfer: [[UInt8]] {
        let request = BDXRequest(drives: .receiver, blockSize: 1024, designator: Array("test.ota".utf8))
        let messages: [BDXMessage] = [
            .receiveInit(request), .query(0), .query(1), .query(1), .queryWithSkip(2, 100), .acknowledge(2),
            .acknowledgeLast(2),
        ]
        return messages.map { [$0.opcode] + $0.encoded() }
    }
}
