/// The TXT record of a node of a fabric (Matter core specification 4.3.2): nothing beyond timing
/// and transport.
package struct OperationalRecord: Hashable, Sendable {
    package var parameters: AdvertisedParameters

    package init(parameters: AdvertisedParameters = AdvertisedParameters()) { self.parameters = parameters }

    /// Reads the keys; a value that is not valid counts as absent.
    package init(_ txt: TXTRecord) { self.init(parameters: AdvertisedParameters(txt)) }

    /// The record for a node of our own.
    func txt() throws(DiscoveryError) -> TXTRecord { try TXTRecord(parameters.pairs) }
}
