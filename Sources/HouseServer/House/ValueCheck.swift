import MatterController

/// A check of the values of devices: one that breaks the rules of its attribute would end the clients' connections, and is left
/// out.
struct ValueCheck: Sendable {
    static let standard = ValueCheck(catalogue: .standard)

    let catalogue: Catalogue

    func isSound(_ path: ConcreteAttributePath, _ value: TLVValue) -> Bool {
        guard let attribute = catalogue.attribute(cluster: path.cluster, path.attribute) else { return true }
        return ValueSoundness.isSound(value, as: attribute.type)
    }
}
