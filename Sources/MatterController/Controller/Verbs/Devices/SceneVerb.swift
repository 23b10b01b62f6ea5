public import MatterModel

/// Keeps the state of an endpoint as a scene, and brings it back (Matter application cluster specification 1.4.9).
public struct SceneVerb: DeviceVerb {
    /// An action on a scene.
    public enum Action: Sendable, Hashable {
        /// The action on the scene.
        case store
        /// The action on the scene.
        case recall
        /// The action on the scene.
        case remove
    }

    /// The cluster that is controlled.
    public let cluster = ScenesManagement.id
    private let action: Action
    private let group: UInt16
    private let scene: UInt8
    /// In milliseconds.
    private let transition: UInt32?

    /// - Parameters:
    ///   - scene: 0 to 254.
    ///   - group: 0 for the scenes of no group.
    ///   - transition: of a scene that is recalled, in place of its own.
    public init(_ action: Action, scene: UInt8, group: UInt16 = 0, transition: Duration? = nil) {
        self.action = action
        self.scene = scene
        self.group = group
        self.transition = transition.map { UInt32(clamping: Int64($0 / .milliseconds(1))) }
    }

    /// The same for the scenes of a group.
    ///
    /// - Parameters:
    ///   - group: 0 for the scenes of no group.
    ///   - scene: 0 to 254; `nil` for the same.
    public func of(_ group: UInt16, scene: UInt8?) -> SceneVerb {
        SceneVerb(action, scene: scene ?? self.scene, group: group, transition: transition.map { .milliseconds($0) })
    }

    /// The commands for a device with these facts.
    ///
    /// - Throws: ``ControllerError`` if the device cannot do it.
    public func request(_ facts: DeviceFacts) -> DeviceRequest {
        let info = ScenesManagement.Attribute.fabricSceneInfo
        switch action {
        case .store:
            return DeviceRequest(ScenesManagement.StoreScene(groupID: group, sceneID: scene), attribute: info)
        case .recall:
            let time = transition.map { UInt32?.some($0) }
            return DeviceRequest(
                ScenesManagement.RecallScene(groupID: group, sceneID: scene, transitionTime: time), attribute: info)
        case .remove:
            return DeviceRequest(ScenesManagement.RemoveScene(groupID: group, sceneID: scene), attribute: info)
        }
    }
}

/// A scene of an endpoint (Matter application cluster specification).
public struct KeptScene: Sendable, Hashable {
    /// The number of the scene in its group.
    public let number: UInt8
    /// Empty if it has none.
    public let name: String
    /// How long the change takes.
    public let transition: Duration
    /// True if it is the present state.
    public let isCurrent: Bool
}

/// The scenes of an endpoint (Matter application cluster specification 1.4).
public struct EndpointScenes: Sendable {
    /// In bytes, of SceneName (1.4.9.2.4).
    private static let longestName = 16

    private let device: ServingDevice

    /// The scenes of this device.
    public init(_ device: ServingDevice) { self.device = device }

    /// The endpoint that keeps them.
    public var endpoint: EndpointID { device.place.endpoint }

    static func membership(_ group: UInt16) -> DeviceRequest.Action {
        .command(ScenesManagement.GetSceneMembership(groupID: group))
    }

    static func view(_ group: UInt16, _ scene: UInt8) -> DeviceRequest.Action {
        .command(ScenesManagement.ViewScene(groupID: group, sceneID: scene))
    }

    /// An empty scene with a name, which StoreScene keeps.
    static func add(_ group: UInt16, _ scene: UInt8, named name: String, transition: Duration) -> DeviceRequest.Action {
        .command(
            ScenesManagement.AddScene(
                groupID: group, sceneID: scene, transitionTime: UInt32(clamping: Int64(transition / .milliseconds(1))),
                sceneName: name, extensionFieldSetStructs: []))
    }

    /// The scenes of a group by number.
    ///
    /// - Throws: ``ControllerError`` if the node refuses or cannot do it, ``SessionError`` if it does not answer.
    public func scenes(of group: UInt16) async throws -> [KeptScene] {
        typealias Info = ScenesManagement.SceneInfo
        typealias View = ScenesManagement.ViewSceneResponse
        typealias Members = ScenesManagement.GetSceneMembershipResponse
        let members = PartialStructure<Members>(try await device.send(Self.membership(group)))
        let current = (device.facts[ScenesManagement.Attribute.fabricSceneInfo]?.items ?? [])
            .compactMap { PartialStructure<Info>(tlv: $0) }
            .first { $0[Info.Field.currentGroup] == group && $0[Info.Field.sceneValid] == true }
        var scenes: [KeptScene] = []
        for number in members?[Members.Field.sceneList]?.numbers.sorted() ?? [] {
            let scene = PartialStructure<View>(try await device.send(Self.view(group, number)))
            scenes.append(
                KeptScene(
                    number: number, name: scene?[View.Field.sceneName] ?? "",
                    transition: .milliseconds(Int64(scene?[View.Field.transitionTime] ?? 0)),
                    isCurrent: current?[Info.Field.currentScene] == number))
        }
        return scenes
    }

    /// Keeps the present state under a number, a name and a transition.
    ///
    /// - Throws: ``ControllerError`` if the node refuses or cannot do it, ``SessionError`` if it does not answer.
    public func store(_ scene: UInt8, of group: UInt16, named name: String, transition: Duration) async throws {
        guard name.utf8.count <= Self.longestName else {
            throw ControllerError(.outOfLimits, "the name of a scene has at most \(Self.longestName) bytes")
        }
        try device.facts.require(ScenesManagement.Feature.sceneNames, "names of scenes")
        try await device.send(Self.add(group, scene, named: name, transition: transition))
        try await device.send(SceneVerb(.store, scene: scene, group: group).request(device.facts).action)
    }
}
