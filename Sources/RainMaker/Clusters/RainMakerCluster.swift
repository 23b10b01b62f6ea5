/// The RainMaker cluster (reference, 3.1).
package enum RainMakerCluster {
    package static let id: UInt32 = 0x131B_FC00

    static let nodeID: UInt32 = 0x0001
    static let challengeResponse: UInt32 = 0x0002
    static let challenge: UInt32 = 0x0003
    static let signData: UInt32 = 0x01
    /// What the device can keep of the text, octets.
    static let longestNodeID = 40
    static let longestResponse = 150
}
