extension ConformanceRule {
    /// The rule in words.
    package var text: String {
        switch self {
        case .endpointDescriptor: "Every endpoint has a Descriptor."
        case .endpointNumber: "An endpoint has a number from 0 to 65534."
        case .rootDeviceType: "Endpoint 0 is there, and its device type is Root Node."
        case .rootElsewhere: "No endpoint but 0 has the device type Root Node."
        case .rootApplication: "Endpoint 0 has no device type of an application."
        case .descriptorDeviceTypes:
            "DeviceTypeList has at least one device type, each once, with a revision of 1 or more."
        case .descriptorServerList:
            "ServerList names the clusters that the endpoint answers for, each once, and no other ones."
        case .descriptorPartsRoot: "PartsList of endpoint 0 names all other endpoints."
        case .descriptorPartsList: "PartsList names endpoints of the node, each once, and not the endpoint itself."
        case .descriptorPartsTree:
            "An endpoint is a part of one endpoint at most (Root Node and Aggregator "
                + "apart), and never of its own parts."
        case .descriptorPartsFamily: "PartsList of an Aggregator also names the parts of its parts."
        case .descriptorTags: "TagList has 1 to 6 tags, each once; a manufacturer's tag has a label."
        case .descriptorTagUnknown: "A tag of the standard is one of the specification."
        case .descriptorClosureTag:
            "A Closure has one tag of the namespace Closure, and a Closure Panel one of the namespace Closure Panel."
        case .descriptorSiblings:
            "Endpoints beside each other that have a device type in common have different TagLists."
        case .descriptorUniqueID:
            "EndpointUniqueID has 1 to 32 characters, and differs from that of every other endpoint."
        case .globalMissing:
            "Every cluster has the global attributes AttributeList, FeatureMap, ClusterRevision, "
                + "AcceptedCommandList and GeneratedCommandList."
        case .globalRevision: "ClusterRevision is 1 to 65535."
        case .globalAttributeList: "AttributeList names the attributes that can be read, and no other ones."
        case .globalRepeats: "A list of attributes or commands names each of them once."
        case .nodeGroupcast:
            "From Matter 1.6.1 on, a node with Groups is a listener of Groupcast, with its access lists, and one with "
                + "Binding a sender."
        case .nodeSpecification: "SpecificationVersion names the specification that the node follows."
        case .nodeEvents: "The log of a node has an event: it has started."
        case .nodeReports: "Every report of a node names the attribute that it is about."
        case .clusterUnknown: "A cluster with a number of the standard is one of the specification."
        case .clusterManufacturer: "A cluster of a manufacturer is outside of the data model."
        case .clusterTestVendor: "No cluster has the number of a test vendor."
        case .clusterID:
            "The number of a cluster is in the range of the standard (to 0x7FFF) or "
                + "of a manufacturer (0xFC00 to 0xFFFE)."
        case .clusterProvisional: "A cluster that is provisional is not for products yet."
        case .clusterRevision: "ClusterRevision is that of the specification."
        case .clusterPlacement: "A cluster that is about the whole node is on endpoint 0 only."
        case .clusterClosure: "Window Covering is not beside Closure Control or Closure Dimension."
        case .featureUnknown: "FeatureMap has bits of the specification only."
        case .featureMissing: "A cluster has each feature that is mandatory."
        case .featureNotAllowed: "A cluster has no feature that its other features rule out."
        case .featureChoice: "Of features to choose from, a cluster has one, or at least one where more are allowed."
        case .featureProvisional: "A feature that is provisional is not for products yet."
        case .attributeUnknown: "An attribute with a number of the standard is one of the specification."
        case .attributeMissing: "A cluster has each attribute that is mandatory for its features."
        case .attributeNotAllowed: "A cluster has no attribute that its features rule out."
        case .attributeChoice:
            "Of attributes to choose from, a cluster has one, or at least one where more are allowed."
        case .attributeProvisional: "An attribute that is provisional is not for products yet."
        case .attributeDeprecated: "An attribute that is deprecated is not for new products."
        case .attributeManufacturer: "An attribute of a manufacturer is outside of the data model."
        case .attributeID:
            "The number of an attribute is in the range of the standard (to 0x4FFF), global, or of a manufacturer."
        case .commandUnknown: "A command with a number of the standard is one of the specification."
        case .commandMissing: "A cluster accepts each command that is mandatory for its features."
        case .commandNotAllowed: "A cluster accepts no command that its features rule out."
        case .commandChoice:
            "Of commands to choose from, a cluster accepts one, or at least one where more are allowed."
        case .commandProvisional: "A command that is provisional is not for products yet."
        case .commandDeprecated: "A command that is deprecated is not for new products."
        case .commandManufacturer: "A command of a manufacturer is outside of the data model."
        case .commandID: "The number of a command is in the range of the standard (to 0xFF) or of a manufacturer."
        case .elementTestVendor: "No attribute or command has the number of a test vendor."
        case .responseUnknown: "A response with a number of the standard is one of the specification."
        case .responseMissing: "A cluster generates the response to each command that is mandatory."
        case .responseNotAllowed: "A cluster generates no response that its features rule out."
        case .valueUnreadable: "An attribute that AttributeList names can be read."
        case .valueText: "A text is UTF-8."
        case .valueType: "A value has the type of its attribute."
        case .valueNull: "A value is null only where that is allowed."
        case .valueField: "A structure has all its mandatory fields."
        case .valueRange: "A number is in its range."
        case .valueLength: "A string has no more and no fewer bytes than allowed."
        case .valueCount: "A list has no more and no fewer entries than allowed."
        case .valueEnumeration: "A value of an enumeration is one of the specification."
        case .valueBits: "A bitmap has bits of the specification only."
        case .typeUnknown: "A device type with a number of the standard is one of the specification."
        case .typeManufacturer: "A device type of a manufacturer is outside of the data model."
        case .typeRevision: "The revision of a device type is that of the specification."
        case .typeClusterMissing: "An endpoint has each cluster that its device type makes mandatory."
        case .typeClusterNotAllowed: "An endpoint has no cluster that its device types forbid."
        case .typeClusterChoice:
            "Of clusters to choose from, an endpoint has one, or at least one where more are allowed."
        case .typeClusterExtra:
            "An endpoint has clusters that its device types name, and no other ones of the standard."
        case .typeElementMissing:
            "A cluster has each feature, attribute and command that the device type makes mandatory."
        case .typeElementNotAllowed: "A cluster has no feature, attribute or command that the device type forbids."
        case .typeValue: "A value is in the range that the device type narrows."
        case .typeClient: "An endpoint is a client of each cluster that its device type makes mandatory."
        case .typePart: "A node has the further device types that its device type makes mandatory."
        case .typeCombination: "Device types of applications on one endpoint extend each other."
        case .accessManaged:
            "Access Control has the feature ManagedDevice on a Network Infrastructure Manager only."
        case .powerEndpoints:
            "EndpointList of a Power Source names endpoints of the node; that of a bridged "
                + "device, itself and its parts."
        case .defaultNames: "The names of vendor and product are not those of an example."
        case .defaultVendor: "The vendor id is that of a vendor, not one for tests."
        case .defaultTestCluster: "A product has none of the clusters for tests."
        case .defaultLabels: "FixedLabel is not empty, and not that of an example."
        case .defaultCalendar: "The calendar is one that was chosen, not the first of the list (Buddhist)."
        }
    }

    /// How much a breach matters in a device that is in use.
    var severity: ConformanceSeverity {
        switch self {
        case .endpointDescriptor, .endpointNumber, .rootDeviceType, .rootElsewhere, .descriptorDeviceTypes,
            .descriptorServerList, .descriptorPartsRoot, .descriptorPartsList, .descriptorPartsTree, .globalMissing,
            .globalRevision, .globalAttributeList, .nodeReports, .attributeMissing, .commandMissing,
            .valueUnreadable, .valueType, .valueNull, .valueField, .typeClusterMissing:
            .failure
        case .rootApplication, .descriptorPartsFamily, .descriptorTags, .descriptorSiblings, .descriptorUniqueID,
            .globalRepeats, .nodeEvents, .clusterTestVendor, .clusterID, .clusterPlacement, .clusterClosure,
            .featureUnknown, .featureMissing, .featureNotAllowed, .featureChoice, .attributeUnknown,
            .attributeNotAllowed, .attributeChoice, .attributeID, .commandUnknown, .commandNotAllowed,
            .commandChoice, .commandID, .responseUnknown, .responseMissing, .responseNotAllowed, .valueRange,
            .valueLength, .valueCount, .valueEnumeration, .valueBits, .valueText, .elementTestVendor, .accessManaged,
            .typeClusterNotAllowed, .typeClusterChoice,
            .typeElementMissing, .typeElementNotAllowed, .typeValue, .typePart, .typeCombination, .powerEndpoints,
            .defaultTestCluster:
            .warning
        case .nodeSpecification, .nodeGroupcast, .descriptorTagUnknown, .descriptorClosureTag,
            .clusterUnknown, .clusterManufacturer, .clusterProvisional, .clusterRevision,
            .featureProvisional, .attributeProvisional, .attributeDeprecated, .attributeManufacturer,
            .commandProvisional, .commandDeprecated, .commandManufacturer, .typeUnknown, .typeManufacturer,
            .typeRevision, .typeClusterExtra, .typeClient, .defaultNames, .defaultVendor, .defaultLabels,
            .defaultCalendar:
            .note
        }
    }

    /// How much it matters to the maker of a device.
    var strictSeverity: ConformanceSeverity {
        switch self {
        case .endpointDescriptor, .endpointNumber, .rootDeviceType, .rootElsewhere, .rootApplication,
            .descriptorDeviceTypes, .descriptorServerList, .descriptorPartsRoot, .descriptorPartsList,
            .descriptorPartsTree, .descriptorPartsFamily, .descriptorTags, .descriptorTagUnknown,
            .descriptorClosureTag, .descriptorSiblings, .descriptorUniqueID,
            .globalMissing, .globalRevision, .globalAttributeList, .globalRepeats, .nodeSpecification, .nodeGroupcast,
            .nodeEvents,
            .nodeReports, .clusterUnknown, .clusterTestVendor, .clusterID, .clusterProvisional, .clusterRevision,
            .clusterPlacement, .clusterClosure, .featureUnknown, .featureMissing, .featureNotAllowed, .featureChoice,
            .featureProvisional, .attributeUnknown, .attributeMissing, .attributeNotAllowed, .attributeChoice,
            .attributeProvisional, .attributeDeprecated, .attributeID, .commandUnknown, .commandMissing,
            .commandNotAllowed, .commandChoice, .commandProvisional, .commandDeprecated, .commandID,
            .responseUnknown, .responseMissing, .responseNotAllowed, .valueUnreadable, .valueType, .valueNull,
            .valueField, .valueRange, .valueLength, .valueCount, .valueEnumeration, .valueBits, .valueText,
            .elementTestVendor, .accessManaged, .typeUnknown, .typeRevision, .typeClusterMissing,
            .typeClusterNotAllowed, .typeClusterChoice, .typeClusterExtra,
            .typeElementMissing, .typeElementNotAllowed, .typeValue, .typePart, .typeCombination, .powerEndpoints,
            .defaultTestCluster:
            .failure
        case .typeClient, .defaultNames, .defaultVendor, .defaultLabels, .defaultCalendar:
            .warning
        case .clusterManufacturer, .attributeManufacturer, .commandManufacturer, .typeManufacturer:
            .note
        }
    }
}
