package import MatterNetwork

/// A kept session as bytes: fixed fields, the least significant byte first. No text and no structure in between, since
/// copies of those cannot be wiped.
extension KeptSession {
    private static let magic: [UInt8] = Array("mck1".utf8)
    private static let length = 512

    /// The file that a record belongs to: a copy of it is another file.
    package struct File: Equatable, Sendable {
        package var device: UInt64
        var inode: UInt64
    }

    /// - Parameters:
    ///   - file: where it is going to lie.
    ///   - now: the time of `moment`, in the clock of the session.
    /// - Returns: `nil` if it cannot be kept.
    package func encoded(for file: File, now: Instant) -> [UInt8]? {
        var body: [UInt8] = []
        // One array, so that there is one to wipe.
        body.reserveCapacity(Self.length)
        body += Self.magic + [0, 0, 0, 0] + moment.bootID.prefix(16)
        func put(_ numbers: UInt64...) { for number in numbers { body.append(littleEndian: number) } }
        func put(_ number: Int64) { put(UInt64(bitPattern: number)) }
        func put(_ duration: Duration) { put(duration.wholeNanoseconds) }
        func put(_ number: (some FixedWidthInteger)?) { put(number.map { Int64($0) } ?? -1) }
        func put(_ secret: SecretBytes) { secret.withUnsafeBytes { body.append(contentsOf: $0.prefix(16)) } }
        put(moment.sinceBoot)
        put(moment.unix)
        put(file.device, file.inode)
        let parameters = snapshot.parameters
        put(parameters.localNodeID, parameters.peerNodeID, parameters.role == .initiator ? 0 : 1)
        put(UInt64(parameters.localSessionID), UInt64(parameters.peerSessionID))
        put(parameters.keys.i2r)
        put(parameters.keys.r2i)
        put(parameters.keys.attestationChallenge)
        put(snapshot.nextCounter, UInt64(snapshot.seen.maximum), UInt64(snapshot.seen.bitmap))
        put(UInt64(snapshot.nextExchangeID))
        put(snapshot.roundTrip?.smoothed ?? .zero - .nanoseconds(1))
        put(snapshot.roundTrip?.variation ?? .zero)
        put(snapshot.lastHeard.map { (now - $0).wholeNanoseconds } ?? -1)
        put(setUp)
        put(rebootCount)
        put(UInt64(certificate), UInt64(port))
        put(parameters.reliability.idleInterval)
        put(parameters.reliability.activeInterval)
        put(parameters.reliability.activeThreshold)
        put(peerParameters.dataModelRevision)
        put(peerParameters.interactionModelRevision)
        put(peerParameters.specificationVersion)
        put(UInt64(peerParameters.maxPathsPerInvoke))
        switch parameters.address {
        case .udp(let address):
            put(UInt64(address.octets.count), UInt64(address.scope), UInt64(address.port))
            body += address.octets
        case .memory(let name):
            put(0, UInt64(name.utf8.count), 0)
            body += name.utf8
        // It ends with its connection.
        case .bluetooth: return nil
        }
        // Always as long, so that nothing of an earlier record stays behind it.
        guard body.count <= Self.length else { return nil }
        body += repeatElement(0, count: Self.length - body.count)
        let checksum = CRC32.checksum(body[8...])
        for index in 0..<4 { body[4 + index] = UInt8(truncatingIfNeeded: checksum >> UInt32(8 * index)) }
        return body
    }

    /// - Parameters:
    ///   - file: where it lies.
    ///   - moment: now.
    ///   - now: now, in the clock of the session.
    /// - Returns: `nil` if the bytes are damaged, come from another file, or from another start of the machine or a time
    ///   that a restored snapshot has taken back.
    package init?(_ bytes: UnsafeRawBufferPointer, of file: File, at moment: MachineMoment, now: Instant) {
        var reader = FieldReader(bytes: bytes)
        guard bytes.count == Self.length, reader.bytes(4).elementsEqual(Self.magic),
            let checksum: UInt32 = reader.integer(),
            CRC32.checksum(bytes.bytes.extracting(droppingFirst: 8)) == checksum
        else { return nil }
        let written = MachineMoment(
            bootID: Array(reader.bytes(16)), sinceBoot: reader.signed(), unix: reader.signed())
        guard moment.follows(written), reader.number() == file.device, reader.number() == file.inode else { return nil }
        let (local, peer, role) = (reader.number(), reader.number(), reader.number())
        let (localSession, peerSession) = (reader.number(), reader.number())
        let keys = SessionKeys(
            i2r: SecretBytes(reader.bytes(16)), r2i: SecretBytes(reader.bytes(16)),
            attestationChallenge: SecretBytes(reader.bytes(16)))
        let nextCounter = reader.number()
        let seen = ReceptionWindow.Seen(
            maximum: UInt32(truncatingIfNeeded: reader.number()), bitmap: UInt32(truncatingIfNeeded: reader.number()))
        let exchangeID = UInt16(truncatingIfNeeded: reader.number())
        let (smoothed, variation, silence) = (reader.signed(), reader.signed(), reader.signed())
        let (setUp, rebootCount) = (reader.signed(), reader.signed())
        let certificate = UInt32(truncatingIfNeeded: reader.number())
        let port = UInt16(truncatingIfNeeded: reader.number())
        let reliability = ReliabilityParameters(
            idleInterval: .nanoseconds(reader.signed()), activeInterval: .nanoseconds(reader.signed()),
            activeThreshold: .nanoseconds(reader.signed()))
        let (dataModel, interaction, specification) = (reader.signed(), reader.signed(), reader.signed())
        let paths = UInt16(truncatingIfNeeded: reader.number())
        let (count, extra, peerPort) = (reader.number(), reader.number(), reader.number())
        let octets = count == 0 ? reader.bytes(Int(clamping: extra)) : reader.bytes(Int(clamping: count))
        let address: PeerAddress? =
            count == 0
            ? .memory(String(decoding: octets, as: UTF8.self))
            : PeerAddress(
                octets: Array(octets), scope: UInt32(truncatingIfNeeded: extra),
                port: UInt16(truncatingIfNeeded: peerPort))
        guard reader.isComplete, let address, setUp >= 0, setUp <= written.sinceBoot else { return nil }
        self.init(
            snapshot: SessionSnapshot(
                parameters: SecureSessionParameters(
                    localSessionID: UInt16(truncatingIfNeeded: localSession),
                    peerSessionID: UInt16(truncatingIfNeeded: peerSession), role: role == 0 ? .initiator : .responder,
                    keys: keys, localNodeID: local, peerNodeID: peer, reliability: reliability, address: address),
                nextCounter: nextCounter, seen: seen, nextExchangeID: exchangeID,
                roundTrip: smoothed < 0
                    ? nil : RoundTrip(smoothed: .nanoseconds(smoothed), variation: .nanoseconds(variation)),
                lastHeard: silence < 0
                    ? nil : now - .nanoseconds(silence) - .nanoseconds(moment.sinceBoot - written.sinceBoot)),
            peerParameters: SessionParameters(
                reliability: reliability, dataModelRevision: UInt16(exactly: dataModel),
                interactionModelRevision: UInt16(exactly: interaction),
                specificationVersion: UInt32(exactly: specification), maxPathsPerInvoke: max(1, paths)),
            setUp: setUp, rebootCount: UInt16(exactly: rebootCount), certificate: certificate,
            port: port, moment: written)
    }
}

/// Reads fixed fields; beyond the end there are zeros, and the whole is not complete.
private struct FieldReader {
    let bytes: UnsafeRawBufferPointer
    private var position = 0
    private var isTooShort = false

    init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isComplete: Bool { !isTooShort }

    mutating func bytes(_ count: Int) -> UnsafeRawBufferPointer {
        guard count >= 0, bytes.count - position >= count else {
            isTooShort = true
            return UnsafeRawBufferPointer(rebasing: bytes[..<0])
        }
        defer { position += count }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<(position + count)])
    }

    mutating func integer<Number: FixedWidthInteger>() -> Number? {
        let field = bytes(MemoryLayout<Number>.size)
        return field.isEmpty ? nil : Number(littleEndian: field.loadUnaligned(as: Number.self))
    }

    mutating func number() -> UInt64 { integer() ?? 0 }
    mutating func signed() -> Int64 { integer() ?? 0 }
}
