package import MatterCrypto

extension AttestationFiles {
    /// The part that a virtual device needs of them.
    ///
    /// - Parameter path: where they came from.
    /// - Throws: `simulator.invalid-attestation` if something is missing.
    package func credentials(_ path: String) throws(SimulatorError) -> DeviceAttestationCredentials {
        func require<Part>(_ part: Part?, _ what: String) throws(SimulatorError) -> Part {
            guard let part else {
                throw SimulatorError(.invalidAttestation, "\(path) has no file or member that is the \(what)")
            }
            return part
        }
        return DeviceAttestationCredentials(
            dac: try require(dac, "device certificate (dac)"), pai: try require(pai, "intermediate certificate (pai)"),
            certificationDeclaration: try require(declaration, "certification declaration (cd)"),
            key: try require(key, "key"))
    }
}
