/// The requirements of a device type (Matter device library specification).
public struct DeviceTypeDefinition: Sendable, Hashable {
    /// The number in the DeviceTypeList.
    public var id: DeviceTypeID
    /// As printed: `Dimmable Light`.
    public var label: String
    /// `DimmableLight`.
    public var name: String
    /// The newest revision in the model.
    public var revision: UInt16?
    /// `Simple`, `Utility`, `Node`.
    package var deviceClass: String
    /// `Endpoint` or `Node`; empty where the model says nothing.
    public var scope: String
    /// The device type that this one extends.
    package var superset: DeviceTypeID?
    /// Clusters that it must serve.
    package var requiredServerClusters: [ClusterID]
    /// Clusters that it may serve.
    package var optionalServerClusters: [ClusterID]
    /// Clusters that it must be a client of.
    package var requiredClientClusters: [ClusterID]
    /// Clusters that it may be a client of.
    package var optionalClientClusters: [ClusterID]
}

/// An Interaction Model status code (Matter core specification, section 8.10.1).
public struct StatusCodeDefinition: Sendable, Hashable {
    /// The number on the wire.
    public var code: UInt8
    /// `UnsupportedEndpoint`.
    public var name: String
    /// `UNSUPPORTED_ENDPOINT`.
    package var specificationName: String
}
