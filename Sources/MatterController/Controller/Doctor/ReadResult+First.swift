import MatterState

/// Values of a node whose endpoint does not matter.
extension ReadResult {
    /// The first value of an attribute; `nil` if no endpoint tells it.
    func first<Value: AttributeValue>(_ attribute: TypedAttribute<Value>) -> Value? {
        tlv(attribute.cluster, attribute.id).flatMap { Value(tlv: $0) }
    }

    /// The entries of the first list of an attribute, to be read field by field.
    func entries<Entry: ClusterStructure>(_ attribute: TypedAttribute<[Entry]>) -> [PartialStructure<Entry>]? {
        tlv(attribute.cluster, attribute.id).flatMap { [TLVValue](tlv: $0) }?.compactMap { PartialStructure(tlv: $0) }
    }

    private func tlv(_ cluster: ClusterID, _ attribute: AttributeID) -> TLVValue? {
        attributes.lazy.filter { $0.path.cluster == cluster && $0.path.attribute == attribute }
            .compactMap(\.value).first
    }
}
