import MatterController

/// Gives certificates to the devices of one vendor only.
struct Gatekeeper: NodeIssuer {
    struct Refusal: Error, CustomStringConvertible { let description: String }

    let authority: FabricAuthority
    let vendor: UInt16

    func issue(_ request: NodeIssueRequest) async throws -> String {
        guard request.vendorID == vendor else {
            throw Refusal(description: "devices of vendor \(request.vendorID.map { "\($0)" } ?? "?") are not for us")
        }
        return try await authority.issue(request)
    }

    func confirm(_ receipt: String, node: UInt64) async throws { print("certificate \(receipt) is at node \(node)") }
}

// issuer CODE VENDOR [FOLDER]: commissions a device onto a fabric that exists, if it is one of a vendor (a number).
let words = Array(CommandLine.arguments.dropFirst())
guard words.count >= 2, let vendor = UInt16(words[1]) else { fatalError("usage: issuer CODE VENDOR [FOLDER]") }
let home = try Controller(fabric: "home")
do {
    let trust = words.count > 2 ? TrustPolicy.folder(words[2], testDevices: true) : TrustPolicy()
    let gatekeeper = Gatekeeper(authority: try home.authority(), vendor: vendor)
    let node = try await home.commission(words[0], trust: trust, issuer: .issuer(gatekeeper))
    print("\(node) is on the fabric")
} catch let error as MatterError {
    print("not commissioned: \(error)")
}
await home.close()
