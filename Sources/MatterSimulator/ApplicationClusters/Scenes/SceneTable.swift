import MatterBase
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
            guard let kept = Self.kept.first(where: { $0.cluster.rawValue == set.field(0)?.integer() }) else {
                return nil
            }
            for pair in set.field(1)?.items ?? [] {
                guard pair.field(0)?.integer() == kept.attribute.rawValue,
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
                        TLVElement(0, cluster.tlv),
                        TLVElement(
                            1,
                            .array(of: [.structure([TLVElement(0, attribute.tlv), TLVElement(field, .number(number))])])
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
        [TLVElement(3, .number(transition)), TLVElement(4, .string(name)), TLVElement(5, values.fieldSets)]
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

extension SceneTable {
    var tlv: TLVValue {
        .array(
            of: scenes.map { key, scene in
                .structure(
                    [
                        TLVElement(0, .number(key.fabric)), TLVElement(1, .number(key.group)),
                        TLVElement(2, .number(key.scene)),
                    ] + scene.fields)
            })
    }

    init(tlv: TLVValue) throws(TLVError) {
        for item in tlv.items ?? [] {
            let fields = try TLVFields(item, "scene")
            let key = Key(
                fabric: try fields.unsigned(0), group: try fields.unsigned(1), scene: try fields.unsigned(2))
            scenes[key] = Scene(
                name: try fields.string(4), transition: try fields.unsigned(3),
                values: SceneValues(fieldSets: try fields.array(5)) ?? SceneValues())
        }
    }
}
