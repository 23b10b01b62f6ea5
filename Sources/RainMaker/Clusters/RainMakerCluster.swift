import MatterModel

/// The RainMaker cluster (docs/rainmaker.md).
extension RainMakerCluster {
    /// The part of the text that the device can keep, bytes.
    static let longestNodeID = 40
    static let longestResponse = 150
}
