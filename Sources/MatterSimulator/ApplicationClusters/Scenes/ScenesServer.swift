import MatterModel

/// Scenes Management (Matter application cluster specification 1.4): on and off, level and colour temperature of the endpoint,
/// kept under the number of a group and of a scene.
struct ScenesServer: ClusterServer {
    private typealias Attribute = ScenesManagement.Attribute
    private typealias Command = ScenesManagement.Command

    private static let tableSize: UInt16 = 16
    /// Half of the table, so that one fabric leaves room for others.
    private static let perFabric = 7

    let id = ScenesManagement.id
    let featureMap: FeatureMap = ScenesManagement.Feature.sceneNames
    let acceptedCommands: [CommandID] = [
        Command.addScene, Command.viewScene, Command.removeScene, Command.removeAllScenes, Command.storeScene,
        Command.recallScene, Command.getSceneMembership, Command.copyScene,
    ]
    let observedClusters: Set<ClusterID> = [OnOff.id, LevelControl.id, ColorControl.id]
    let quietAttributes: Set<AttributeID> = [Attribute.fabricSceneInfo]
    let initialAttributes: [AttributeID: TLVValue] = [
        Attribute.sceneTableSize: .number(tableSize), Attribute.fabricSceneInfo: .array([]),
    ]
    private var table = SceneTable()

    init() {}

    var savedState: TLVValue? { table.tlv }

    mutating func restore(_ state: TLVValue) throws(TLVError) { table = try SceneTable(tlv: state) }

    func read(_ attribute: AttributeID, _ context: ClusterContext) -> TLVValue? {
        guard attribute == Attribute.fabricSceneInfo else { return nil }
        return .array(
            of: context.node.fabrics.all.map { fabric in
                let scenes = table.scenes.keys.filter { $0.fabric == fabric.index }
                let current = table.current[fabric.index]
                let isValid = current.flatMap { table.scenes[$0] }?.values == SceneValues(of: context)
                return ScenesManagement.SceneInfo(
                    sceneCount: UInt8(clamping: scenes.count), currentScene: current?.scene ?? 0xFF,
                    currentGroup: current?.group ?? 0, sceneValid: isValid,
                    remainingCapacity: UInt8(clamping: Self.perFabric - scenes.count), fabricIndex: fabric.index
                ).tlv
            })
    }

    mutating func siblingChanged(_ cluster: ClusterID, _ attribute: AttributeID, _ context: ClusterContext) {
        context.touch(Attribute.fabricSceneInfo)
    }

    mutating func fabricRemoved(_ fabricIndex: UInt8, _ context: ClusterContext) {
        table.forget(fabricIndex)
        context.markUnsaved()
    }

    mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        let fabric = context.caller.fabricIndex
        guard fabric != 0 else { throw .unsupportedAccess }
        guard command.id != Command.copyScene else { return try copy(command, fabric, context) }
        let (group, scene) = try Self.place(command)
        guard command.id != Command.getSceneMembership, command.id != Command.removeAllScenes else {
            return ofGroup(command.id, fabric, group, context)
        }
        guard let scene else { throw .invalidCommand }
        let key = SceneTable.Key(fabric: fabric, group: group, scene: scene)
        guard command.id != Command.recallScene else {
            try recall(key, context)
            return .success
        }
        let status = (isMember(of: group, context) ? try run(command, key, context) : .invalidCommand).rawValue
        switch command.id {
        case Command.viewScene:
            let kept = status == IMStatus.success.rawValue ? table.scenes[key] : nil
            return .response(
                ScenesManagement.ViewSceneResponse(
                    status: status, groupID: group, sceneID: scene, transitionTime: kept?.transition,
                    sceneName: kept?.name, extensionFieldSetStructs: kept?.values.fieldSets))
        case Command.addScene:
            return .response(ScenesManagement.AddSceneResponse(status: status, groupID: group, sceneID: scene))
        case Command.storeScene:
            return .response(ScenesManagement.StoreSceneResponse(status: status, groupID: group, sceneID: scene))
        default:
            return .response(ScenesManagement.RemoveSceneResponse(status: status, groupID: group, sceneID: scene))
        }
    }

    /// The group and the scene that a command names; no scene if it is about all of the group.
    private static func place(_ command: CommandCall) throws(ClusterFailure) -> (group: UInt16, scene: UInt8?) {
        switch command.id {
        case Command.addScene:
            let request: ScenesManagement.AddScene = try command.decoded()
            return (request.groupID, request.sceneID)
        case Command.recallScene:
            let request: ScenesManagement.RecallScene = try command.decoded()
            return (request.groupID, request.sceneID)
        case Command.getSceneMembership, Command.removeAllScenes:
            return (try command.decoded(as: ScenesManagement.GetSceneMembership.self).groupID, nil)
        default:
            // ViewScene, StoreScene and RemoveScene are alike.
            let request: ScenesManagement.ViewScene = try command.decoded()
            return (request.groupID, request.sceneID)
        }
    }

    private mutating func run(
        _ command: CommandCall, _ key: SceneTable.Key, _ context: ClusterContext
    ) throws(ClusterFailure) -> IMStatus {
        let isKnown = table.scenes[key] != nil
        let hasRoom = isKnown || table.scenes.keys.count { $0.fabric == key.fabric } < Self.perFabric
        switch command.id {
        case Command.viewScene: return isKnown ? .success : .notFound
        case Command.addScene:
            let request: ScenesManagement.AddScene = try command.decoded()
            guard let values = SceneValues(fieldSets: request.extensionFieldSetStructs) else {
                return .invalidCommand
            }
            guard hasRoom else { return .resourceExhausted }
            table.scenes[key] = Scene(
                name: request.sceneName, transition: request.transitionTime, values: values)
        case Command.storeScene:
            guard hasRoom else { return .resourceExhausted }
            var scene = table.scenes[key] ?? Scene()
            scene.values = SceneValues(of: context)
            table.scenes[key] = scene
            table.current[key.fabric] = key
        case Command.removeScene:
            guard isKnown else { return .notFound }
            table.remove { $0 == key }
        default: throw .unsupportedCommand
        }
        changed(context)
        return .success
    }

    private mutating func ofGroup(
        _ command: CommandID, _ fabric: UInt8, _ group: UInt16, _ context: ClusterContext
    ) -> CommandAnswer {
        let isKnown = isMember(of: group, context)
        let status = (isKnown ? IMStatus.success : .invalidCommand).rawValue
        guard command == Command.getSceneMembership else {
            if isKnown {
                table.remove { $0.fabric == fabric && $0.group == group }
                changed(context)
            }
            return .response(ScenesManagement.RemoveAllScenesResponse(status: status, groupID: group))
        }
        let all = table.scenes.keys.filter { $0.fabric == fabric }
        let list = all.filter { $0.group == group }.map(\.scene).sorted()
        return .response(
            ScenesManagement.GetSceneMembershipResponse(
                status: status, capacity: UInt8(clamping: Self.perFabric - all.count), groupID: group,
                sceneList: isKnown ? UInt8List(list) : nil))
    }

    /// CopyScene: one scene of a group to another place, or all of them to another group.
    private mutating func copy(
        _ command: CommandCall, _ fabric: UInt8, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        let request: ScenesManagement.CopyScene = try command.decoded()
        let (source, target) = (request.groupIdentifierFrom, request.groupIdentifierTo)
        func answer(_ status: IMStatus) -> CommandAnswer {
            .response(
                ScenesManagement.CopySceneResponse(
                    status: status.rawValue, groupIdentifierFrom: source,
                    sceneIdentifierFrom: request.sceneIdentifierFrom))
        }
        guard isMember(of: source, context), isMember(of: target, context) else { return answer(.invalidCommand) }
        let isOfAll = request.mode.contains(.copyAllScenes)
        let copies = table.scenes.filter { key, _ in
            key.fabric == fabric && key.group == source && (isOfAll || key.scene == request.sceneIdentifierFrom)
        }.map { key, scene in
            (
                SceneTable.Key(fabric: fabric, group: target, scene: isOfAll ? key.scene : request.sceneIdentifierTo),
                scene
            )
        }
        guard !copies.isEmpty || isOfAll else { return answer(.notFound) }
        let taken = table.scenes.keys.count { $0.fabric == fabric }
        let new = copies.count { table.scenes[$0.0] == nil }
        guard taken + new <= Self.perFabric else { return answer(.resourceExhausted) }
        for (key, scene) in copies { table.scenes[key] = scene }
        changed(context)
        return answer(.success)
    }

    private mutating func recall(_ key: SceneTable.Key, _ context: ClusterContext) throws(ClusterFailure) {
        guard isMember(of: key.group, context) else { throw .invalidCommand }
        guard let scene = table.scenes[key] else { throw .notFound }
        scene.values.apply(to: context)
        table.current[key.fabric] = key
        changed(context)
    }

    private func isMember(of group: UInt16, _ context: ClusterContext) -> Bool {
        guard group != 0 else { return true }
        return context.node.fabrics[context.caller.fabricIndex]?.groups.contains {
            $0.group == group && $0.endpoints.contains(context.endpoint)
        } ?? false
    }

    private func changed(_ context: ClusterContext) {
        context.markUnsaved()
        context.touch(Attribute.fabricSceneInfo)
    }
}
