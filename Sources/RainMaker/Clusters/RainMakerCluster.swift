import MatterModel

/// The RainMaker cluster (docs/rainmaker.md).
extension RainMakerCluster {
    /// What the device can keep of the text, bytes.
    static let longestNodeID = 40
    static let longestResponse = 150
}
