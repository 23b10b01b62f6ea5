import MatterBase
import SwiftASN1

extension DistinguishedName {
    /// Added to the TLV tag of an attribute whose X.509 value is a PrintableString.
    private static let printableStringFlag: UInt8 = 0x80

    /// Reads the TLV list of attributes.
    init(tlv value: TLVValue, _ name: String) throws(CredentialsError) {
        guard case .list(let members) = value else {
            throw CredentialsError(.malformed, "the \(name) is not a TLV list")
        }
        var attributes: [DistinguishedNameAttribute] = []
        for member in members {
            guard case .context(let tag) = member.tag,
                let type = DistinguishedNameAttributeType(rawValue: tag & ~Self.printableStringFlag)
            else {
                throw CredentialsError(.invalidName, "the \(name) has an attribute with the unknown tag \(member.tag)")
            }
            let isPrintable = tag & Self.printableStringFlag != 0
            switch member.value {
            case .uint(let number) where !isPrintable:
                attributes.append(DistinguishedNameAttribute(type, .identifier(number)))
            case .string(let text) where isPrintable:
                attributes.append(DistinguishedNameAttribute(type, .printableString(Array(text.utf8))))
            case .string(let text):
                attributes.append(DistinguishedNameAttribute(type, text))
            default:
                throw CredentialsError(.invalidName, "the \(name) attribute \(type) has a value of the wrong kind")
            }
        }
        try self.init(attributes)
    }

    /// The members of the TLV list.
    var tlv: TLVValue {
        .list(
            attributes.map { attribute in
                let tag = attribute.type.rawValue
                return switch attribute.value {
                case .identifier(let number):
                    TLVElement(tag, .uint(number))
                case .printableString(let octets):
                    TLVElement(tag | Self.printableStringFlag, .string(String(decoding: octets, as: UTF8.self)))
                case .utf8String(let octets), .ia5String(let octets):
                    TLVElement(tag, .string(String(decoding: octets, as: UTF8.self)))
                }
            })
    }

    /// Reads an X.509 Name.
    init(der node: ASN1Node, _ name: String) throws(CredentialsError) {
        var sets = try DERFields(node, name: "the \(name)", code: .malformed)
        var attributes: [DistinguishedNameAttribute] = []
        while !sets.isAtEnd {
            var set = try sets.fields("a relative name of the \(name)", .set)
            var pair = try set.fields("an attribute of the \(name)")
            try set.end()
            let identifier = try pair.contents(.objectIdentifier, "an attribute type of the \(name)")
            guard let type = DistinguishedNameAttributeType.type(objectIdentifier: identifier) else {
                throw CredentialsError(.invalidName, "the \(name) has an attribute of a type unknown to Matter")
            }
            let value = try pair.next("the value of \(type)")
            try pair.end()
            attributes.append(DistinguishedNameAttribute(type, try Self.value(value, type, name)))
        }
        try self.init(attributes)
    }

    private static func value(
        _ node: ASN1Node, _ type: DistinguishedNameAttributeType, _ name: String
    ) throws(CredentialsError) -> DistinguishedNameAttribute.Value {
        let wrong = CredentialsError(.invalidName, "the \(name) attribute \(type) has a value of the wrong kind")
        guard let octets = node.primitive else { throw wrong }
        switch node.identifier {
        case .utf8String where type == .cat:
            guard let number: UInt32 = HexDigits.number(octets) else { throw wrong }
            return .identifier(UInt64(number))
        case .utf8String where type.isIdentifier:
            guard let number: UInt64 = HexDigits.number(octets) else { throw wrong }
            return .identifier(number)
        case .utf8String: return .utf8String(octets)
        case .printableString: return .printableString(octets)
        case .ia5String: return .ia5String(octets)
        default: throw wrong
        }
    }

    /// Appends the X.509 Name.
    func encode(into coder: inout DER.Serializer) {
        coder.sequence { coder in
            for attribute in attributes {
                coder.sequence(.set) {
                    $0.sequence {
                        $0.primitive(.objectIdentifier, attribute.type.objectIdentifier)
                        switch attribute.value {
                        case .identifier(let number) where attribute.type == .cat:
                            $0.primitive(.utf8String, HexDigits.ascii(UInt32(truncatingIfNeeded: number)))
                        case .identifier(let number): $0.primitive(.utf8String, HexDigits.ascii(number))
                        case .utf8String(let octets): $0.primitive(.utf8String, octets)
                        case .printableString(let octets): $0.primitive(.printableString, octets)
                        case .ia5String(let octets): $0.primitive(.ia5String, octets)
                        }
                    }
                }
            }
        }
    }
}
