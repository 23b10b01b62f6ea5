import MatterModel

/// What a scene keeps of an endpoint.
struct SceneValues: Equatable, Sendable {
    /// The attributes that scenes keep, with the field of AttributeValuePairStruct that holds each.
    private static let kept: [(cluster: ClusterID, attribute: AttributeID, field: UInt8)] = [
        (OnOff.id, OnOff.Attribute.onOff, 1), (LevelControl.id, LevelControl.Attribute.currentLevel, 1),
        (ColorControl.id, ColorControl.Attribute.colorTemperatureMireds, 3),
    ]

    private var numbers: [ClusterID: UInt16] = [:]

    init() {}

    /// The present values of an endpoint.
    init(of context: ClusterContext) {
        for (cluster, attribute, _) in Self.kept {
            guard let value = context.sibling(cluster)?[attribute] else { continue }
            numbers[cluster] = value.boolean.map { $0 ? 1 : 0 } ?? value.integer()
        }
    }

    /// - Returns: `nil` if a set names a cluster or an attribute that scenes do not keep.
    init?(fieldSets: [TLVValue]) {
        for set in fieldSets {
            guard
                let kept = Self.kept.first(where: {
                    $0.cluster.rawValue == set.field(ScenesManagement.ExtensionFieldSet.Field.clusterID)?.integer()
                })
            else {
                return nil
            }
            for pair in set.field(ScenesManagement.ExtensionFieldSet.Field.attributeValueList)?.items ?? [] {
                guard
                    pair.field(ScenesManagement.AttributeValuePair.Field.attributeID)?.integer()
                        == kept.attribute.rawValue,
                    let number: UInt16 = pair.field(kept.field)?.integer()
                else { return nil }
                numbers[kept.cluster] = number
            }
        }
    }

    /// ExtensionFieldSetStructs.
    var fieldSets: TLVValue {
        .array(
            of: Self.kept.compactMap { cluster, attribute, field in
                numbers[cluster].map { number in
                    .structure([
                        TLVElement(ScenesManagement.ExtensionFieldSet.Field.clusterID, cluster.tlv),
                        TLVElement(
                            ScenesManagement.ExtensionFieldSet.Field.attributeValueList,
                            .array(of: [
                                .structure([
                                    TLVElement(ScenesManagement.AttributeValuePair.Field.attributeID, attribute.tlv),
                                    TLVElement(field, .number(number)),
                                ])
                            ])
                        ),
                    ])
                }
            })
    }

    func apply(to context: ClusterContext) {
        for (cluster, attribute, _) in Self.kept {
            guard let number = numbers[cluster] else { continue }
            context.sibling(cluster)?[attribute] = cluster == OnOff.id ? .bool(number != 0) : .number(number)
        }
    }
}

struct Scene: Equatable, Sendable {
    var name = ""
    /// In milliseconds.
    var transition: UInt32 = 0
    var values = SceneValues()

    /// What ViewSceneResponse says of it.
    var fields: [TLVElement] {
        [
            TLVElement(ScenesManagement.ViewSceneResponse.Field.transitionTime, .number(transition)),
            TLVElement(ScenesManagement.ViewSceneResponse.Field.sceneName, .string(name)),
            TLVElement(ScenesManagement.ViewSceneResponse.Field.extensionFieldSetStructs, values.fieldSets),
        ]
    }
}

/// The scenes of an endpoint.
struct SceneTable: Equatable, Sendable {
    struct Key: Hashable, Sendable {
        let fabric: UInt8
        let group: UInt16
        let scene: UInt8
    }

    var scenes: [Key: Scene] = [:]
    /// The scene that each fabric stored or recalled last.
    var current: [UInt8: Key] = [:]

    init() {}

    mutating func remove(_ isMeant: (Key) -> Bool) {
        scenes = scenes.filter { !isMeant($0.key) }
        current = current.filter { !isMeant($0.value) }
    }

    mutating func forget(_ fabric: UInt8) { remove { $0.fabric == fabric } }
}
