import MatterNetwork

/// An update that a provider offers, as far as the device can take it (Matter core specification 11.20.6.5).
struct UpdateOffer: Equatable, Sendable {
    var version: UInt32
    var token: [UInt8]
    /// The name of the file for ``BDXReceiver``.
    var designator: [UInt8]

    /// - Parameters:
    ///   - answer: one with the status UpdateAvailable.
    ///   - running: the present version.
    init(
        _ answer: OtaSoftwareUpdateProvider.QueryImageResponse, from provider: UpdateProvider, running: UInt32
    ) throws(UpdateFailure) {
        guard let uri = answer.imageURI, let version = answer.softwareVersion, let token = answer.updateToken,
            answer.softwareVersionString != nil
        else { throw UpdateFailure("the offer is not complete") }
        guard (8...32).contains(token.count) else { throw UpdateFailure("a token of \(token.count) octets") }
        guard version > running else { throw UpdateFailure("version \(version) is not newer than \(running)") }
        let origin = "bdx://\(provider.node)/"
        guard uri.hasPrefix(origin), uri.utf8.count > origin.utf8.count else {
            throw UpdateFailure("the image is not at the provider: \(uri)")
        }
        self.version = version
        self.token = token
        designator = Array(uri.utf8.dropFirst(origin.utf8.count))
    }
}
