import MatterBase

extension TLVFields {
    func id<ID: DataModelID>(_ tag: UInt8) throws(TLVError) -> ID where ID.RawValue: UnsignedInteger {
        ID(try unsigned(tag))
    }

    func optionalID<ID: DataModelID>(_ tag: UInt8) throws(TLVError) -> ID? { try optionalUnsigned(tag).map { ID($0) } }
}

extension TLVElement {
    static func id(_ tag: UInt8, _ id: (some DataModelID)?) -> TLVElement? { .unsigned(tag, id?.rawValue) }
}
