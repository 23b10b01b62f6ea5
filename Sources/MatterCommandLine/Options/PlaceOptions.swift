import ArgumentParser
import MatterController

/// Where a device is used, and where it has the time from.
struct PlaceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Where the device is used: ISO 3166-1 code of the country; by default that of the locale.",
            valueName: "CC"))
    var country: String?
    @Option(help: ArgumentHelp("Where the device is used: indoor, outdoor or both.", valueName: "PLACE"))
    var location: LocationArgument?
    @Option(
        help: ArgumentHelp(
            "The time server for the device, if it takes one: an IPv6 address or a name.", valueName: "HOST"))
    var ntp: String?
    @Option(
        help: ArgumentHelp(
            "The node that gives the device the time, if it takes it from one.", valueName: "NODE[/EP]"))
    var timeSource: NodeArgument?

    var countryOrCurrent: String { country ?? CountryCode.current }

    func validate() throws {
        if let country, !CountryCode.isCode(country) {
            throw ValidationError("--country takes two capital letters, such as DE")
        }
        if let ntp, !(1...128).contains(ntp.utf8.count) { throw ValidationError("--ntp is 1 to 128 bytes long") }
    }

    /// - Throws: what finding the node throws.
    func timeSource(_ controller: Controller) async throws -> (node: UInt64, endpoint: UInt16)? {
        guard let timeSource else { return nil }
        let record = try controller.nodes.record(of: timeSource.node)
        return (record.nodeID.rawValue, timeSource.endpoint?.rawValue ?? 0)
    }
}
