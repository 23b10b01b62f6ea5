import MatterBase
import MatterCrypto
import MatterModel
import TestSupport
import Testing

@testable import MatterController

/// The commands of networks and of the time, beside what the official controller's Python definitions make of them.
@Suite("Encodings of commissioning commands") struct NetworkEncodingTests {
    private static let ssid: [UInt8] = [0x68, 0x6F, 0x6D, 0x65]

    private static var cases: [(CommissioningCommand, String, ours: String)] {
        func network(_ command: NetworkCommissioningCommand, _ python: String, _ ours: String) -> (
            CommissioningCommand, String, ours: String
        ) {
            (.network(command, endpoint: 0, breadcrumb: 7, seconds: 0), "NetworkCommissioning.Commands." + python, ours)
        }
        return [
            network(.scan(ssid: nil), "ScanNetworks(breadcrumb=7)", "1524010718"),
            network(.scan(ssid: ssid), "ScanNetworks(ssid=b'home', breadcrumb=7)", "153000 04686f6d65 24010718"),
            network(
                .addWiFi(ssid: ssid, credentials: SecretBytes(Array("password".utf8))),
                "AddOrUpdateWiFiNetwork(ssid=b'home', credentials=b'password', breadcrumb=7)",
                "153000 04686f6d65 300108 70617373776f7264 24020718"),
            network(
                .addThread(dataset: SecretBytes([0x0E, 0x01, 0xFF])),
                "AddOrUpdateThreadNetwork(operationalDataset=b'\\x0e\\x01\\xff', breadcrumb=7)",
                "153000 030e01ff 24010718"),
            network(.remove(ssid), "RemoveNetwork(networkID=b'home', breadcrumb=7)", "153000 04686f6d65 24010718"),
            network(.connect(ssid), "ConnectNetwork(networkID=b'home', breadcrumb=7)", "153000 04686f6d65 24010718"),
            network(
                .reorder(ssid, index: 1), "ReorderNetwork(networkID=b'home', networkIndex=1, breadcrumb=7)",
                "153000 04686f6d65 240101 24020718"),
            (
                .setDefaultNTP("fd00::1"), "TimeSynchronization.Commands.SetDefaultNTP(defaultNTP='fd00::1')",
                "152c00 07666430303a3a31 18"
            ),
            (
                .setTrustedTimeSource(node: 5, endpoint: 0),
                "TimeSynchronization.Commands.SetTrustedTimeSource(trustedTimeSource="
                    + "c.TimeSynchronization.Structs.FabricScopedTrustedTimeSourceStruct(nodeID=5, endpoint=0))",
                "153500 240005 240100 1818"
            ),
        ]
    }

    @Test("the bytes are those of the specification, and of the official definitions where they are installed")
    func bytes() throws {
        for (command, python, digits) in Self.cases {
            let ours = hexString(TLVElement(.anonymous, command.command.fields).encoded())
            #expect(ours == digits.filter { $0 != " " }, "\(python)")
            guard PeerPython.hasController else { continue }
            let program = """
                from chip.clusters import Objects as c
                print(c.\(python).ToTLV().hex())
                """
            #expect(try PeerPython.run("-c", program).output == ours + "\n", "\(python)")
        }
    }
}
