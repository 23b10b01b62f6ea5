import MatterController

// wifi-over-bluetooth CODE SSID PASSWORD [FOLDER]: finds a new device over Bluetooth, brings it to a Wi-Fi network, and tells each
// stage. FOLDER has the certificates of attestation authorities to trust.
let words = Array(CommandLine.arguments.dropFirst())
guard words.count >= 3 else { fatalError("usage: wifi-over-bluetooth CODE SSID PASSWORD [FOLDER]") }
var settings = CommissioningSettings(room: "Hall")
settings.way = .bluetooth
settings.networks = [.wifi(words[1], password: words[2])]
if words.count > 3 { settings.trust = .folder(words[3], testDevices: true) }
let home = try Controller(fabric: "home")
do {
    for try await update in home.commissioning(words[0], settings) {
        switch update {
        case .began(let stage): print("\(stage.rawValue) …")
        case .ended(let stage, let time): print("\(stage.rawValue) took \(time)")
        case .failed(let stage, _): print("\(stage.rawValue) failed")
        case .note(let text), .warning(let text): print(text)
        case .commissioned(let node): print("\(node) is on the fabric, in the room \(node.room ?? "?")")
        }
    }
} catch let error as MatterError {
    print("not commissioned: \(error)")
}
await home.close()
