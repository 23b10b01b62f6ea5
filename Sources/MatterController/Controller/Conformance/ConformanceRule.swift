/// How much a finding matters.
public enum ConformanceSeverity: String, Sendable, CaseIterable, Comparable {
    /// Something to know.
    case note
    /// Something that a controller can do with.
    case warning
    /// Something that controllers stumble over; with strict rules, something that a certification would not let pass.
    case failure

    /// Ordered by how much they matter.
    public static func < (one: ConformanceSeverity, other: ConformanceSeverity) -> Bool { one.rank < other.rank }

    private var rank: Int {
        switch self {
        case .note: 0
        case .warning: 1
        case .failure: 2
        }
    }

    /// The next milder one.
    var milder: ConformanceSeverity { self == .failure ? .warning : .note }
}

/// A rule of the data model, or of how its parts go together (Matter core specification, chapters 7 and 9).
///
/// A raw value is stable and meant for programs.
package enum ConformanceRule: String, Sendable, CaseIterable {
    /// Every endpoint has a Descriptor.
    case endpointDescriptor = "endpoint.descriptor"
    /// An endpoint has a number from 0 to 65534.
    case endpointNumber = "endpoint.number"
    /// Endpoint 0 is there, and its device type is Root Node.
    case rootDeviceType = "root.device-type"
    /// No endpoint but 0 has the device type Root Node.
    case rootElsewhere = "root.elsewhere"
    /// Endpoint 0 has no device type of an application.
    case rootApplication = "root.application-type"
    /// DeviceTypeList has at least one device type, each once, with a revision of 1 or more.
    case descriptorDeviceTypes = "descriptor.device-types"
    /// ServerList names the clusters that the endpoint answers for, each once, and no other ones.
    case descriptorServerList = "descriptor.server-list"
    /// PartsList of endpoint 0 names all other endpoints.
    case descriptorPartsRoot = "descriptor.parts-root"
    /// PartsList names endpoints of the node, each once, and not the endpoint itself.
    case descriptorPartsList = "descriptor.parts-list"
    /// An endpoint is a part of one endpoint at most (Root Node and Aggregator apart), and never of its own parts.
    case descriptorPartsTree = "descriptor.parts-tree"
    /// PartsList of an Aggregator also names the parts of its parts.
    case descriptorPartsFamily = "descriptor.parts-family"
    /// TagList has 1 to 6 tags, each once; a manufacturer's tag has a label.
    case descriptorTags = "descriptor.tags"
    /// A tag of the standard is one of the specification.
    case descriptorTagUnknown = "descriptor.tag-unknown"
    /// A Closure has one tag of the namespace Closure, and a Closure Panel one of the namespace Closure Panel.
    case descriptorClosureTag = "descriptor.closure-tag"
    /// Endpoints beside each other that have a device type in common have different TagLists.
    case descriptorSiblings = "descriptor.siblings"
    /// EndpointUniqueID has 1 to 32 characters, and differs from that of every other endpoint.
    case descriptorUniqueID = "descriptor.unique-id"
    /// Every cluster has the global attributes AttributeList, FeatureMap, ClusterRevision, AcceptedCommandList and GeneratedCommandList.
    case globalMissing = "global.missing"
    /// ClusterRevision is 1 to 65535.
    case globalRevision = "global.revision"
    /// AttributeList names the attributes that can be read, and no other ones.
    case globalAttributeList = "global.attribute-list"
    /// A list of attributes or commands names each of them once.
    case globalRepeats = "global.repeats"
    /// From Matter 1.6.1 on, a node with Groups is a listener of Groupcast, with its access lists, and one with Binding a sender.
    case nodeGroupcast = "node.groupcast"
    /// SpecificationVersion names the specification that the node follows.
    case nodeSpecification = "node.specification-version"
    /// The log of a node has an event: it has started.
    case nodeEvents = "node.events"
    /// Every report of a node names the attribute that it is about.
    case nodeReports = "node.reports"
    /// A cluster with a number of the standard is one of the specification.
    case clusterUnknown = "cluster.unknown"
    /// A cluster of a manufacturer is outside of the data model.
    case clusterManufacturer = "cluster.manufacturer"
    /// No cluster has the number of a test vendor.
    case clusterTestVendor = "cluster.test-vendor"
    /// The number of a cluster is in the range of the standard (to 0x7FFF) or of a manufacturer (0xFC00 to 0xFFFE).
    case clusterID = "cluster.id"
    /// A cluster that is provisional is not for products yet.
    case clusterProvisional = "cluster.provisional"
    /// ClusterRevision is that of the specification.
    case clusterRevision = "cluster.revision"
    /// A cluster that is about the whole node is on endpoint 0 only.
    case clusterPlacement = "cluster.placement"
    /// Window Covering is not beside Closure Control or Closure Dimension.
    case clusterClosure = "cluster.closure"
    /// FeatureMap has bits of the specification only.
    case featureUnknown = "feature.unknown"
    /// A cluster has each feature that is mandatory.
    case featureMissing = "feature.missing"
    /// A cluster has no feature that its other features rule out.
    case featureNotAllowed = "feature.not-allowed"
    /// Of features to choose from, a cluster has one, or at least one where more are allowed.
    case featureChoice = "feature.choice"
    /// A feature that is provisional is not for products yet.
    case featureProvisional = "feature.provisional"
    /// An attribute with a number of the standard is one of the specification.
    case attributeUnknown = "attribute.unknown"
    /// A cluster has each attribute that is mandatory for its features.
    case attributeMissing = "attribute.missing"
    /// A cluster has no attribute that its features rule out.
    case attributeNotAllowed = "attribute.not-allowed"
    /// Of attributes to choose from, a cluster has one, or at least one where more are allowed.
    case attributeChoice = "attribute.choice"
    /// An attribute that is provisional is not for products yet.
    case attributeProvisional = "attribute.provisional"
    /// An attribute that is deprecated is not for new products.
    case attributeDeprecated = "attribute.deprecated"
    /// An attribute of a manufacturer is outside of the data model.
    case attributeManufacturer = "attribute.manufacturer"
    /// The number of an attribute is in the range of the standard (to 0x4FFF), global, or of a manufacturer.
    case attributeID = "attribute.id"
    /// A command with a number of the standard is one of the specification.
    case commandUnknown = "command.unknown"
    /// A cluster accepts each command that is mandatory for its features.
    case commandMissing = "command.missing"
    /// A cluster accepts no command that its features rule out.
    case commandNotAllowed = "command.not-allowed"
    /// Of commands to choose from, a cluster accepts one, or at least one where more are allowed.
    case commandChoice = "command.choice"
    /// A command that is provisional is not for products yet.
    case commandProvisional = "command.provisional"
    /// A command that is deprecated is not for new products.
    case commandDeprecated = "command.deprecated"
    /// A command of a manufacturer is outside of the data model.
    case commandManufacturer = "command.manufacturer"
    /// The number of a command is in the range of the standard (to 0xFF) or of a manufacturer.
    case commandID = "command.id"
    /// No attribute or command has the number of a test vendor.
    case elementTestVendor = "element.test-vendor"
    /// A response with a number of the standard is one of the specification.
    case responseUnknown = "response.unknown"
    /// A cluster generates the response to each command that is mandatory.
    case responseMissing = "response.missing"
    /// A cluster generates no response that its features rule out.
    case responseNotAllowed = "response.not-allowed"
    /// An attribute that AttributeList names can be read.
    case valueUnreadable = "value.unreadable"
    /// A text is UTF-8.
    case valueText = "value.text"
    /// A value has the type of its attribute.
    case valueType = "value.type"
    /// A value is null only where that is allowed.
    case valueNull = "value.null"
    /// A structure has all its mandatory fields.
    case valueField = "value.field"
    /// A number is in its range.
    case valueRange = "value.range"
    /// A string has no more and no fewer bytes than allowed.
    case valueLength = "value.length"
    /// A list has no more and no fewer entries than allowed.
    case valueCount = "value.count"
    /// A value of an enumeration is one of the specification.
    case valueEnumeration = "value.enumeration"
    /// A bitmap has bits of the specification only.
    case valueBits = "value.bits"
    /// A device type with a number of the standard is one of the specification.
    case typeUnknown = "device-type.unknown"
    /// A device type of a manufacturer is outside of the data model.
    case typeManufacturer = "device-type.manufacturer"
    /// The revision of a device type is that of the specification.
    case typeRevision = "device-type.revision"
    /// An endpoint has each cluster that its device type makes mandatory.
    case typeClusterMissing = "device-type.cluster-missing"
    /// An endpoint has no cluster that its device types forbid.
    case typeClusterNotAllowed = "device-type.cluster-not-allowed"
    /// Of clusters to choose from, an endpoint has one, or at least one where more are allowed.
    case typeClusterChoice = "device-type.cluster-choice"
    /// An endpoint has clusters that its device types name, and no other ones of the standard.
    case typeClusterExtra = "device-type.cluster-extra"
    /// A cluster has each feature, attribute and command that the device type makes mandatory.
    case typeElementMissing = "device-type.element-missing"
    /// A cluster has no feature, attribute or command that the device type forbids.
    case typeElementNotAllowed = "device-type.element-not-allowed"
    /// A value is in the range that the device type narrows.
    case typeValue = "device-type.value"
    /// An endpoint is a client of each cluster that its device type makes mandatory.
    case typeClient = "device-type.client"
    /// A node has the further device types that its device type makes mandatory.
    case typePart = "device-type.part"
    /// Device types of applications on one endpoint extend each other.
    case typeCombination = "device-type.combination"
    /// Access Control has the feature ManagedDevice on a Network Infrastructure Manager only.
    case accessManaged = "access-control.managed"
    /// EndpointList of a Power Source names endpoints of the node; that of a bridged device, itself and its parts.
    case powerEndpoints = "power-source.endpoints"
    /// The names of vendor and product are not those of an example.
    case defaultNames = "default.names"
    /// The vendor id is that of a vendor, not one for tests.
    case defaultVendor = "default.vendor"
    /// A product has none of the clusters for tests.
    case defaultTestCluster = "default.test-cluster"
    /// FixedLabel is not empty, and not that of an example.
    case defaultLabels = "default.labels"
    /// The calendar is one that was chosen, not the first of the list (Buddhist).
    case defaultCalendar = "default.calendar"
}
