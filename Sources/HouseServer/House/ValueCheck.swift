import MatterController

/// Values of devices, encoded; one that breaks the rules of its attribute would end the clients' connections, and is left out.
struct ValueCheck: Sendable {
    static let standard = ValueCheck(catalogue: .standard)

    let catalogue: Catalogue

    func encoded(_ value: TLVValue, at path: ConcreteAttributePath) -> [UInt8]? {
        if let attribute = catalogue.attribute(cluster: path.cluster, path.attribute),
            !ValueSoundness.isSound(value, as: attribute.type)
        {
            return nil
        }
        var octets: [UInt8] = []
        ValueEncoding.append(value, to: &octets)
        return octets
    }
}
