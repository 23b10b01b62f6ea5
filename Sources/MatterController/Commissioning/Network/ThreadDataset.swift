package import MatterCrypto

/// An operational dataset: what a device needs to join a Thread network (Thread specification, 8.10).
///
/// The bytes stay exactly as they were given, with the entries that are unknown here.
public struct ThreadDataset: Sendable, Equatable {
    /// The type of an entry.
    enum Entry: UInt8, CaseIterable {
        case channel = 0
        case panID = 1
        case extendedPANID = 2
        case networkName = 3
        case pskc = 4
        case networkKey = 5
        case meshLocalPrefix = 7
        case securityPolicy = 12
        case activeTimestamp = 14
        case pendingTimestamp = 51
        case delayTimer = 52
        case channelMask = 53
    }

    /// The largest dataset, in bytes.
    package static let largest = 254
    /// The channels of the 2.4 GHz band (page 0).
    public static let channels: ClosedRange<UInt16> = 11...26

    /// The dataset for a device: it holds the keys of the network.
    package let encoded: SecretBytes
    /// The number of the channel's page: 0 for 2.4 GHz.
    public private(set) var channelPage: UInt8 = 0
    /// The number of the channel.
    public private(set) var channel: UInt16 = 0
    /// The PAN id.
    public private(set) var panID: UInt16 = 0
    /// The id of the network in commands and in mDNS, 8 bytes.
    public private(set) var extendedPANID: [UInt8] = []
    /// The name of the network; `nil` if the dataset has none.
    public private(set) var networkName: String?
    /// The first 8 bytes of the addresses in the mesh.
    public private(set) var meshLocalPrefix: [UInt8]?
    /// How long a network key is used, in hours.
    public private(set) var keyRotation: UInt16?
    /// The flags of the security policy, one or two bytes.
    public private(set) var securityFlags: [UInt8]?
    /// When the dataset was made: a number of seconds that only grows.
    public private(set) var activeTimestamp: UInt64?
    /// The channels of page 0 that the network may move to.
    public private(set) var channelMask: [UInt16]?
    /// Whether commissioners can use a passphrase of the network.
    public private(set) var hasPSKc = false
    /// The types of entries that are unknown here.
    public private(set) var otherTypes: [UInt8] = []

    /// Decodes and checks a dataset.
    package init(decoding bytes: [UInt8]) throws(ThreadDatasetError) {
        guard bytes.count <= Self.largest else {
            throw ThreadDatasetError(
                .malformed, "a dataset has at most \(Self.largest) bytes, this one has \(bytes.count)",
                hint: "give it exactly as the border router prints it")
        }
        encoded = SecretBytes(bytes)
        var seen: Set<UInt8> = []
        var rest = bytes[...]
        while let type = rest.popFirst() {
            let start = rest.startIndex - 1
            guard let count = rest.popFirst(), rest.count >= count else {
                throw ThreadDatasetError(
                    .malformed, "the dataset is cut off", hint: "copy all of it: it ends in the middle of an entry",
                    offset: start)
            }
            guard seen.insert(type).inserted else {
                throw ThreadDatasetError(
                    .malformed, "the dataset has entry \(type) twice", hint: "give one dataset, not several",
                    offset: start)
            }
            let value = Array(rest.prefix(Int(count)))
            rest = rest.dropFirst(Int(count))
            guard let entry = Entry(rawValue: type) else {
                otherTypes.append(type)
                continue
            }
            guard entry.lengths.contains(value.count) else {
                throw ThreadDatasetError(
                    .malformed, "the \(entry.name) has \(value.count) bytes, not \(entry.lengthText)",
                    hint: "give the dataset exactly as the border router prints it", offset: start)
            }
            try take(entry, value, at: start)
        }
        try check(seen)
    }

    private mutating func take(_ entry: Entry, _ value: [UInt8], at offset: Int) throws(ThreadDatasetError) {
        switch entry {
        case .channel:
            channelPage = value.first ?? 0
            channel = Self.number(value.dropFirst())
        case .panID: panID = Self.number(value[...])
        case .extendedPANID: extendedPANID = value
        case .networkName:
            guard let name = String(validating: value, as: UTF8.self) else {
                throw ThreadDatasetError(.invalidValue, "the network name is not text in UTF-8", offset: offset)
            }
            networkName = name
        case .pskc: hasPSKc = true
        // Of the key only its presence and its length matter here.
        case .networkKey: break
        case .meshLocalPrefix:
            guard value.first == 0xFD else {
                throw ThreadDatasetError(
                    .invalidValue, "the mesh-local prefix does not begin with fd", offset: offset)
            }
            meshLocalPrefix = value
        case .securityPolicy:
            keyRotation = Self.number(value.prefix(2))
            securityFlags = Array(value.dropFirst(2))
        // The last 16 bits count parts of a second, and say who vouches for the time.
        case .activeTimestamp: activeTimestamp = Self.number(value.prefix(6))
        case .pendingTimestamp, .delayTimer:
            throw ThreadDatasetError(
                .invalidValue, "this is a pending dataset: the network has not changed over to it yet",
                hint: "use the active one: ot-ctl dataset active -x", offset: offset)
        case .channelMask: channelMask = try Self.channels(value, at: offset)
        }
    }

    private func check(_ seen: Set<UInt8>) throws(ThreadDatasetError) {
        let needed: [Entry] = [.channel, .panID, .extendedPANID, .networkKey]
        let missing = needed.filter { !seen.contains($0.rawValue) }.map(\.name)
        guard missing.isEmpty else {
            throw ThreadDatasetError(
                .incomplete, "the dataset lacks: \(missing.joined(separator: ", "))",
                hint: "print all of it on the border router: ot-ctl dataset active -x")
        }
        guard panID != 0xFFFF else {
            throw ThreadDatasetError(.invalidValue, "the PAN id FFFF means all networks, and is not that of one")
        }
        guard channelPage != 0 || Self.channels.contains(channel) else {
            throw ThreadDatasetError(.invalidValue, "channel \(channel) is not one of 11 to 26")
        }
        if channelPage == 0, let channelMask, !channelMask.contains(channel) {
            throw ThreadDatasetError(.invalidValue, "channel \(channel) is not in the dataset's own channel mask")
        }
    }

    /// A setting that is allowed and makes trouble with many devices.
    public var warnings: [String] {
        let missing = [
            networkName == nil ? Entry.networkName : nil, meshLocalPrefix == nil ? .meshLocalPrefix : nil,
            activeTimestamp == nil ? .activeTimestamp : nil,
        ].compactMap { $0?.name }
        return missing.isEmpty
            ? [] : ["the dataset has no \(missing.joined(separator: ", no ")): many devices refuse such a dataset"]
    }

    private static func number<Number: FixedWidthInteger>(_ bytes: ArraySlice<UInt8>) -> Number {
        bytes.reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }

    /// The channels of page 0 in a channel mask: pages, each with its length and its bits from channel 0.
    private static func channels(_ value: [UInt8], at offset: Int) throws(ThreadDatasetError) -> [UInt16]? {
        var channels: [UInt16]?
        var rest = value[...]
        while let page = rest.popFirst() {
            guard let count = rest.popFirst(), rest.count >= count else {
                throw ThreadDatasetError(.malformed, "the channel mask is cut off", offset: offset)
            }
            if page == 0 {
                channels = rest.prefix(Int(count)).enumerated().flatMap { index, byte in
                    (0..<8).filter { byte & 0x80 >> $0 != 0 }.map { UInt16(index * 8 + $0) }
                }
            }
            rest = rest.dropFirst(Int(count))
        }
        return channels
    }
}

extension ThreadDataset.Entry {
    /// For people.
    var name: String {
        switch self {
        case .channel: "channel"
        case .panID: "PAN id"
        case .extendedPANID: "extended PAN id"
        case .networkName: "network name"
        case .pskc: "PSKc"
        case .networkKey: "network key"
        case .meshLocalPrefix: "mesh-local prefix"
        case .securityPolicy: "security policy"
        case .activeTimestamp: "active timestamp"
        case .pendingTimestamp: "pending timestamp"
        case .delayTimer: "delay timer"
        case .channelMask: "channel mask"
        }
    }

    /// How many bytes its value may have.
    var lengths: ClosedRange<Int> {
        switch self {
        case .panID: 2...2
        case .channel: 3...3
        case .delayTimer: 4...4
        case .extendedPANID, .meshLocalPrefix, .activeTimestamp, .pendingTimestamp: 8...8
        case .pskc, .networkKey: 16...16
        case .networkName: 1...16
        case .securityPolicy: 3...4
        case .channelMask: 1...Int(UInt8.max)
        }
    }

    var lengthText: String {
        lengths.count == 1 ? "\(lengths.lowerBound)" : "\(lengths.lowerBound) to \(lengths.upperBound)"
    }
}
