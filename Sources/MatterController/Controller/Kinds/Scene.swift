public import MatterModel

/// A scene by its number, 0 to 254, or by its name on one device.
public enum SceneWord: Sendable, Hashable {
    /// The number of the scene in its group.
    case number(UInt8)
    /// The name that the device keeps with it.
    case name(String)

    /// The scene that a word means; `nil` for a number that no scene can have.
    public init?(_ word: String) {
        guard NameRule.parseNumber(word) != nil else {
            self = .name(word)
            return
        }
        guard let number = UInt8(word), number < 255 else { return nil }
        self = .number(number)
    }

    /// The scene of some that is meant.
    public func scene(among scenes: [KeptScene]) -> KeptScene? {
        switch self {
        case .number(let number): scenes.first { $0.number == number }
        case .name(let name):
            scenes.first { $0.name == name } ?? scenes.first { NameRule.isSame($0.name, name) }
        }
    }

    /// A name has another number on each device, which is asked for it.
    var number: UInt8 { if case .number(let number) = self { number } else { 0 } }
}

/// Scenes, which lights and other devices keep (Matter application cluster specification 1.4).
public enum SceneKind: DeviceKindDeclaration {
    /// As it is typed.
    public static let name = "scene"
    private typealias Info = ScenesManagement.SceneInfo

    /// Not StoreScene, which might keep another state the second time, nor RemoveScene, which would not find it.
    public static var repeatable: [ClusterID: Set<String>] {
        [ScenesManagement.id: ["AddScene", "ViewScene", "RemoveAllScenes", "RecallScene", "GetSceneMembership"]]
    }

    private static let value = ValueForm("a scene, 0–254 or its name", example: "3", any: { SceneWord($0) })
    private static let transition = DeviceKind.Option(.transition, "how long a recall takes")

    /// Scenes, and the devices that keep them.
    public static let kind = DeviceKind(
        name, "Scenes, which lights and other devices keep.",
        details: """
            A scene is meant by its number or, on one device, by its name. All scenes are shown, with the one that is the present \
            state. 'store' gives a new name the first number that is free.
            """, example: "recall hall Evening --transition 2s", trait: "keeps scenes",
        readings: [Reading(ScenesManagement.id, ScenesManagement.Attribute.fabricSceneInfo, "scene", .scene)],
        news: .more { value in
            guard let info = current(value) else { return [] }
            return [
                .init("scene", info.isValid ? .int(Int64(info.scene)) : .null), .init("group", .int(Int64(info.group))),
                .init("count", .int(Int64(info.count))),
            ]
        }, showAliases: ["status", "ls", "list"],
        verbs: [
            .init("store", "Keep the present state as a scene.", value: value, options: [transition]) { scene, _ in
                SceneVerb(.store, scene: scene.number)
            },
            .init(
                "recall", "Bring the state of a scene back.", value: value,
                options: [.init(.transition, "how long the change takes, in place of what the scene says")]
            ) { scene, parameters in
                SceneVerb(.recall, scene: scene.number, transition: parameters.transition)
            },
            .init("remove", "Forget a scene.", value: value) { scene, _ in SceneVerb(.remove, scene: scene.number) },
        ])

    /// The entry of our fabric: the others are not told.
    private static func current(_ value: TLVValue) -> (scene: UInt8, group: UInt16, isValid: Bool, count: UInt8)? {
        guard let info = value.items?.lazy.compactMap({ PartialStructure<Info>(tlv: $0) }).first else { return nil }
        return (
            info[Info.Field.currentScene] ?? 0xFF, info[Info.Field.currentGroup] ?? 0,
            info[Info.Field.sceneValid] ?? false, info[Info.Field.sceneCount] ?? 0
        )
    }

    /// `3, 2 kept`; `none, 2 kept`, if the state is that of no scene.
    static func text(_ value: TLVValue) -> String? {
        guard let info = current(value) else { return nil }
        let scene = info.isValid ? "\(info.scene)" + (info.group > 0 ? " of group \(info.group)" : "") : "none"
        return "\(scene), \(info.count) kept"
    }
}
