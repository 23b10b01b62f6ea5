import MatterState

/// The identity protection key while it is rotated: nodes may know us by either of two.
extension FabricContext {
    /// The rotation of the identity key that is under way, with its keys; `nil` if there is none.
    private func identityTurn() throws -> KeyTurn? {
        let fabric = try fabric()
        let store = JobStore(options.state, fabric: fabric.name, identity: fabric.compressedFabricID)
        guard let job = try store.sound().jobs.last(where: { $0.kind == .identityKey && $0.isRotating }),
            let rotation = job.rotation, let secret = try store.identityKey(of: job.id)
        else { return nil }
        return KeyTurn(rotation, secret: secret)
    }

    /// Credentials under which a node may know us, if it does not know those: the key was rotated since this process began, or is being
    /// rotated.
    func otherCredentials(than held: OperationalCredentials) -> [OperationalCredentials] {
        forgetCredentials()
        var keys: [SecretBytes] = []
        if let current = try? credentials().ipkEpochKey { keys.append(current) }
        if let turn = (try? identityTurn()) ?? nil { keys += [turn.new, turn.old] }
        var others: [OperationalCredentials] = []
        for key in keys where key != held.ipkEpochKey && !others.contains(where: { $0.ipkEpochKey == key }) {
            if let other = try? held.replacing(ipkEpochKey: key) { others.append(other) }
        }
        return others
    }

    /// Makes sure, once a device is written down and before it gets an identity key, that this key is one by which it will be found.
    ///
    /// - Throws: ``JobError`` `keyChanged`.
    func checkIdentityKey(_ held: SecretBytes) throws {
        let fabric = try fabric()
        let isUsable =
            if let turn = try identityTurn() {
                held == turn.new
                    ? turn.rotation.isUsable(new: true) : held == turn.old && turn.rotation.isUsable(new: false)
            } else {
                try fabrics.credentials(of: fabric).ipkEpochKey == held
            }
        guard !isUsable else { return }
        throw JobError(
            .keyChanged, "the identity key of the fabric was rotated while this command ran",
            hint: .step("command.again"))
    }
}
