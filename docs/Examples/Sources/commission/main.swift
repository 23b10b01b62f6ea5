import MatterController

// commission CODE NAME [FOLDER]: the folder has the certificates of attestation authorities to trust.
let words = Array(CommandLine.arguments.dropFirst())
let home = try Controller(home: .default, fabric: "home")
if words.count >= 2 {
    do {
        let trust = words.count > 2 ? TrustPolicy.folder(words[2], testDevices: true) : TrustPolicy()
        let node = try await home.commission(words[0], name: words[1], trust: trust)
        print("\(node) is on the fabric with the id \(node.id)")
    } catch let error as MatterError where error.code == .attestationRefused {
        print("the device cannot prove its origin: \(error)")
    } catch let error as MatterError {
        print("not commissioned: \(error)")
    }
} else {
    print("usage: commission CODE NAME [FOLDER]")
}
await home.close()
