import MatterModel

/// The part that a scene keeps of an endpoint.
struct SceneValues: Equatable, Sendable {
    private typealias Pair = ScenesManagement.AttributeValuePair

    /// The attributes that scenes keep, and whether a value takes two octets instead of one.
    private static let kept: [(cluster: ClusterID, attribute: AttributeID, isWide: Bool)] = [
        (OnOff.id, OnOff.Attribute.onOff, false), (LevelControl.id, LevelControl.Attribute.currentLevel, false),
        (ColorControl.id, ColorControl.Attribute.colorTemperatureMireds, true),
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
    init?(fieldSets: [ScenesManagement.ExtensionFieldSet]) {
        for set in fieldSets {
            guard let kept = Self.kept.first(where: { $0.cluster == set.clusterID }) else { return nil }
            for pair in set.attributeValueList {
                guard pair.attributeID == kept.attribute,
                    let number = kept.isWide ? pair.valueUnsigned16 : pair.valueUnsigned8.map(UInt16.init)
                else { return nil }
                numbers[kept.cluster] = number
            }
        }
    }

    /// ExtensionFieldSetStructs.
    var fieldSets: [ScenesManagement.ExtensionFieldSet] {
        Self.kept.compactMap { cluster, attribute, isWide in
            numbers[cluster].map { number in
                let pair =
                    isWide
                    ? Pair(attributeID: attribute, valueUnsigned16: number)
                    : Pair(attributeID: attribute, valueUnsigned8: UInt8(clamping: number))
                return .init(clusterID: cluster, attributeValueList: [pair])
            }
        }
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
}

/// The scenes of an endpoint (Matter application cluster specification 1.4).
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
