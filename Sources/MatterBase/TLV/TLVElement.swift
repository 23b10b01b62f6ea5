/// A decoded TLV value. Widths are not kept: numbers are written in the smallest form that holds them (Matter core
/// specification, appendix A).
public indirect enum TLVValue: Hashable, Sendable {
    /// A signed integer.
    case int(Int64)
    /// An unsigned integer.
    case uint(UInt64)
    /// A Boolean.
    case bool(Bool)
    /// A number of single precision.
    case float(Float)
    /// A number of double precision.
    case double(Double)
    /// A string, in UTF-8.
    case string(String)
    /// A string of octets.
    case octets([UInt8])
    /// Null.
    case null
    /// A structure: members with tags, in any order.
    case structure([TLVElement])
    /// An array: members without tags.
    case array([TLVElement])
    /// A list: members with tags or without, in an order that matters.
    case list([TLVElement])
}

/// A tag and its value (Matter core specification, appendix A).
public struct TLVElement: Hashable, Sendable {
    /// How the element is named in its container.
    public var tag: TLVTag
    /// The value of the element.
    public var value: TLVValue

    /// An element with any form of tag, by default none.
    public init(_ tag: TLVTag = .anonymous, _ value: TLVValue) {
        self.tag = tag
        self.value = value
    }

    /// A member of a structure.
    package init(_ tag: UInt8, _ value: TLVValue) {
        self.init(.context(tag), value)
    }

    /// Decodes exactly one element.
    ///
    /// - Parameters:
    ///   - allowTrailing: whether bytes after the element are ignored (messages) or refused (certificates).
    ///   - text: what becomes of strings that are not valid UTF-8.
    ///   - tags: what becomes of tags that their containers forbid.
    /// - Throws: ``TLVError``; also for a structure that uses a tag twice.
    public init(
        decoding bytes: [UInt8], limits: TLVLimits = .standard, allowTrailing: Bool = false, text: TLVText = .strict,
        tags: TLVTagRules = .strict
    ) throws(TLVError) {
        var reader = TLVReader(bytes, limits: limits, text: text, tags: tags)
        guard let element = try TLVElement.next(from: &reader) else {
            throw TLVError(.truncated, "an empty encoding", offset: 0)
        }
        guard allowTrailing || reader.isAtEnd else {
            throw TLVError(.trailingData, "bytes after the end of the element", offset: reader.offset)
        }
        self = element
    }

    /// The next whole element from a reader; `nil` at its end.
    static func next(from reader: inout TLVReader) throws(TLVError) -> TLVElement? {
        // Open containers with the members found so far, outermost first.
        var stack: [(tag: TLVTag, type: TLVElementType, members: [TLVElement], tags: Set<TLVTag>)] = []
        while let token = try reader.next() {
            var done: TLVElement
            if token.type == .endOfContainer {
                guard let container = stack.popLast() else {
                    throw TLVError(.malformed, "end of container out of place", offset: token.offset)
                }
                switch container.type {
                case .structure: done = TLVElement(container.tag, .structure(container.members))
                case .array: done = TLVElement(container.tag, .array(container.members))
                default: done = TLVElement(container.tag, .list(container.members))
                }
            } else if token.type.isContainer {
                stack.append((token.tag, token.type, [], []))
                continue
            } else {
                done = TLVElement(token.tag, try reader.value(of: token))
            }
            guard var parent = stack.popLast() else { return done }
            if parent.type == .structure, reader.tags == .strict, !parent.tags.insert(done.tag).inserted {
                throw TLVError(.invalidTag, "a structure with two members tagged \(done.tag)", offset: token.offset)
            }
            parent.members.append(done)
            stack.append(parent)
        }
        return nil
    }

    /// The TLV encoding of this element.
    public func encoded() -> [UInt8] {
        var writer = TLVWriter()
        writer.write(self)
        return writer.bytes
    }
}

extension TLVValue {
    /// The first tag, here or deeper, that its container forbids (``TLVTagRules/strict``); `nil` if all are right.
    package var tagFault: TLVError? { tagFault(deep: true) }

    /// Checks only the members of this container.
    package var ownTagFault: TLVError? { tagFault(deep: false) }

    /// Structures with more members are not searched by comparing each with each.
    private static let few = 12

    /// The first tag that comes a second time.
    private static func double(_ members: [TLVElement]) -> TLVTag? {
        guard members.count > few else {
            return members.indices.first { index in
                members[..<index].contains { $0.tag == members[index].tag }
            }.map { members[$0].tag }
        }
        var tags: Set<TLVTag> = []
        return members.first { !tags.insert($0.tag).inserted }?.tag
    }

    private func tagFault(deep: Bool) -> TLVError? {
        let members: [TLVElement]
        switch self {
        case .structure(let found):
            members = found
            if members.contains(where: { $0.tag == .anonymous }) {
                return TLVError(.invalidTag, "a structure member without a tag")
            }
            if let double = Self.double(members) {
                return TLVError(.invalidTag, "a structure with two members tagged \(double)")
            }
        case .array(let found):
            members = found
            if members.contains(where: { $0.tag != .anonymous }) {
                return TLVError(.invalidTag, "an array member with a tag")
            }
        case .list(let found):
            members = found
        default:
            return nil
        }
        guard deep else { return nil }
        for member in members {
            if let fault = member.value.tagFault(deep: true) { return fault }
        }
        return nil
    }
}
