import MatterBase

/// Names for numbers that are ids: clusters, device types, the attributes and commands of a cluster,
/// the version of the specification. For people; programs get the numbers.
struct Glossary: Sendable {
    private let catalogue: Catalogue

    init(_ catalogue: Catalogue) {
        self.catalogue = catalogue
    }

    /// The name with the number behind it; `nil` for types whose numbers are no ids.
    func name(_ number: UInt64, as type: DataType) -> String? {
        guard let id = UInt32(exactly: number) else { return nil }
        return switch type.format {
        case .clusterID: Self.text(catalogue.clusterName(ClusterID(id)).map(NameStyle.kebab), id)
        case .deviceTypeID: Self.text(catalogue.deviceType(DeviceTypeID(id))?.label, id)
        case nil where type.name == "vendor-id":
            UInt16(exactly: id).flatMap(VendorNames.name(of:)).map { "\($0) (\(hexadecimal(id)))" }
        default: nil
        }
    }

    /// The value of an attribute whose numbers are those of attributes or commands of its own cluster, or a version, or of one
    /// that is said in words; `nil` for every other attribute.
    func json(_ value: TLVValue, cluster: ClusterID, attribute: AttributeID) -> JSONValue? {
        if cluster == BasicInformation.id, attribute == BasicInformation.Attribute.specificationVersion {
            return value.integer().flatMap(Self.version).map { .string($0) }
        }
        if cluster == OnOff.id, attribute == OnOff.Attribute.onOff, case .bool(let isOn) = value {
            return .string(isOn ? "on" : "off")
        }
        guard AttributeDefinition.isGlobal(attribute), case .array(let items) = value else {
            return nil
        }
        let definition = catalogue.cluster(cluster)
        let name: (UInt32) -> String?
        switch attribute {
        case GlobalAttribute.generatedCommandList: name = { definition?.response(CommandID($0))?.name }
        case GlobalAttribute.acceptedCommandList: name = { definition?.command(CommandID($0))?.name }
        case GlobalAttribute.attributeList: name = { catalogue.attribute(cluster: cluster, AttributeID($0))?.name }
        default: return nil
        }
        return .array(
            items.map { item in
                guard let id = item.value.integer(as: UInt32.self) else {
                    return JSONValue(item.value)
                }
                return .string(Self.text(name(id).map(NameStyle.kebab), id))
            })
    }

    private static func text(_ name: String?, _ id: UInt32) -> String {
        name.map { "\($0) (\(hexadecimal(id)))" } ?? hexadecimal(id)
    }

    // MARK: The version

    /// `1.6`, or `1.4.2`: one byte each for major, minor and patch, and one that is reserved (Matter core specification,
    /// 11.1.5.22).
    private static func version(_ number: UInt64) -> String? {
        guard let number = UInt32(exactly: number), number != 0 else { return nil }
        let (major, minor, patch) = (number >> 24, number >> 16 & 0xFF, number >> 8 & 0xFF)
        return "\(major).\(minor)" + (patch == 0 ? "" : ".\(patch)")
    }
}
