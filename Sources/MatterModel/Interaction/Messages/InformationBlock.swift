import MatterBase

/// A reusable part of messages (Matter core specification 10.6).
protocol InformationBlock: Hashable, Sendable {
    init(tlv: TLVValue) throws(TLVError)

    var tlv: TLVValue { get }
}

extension InformationBlock {
    /// The encoding as a member of an array.
    func encodedMember() -> [UInt8] { TLVElement(.anonymous, tlv).encoded() }
}

extension TLVFields {
    /// A block that has to be a structure.
    init(structure value: TLVValue, _ name: String) throws(TLVError) {
        guard case .structure = value else { throw TLVError(.wrongType, "\(name) is not a structure") }
        try self.init(value, name)
    }

    /// A path: a list, in which each field may stand once.
    init(path value: TLVValue, _ name: String) throws(TLVError) {
        guard case .list(let members) = value else { throw TLVError(.wrongType, "\(name) is not a list") }
        guard Set(members.map(\.tag)).count == members.count else {
            throw TLVError(.invalidTag, "\(name) has a field twice")
        }
        try self.init(value, name)
    }

    func block<Block: InformationBlock>(_ tag: UInt8, as type: Block.Type = Block.self) throws(TLVError) -> Block {
        try Block(tlv: try required(tag))
    }

    func optionalBlock<Block: InformationBlock>(
        _ tag: UInt8, as type: Block.Type = Block.self
    ) throws(TLVError) -> Block? {
        guard let value = self[tag] else { return nil }
        return try Block(tlv: value)
    }

    /// The blocks of an array; none if there is no array.
    func blocks<Block: InformationBlock>(_ tag: UInt8, as type: Block.Type = Block.self) throws(TLVError) -> [Block] {
        var blocks: [Block] = []
        for value in try array(tag) { blocks.append(try Block(tlv: value)) }
        return blocks
    }

    /// The blocks of an array that has to be there, empty or not.
    func requiredBlocks<Block: InformationBlock>(
        _ tag: UInt8, as type: Block.Type = Block.self
    ) throws(TLVError) -> [Block] {
        _ = try required(tag)
        return try blocks(tag)
    }
}

extension TLVElement {
    static func unsigned(_ tag: UInt8, _ number: some UnsignedInteger) -> TLVElement {
        TLVElement(tag, .uint(UInt64(number)))
    }

    static func unsigned(_ tag: UInt8, _ number: (some UnsignedInteger)?) -> TLVElement? {
        number.map { TLVElement(tag, .uint(UInt64($0))) }
    }

    static func bool(_ tag: UInt8, _ flag: Bool) -> TLVElement {
        TLVElement(tag, .bool(flag))
    }

    /// A flag whose absence means `false`.
    static func flag(_ tag: UInt8, _ flag: Bool) -> TLVElement? {
        flag ? TLVElement(tag, .bool(true)) : nil
    }

    static func blocks(_ tag: UInt8, _ blocks: [some InformationBlock]) -> TLVElement {
        TLVElement(tag, .array(blocks.map { TLVElement(.anonymous, $0.tlv) }))
    }

    /// An array that is left out when it is empty.
    static func blocksIfAny(_ tag: UInt8, _ blocks: [some InformationBlock]) -> TLVElement? {
        blocks.isEmpty ? nil : .blocks(tag, blocks)
    }
}

extension TLVValue {
    /// How many elements this value consists of, itself included.
    var elementCount: Int {
        switch self {
        case .structure(let members), .array(let members), .list(let members):
            members.reduce(1) { $0 + $1.value.elementCount }
        default: 1
        }
    }
}
