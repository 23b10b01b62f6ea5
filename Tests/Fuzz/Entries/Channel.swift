import MatterBase

@testable import MatterCrypto
@testable import MatterNetwork

extension FuzzEntry {
    /// Message headers, the message engine, and the handshakes' messages.
    static let channel = [
        FuzzEntry("headers") {
            try Seeds.datagrams()
        } run: { bytes in
            guard let (header, length) = try? MessageHeader.decode(bytes) else { return .refused }
            precondition(length <= bytes.count && length >= header.encoded().count)
            guard let (proto, payload) = try? ProtocolHeader.decode(Array(bytes[length...])) else { return .refused }
            precondition(length + payload.count + proto.encoded().count <= bytes.count)
            return .deep
        },
        FuzzEntry("engine") {
            [Pieces.joined(try Seeds.datagrams())]
        } run: { bytes in
            guard var engine = try? Seeds.engine.get() else { preconditionFailure("no engine") }
            var depth = Depth.refused
            for datagram in Pieces(bytes) {
                for action in engine.receive(datagram, from: Seeds.address, now: Seeds.instant) {
                    switch action {
                    case .deliver(let key, _, _):
                        depth = .deep
                        engine.abandon(key)
                    case .deliverGroupMessage: depth = .deep
                    case .transmit(let answer, _): precondition(answer.count <= LinkProperties.udp.largestMessage)
                    default: break
                    }
                }
            }
            precondition(engine.sessions.count <= 66)
            return depth
        },
        FuzzEntry("pase") {
            Seeds.pase
        } run: { bytes in
            // Messages of the three kinds look alike, so each decoder gets every input.
            roundTrip(bytes, { try PBKDFParamRequest(decoding: $0) }, { $0.encoded() })
                | roundTrip(bytes, { try PBKDFParamResponse(decoding: $0, base: .standard) }, { $0.encoded() })
                | roundTrip(bytes, PakeMessage.decodePake1, PakeMessage.pake1)
                | roundTrip(
                    bytes,
                    { bytes in
                        let (share, confirmation) = try PakeMessage.decodePake2(bytes)
                        return [share, confirmation]
                    }, { PakeMessage.pake2(share: $0[0], confirmation: $0[1]) })
                | roundTrip(bytes, PakeMessage.decodePake3, PakeMessage.pake3)
        },
        FuzzEntry("case") {
            Seeds.sigma
        } run: { bytes in
            roundTrip(bytes, { try Sigma1(decoding: $0) }, { $0.encoded() })
                | roundTrip(bytes, { try Sigma2(decoding: $0, base: .standard) }, { $0.encoded() })
                | roundTrip(bytes, { try Sigma2Resume(decoding: $0, base: .standard) }, { $0.encoded() })
                | roundTrip(bytes, Sigma3.decode, Sigma3.encoded)
                | roundTrip(bytes, { try SigmaProof(decoding: $0, fromResponder: true) }, { $0.encoded() })
                | accepts { _ = try SigmaProof(decoding: bytes, fromResponder: false) }
        },
        FuzzEntry("status-report") {
            Seeds.statusReports
        } run: { bytes in
            guard let report = try? StatusReport(decoding: bytes) else { return .refused }
            precondition(report.encoded() == bytes)
            _ = (report.busyWait, report.description, SecureChannelError(reported: report))
            return .deep
        },
        FuzzEntry("check-in") {
            try Seeds.checkIns()
        } run: { bytes in
            guard let key = Seeds.checkInKey else { preconditionFailure("no key") }
            // An answer that only a device with the key can send.
            var counter: UInt32 = 0
            for byte in bytes.prefix(4) { counter = counter << 8 | UInt32(byte) }
            let sent = CheckInMessage(counter: counter, applicationData: Array(bytes.dropFirst(4)))
            if let payload = try? sent.sealed(with: key), payload.count <= CheckInMessage.mostCount {
                precondition((try? CheckInMessage(opening: payload, with: key)) == sent, "opened otherwise than sealed")
                _ = sent.activeThreshold
            }
            do throws(CheckInError) {
                let message = try CheckInMessage(opening: bytes, with: key)
                precondition((try? message.sealed(with: key)) == bytes, "sealed otherwise than it was opened")
                return .deep
            } catch {
                return error.code == .otherKey ? .deep : .refused
            }
        },
        FuzzEntry("session-parameters") {
            Seeds.sessionParameters
        } run: { bytes in
            roundTrip(
                bytes, { try SessionParameters(TLVFields(decoding: $0, "parameters")) },
                { TLVElement(.anonymous, $0.value).encoded() })
        },
        FuzzEntry("btp") {
            Seeds.btp
        } run: { bytes in
            var depth = Depth.refused
            for role in [BTPSession.Role.peripheral, .central] {
                var session = BTPSession(role, attMTU: nil)
                // Until a central waits for the response, and a peripheral may send its own.
                var events: [BTPSession.Event] = role == .central ? [.began, .confirmed, .confirmed] : [.subscribed]
                for value in Pieces(bytes) { events += [.received(value), .send([1, 2, 3]), .confirmed] }
                for event in events {
                    for action in session.handle(event, now: Seeds.instant) {
                        switch action {
                        case .deliver(let message):
                            depth = .deep
                            precondition((1...BTP.largestMessage).contains(message.count))
                        case .transmit(let value): precondition(value.count <= BTP.segmentSizes.upperBound)
                        default: break
                        }
                    }
                }
            }
            return depth
        },
        FuzzEntry("btp-values") {
            Seeds.btpValues
        } run: { bytes in
            roundTrip(bytes, { try BTPSegment(decoding: $0) }, { $0.encoded() })
                | roundTrip(bytes, { try BTPHandshakeRequest(decoding: $0) }, { $0.encoded() })
                | roundTrip(bytes, { try BTPHandshakeResponse(decoding: $0) }, { $0.encoded() })
        },
        FuzzEntry("service-data") {
            [BLEAdvertisement(longDiscriminator: 0xF00, vendorID: 0xFFF1, productID: 0x8000).serviceData]
        } run: { bytes in
            guard let read = BLEAdvertisement(serviceData: bytes) else { return .refused }
            precondition(BLEAdvertisement(serviceData: read.serviceData) == read)
            return .deep
        },
        FuzzEntry("address") {
            Seeds.addresses
        } run: { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            guard let address = try? PeerAddress(parsing: text) else { return .refused }
            precondition((try? PeerAddress(parsing: address.description)) == address)
            return .deep
        },
    ]
}
