import MatterClusters
import MatterController

/// administer LAMP SWITCH: rights, bindings, groups, scenes, windows, fabrics and sessions of two nodes.
@Sendable func administer(_ words: [String]) async throws {
    var settings = ControllerSettings()
    settings.keepsSessions = true
    settings.bluetooth = .standard
    let home = try Controller(fabric: "home", settings: settings)
    let (lamp, button) = (try home.node(words[0]), try home.node(words[1]))

    check("reachable", await lamp.isReachable)
    check("warm", try await lamp.warmUp() < .seconds(10))
    try await lamp.write(OnOff.onTime, 0)
    try await lamp.level(100, over: .zero)
    try await lamp.invoke(LevelControl.MoveToLevel(level: 20, transitionTime: 0))
    try await lamp.invoke(OnOff.id, OnOff.On.id)
    let keys = try await lamp.invoke(GroupKeyManagement.KeySetReadAllIndices(), at: 0)
    check("answer", keys.groupKeySetIDs.contains(0), keys)

    let before = try await lamp.access()
    check("rights", before.contains { $0.privilege == .administer && $0.authMode == .case }, before)
    try await lamp.grant(.view, to: [4711], at: [])
    check("granted", try await lamp.access().contains { $0.subjects == [4711] && $0.targets == nil })
    try await lamp.revokeAccess(of: [4711])
    check("revoked", try await lamp.access().count == before.count)
    check("bound", try await button.bind(to: lamp, clusters: [OnOff.id]))
    check("bound once", try await button.bind(to: lamp, clusters: [OnOff.id]) == false)
    try await button.unbind(from: lamp, clusters: [OnOff.id])
    await check("unbound", fails: .notFound) { try await button.unbind(from: lamp, clusters: [OnOff.id]) }

    var group = try await home.makeGroup("hall")
    group = try await group.add(lamp)
    check("member", group.members == [lamp.id] && group.name == "hall", group)
    try await group.invoke(OnOff.Off())
    check("group", try home.group(group.id).members == (try home.group("hall").members))
    group = try await group.remove(lamp)
    check("left", group.members.isEmpty, group)
    try await group.forget()
    check("forgotten", try home.allGroups().isEmpty)

    try await lamp.storeScene(3)
    try await lamp.storeScene(4, named: "dusk", transition: .seconds(1))
    let scenes = try await lamp.scenes()
    check("scenes", scenes.map(\.id) == [3, 4] && scenes[1].name == "dusk", scenes)
    check("scene", scenes[1].transition == .seconds(1) && scenes[1].isCurrent, scenes)
    try await lamp.recallScene(3)
    try await lamp.removeScene(4)
    check("one scene", try await lamp.scenes().count == 1)

    let window = try await lamp.openWindow(for: .seconds(200))
    check("window", window.qrCode?.hasPrefix("MT:") == true && window.manualCode?.count == 11 && window.end > 0, window)
    let status = try await lamp.window()
    check("open", status.mode == .enhanced && status.isOurs && status.end == window.end, status)
    await check("open already", fails: .refused) { _ = try await lamp.openWindow() }
    await check("too long", fails: .invalidInput) { _ = try await lamp.openWindow(for: .seconds(9999)) }
    check("closed", try await lamp.closeWindow())
    check("no opener", try await lamp.window().openedBy == nil)

    try await lamp.labelFabric("the house")
    let fabrics = try await lamp.fabrics()
    check(
        "fabrics", fabrics.map(\.label) == ["the house"] && fabrics[0].isOurs && fabrics[0].nodeID == lamp.id, fabrics)
    check("fabric", fabrics[0].fabricID != 0 && fabrics[0].vendorID == 0xFFF1 && fabrics[0].index != nil, fabrics)
    let renamed = try await lamp.rename(to: "standard lamp", onDevice: true).move(toRoom: "Attic")
    check("renamed", renamed.name == "standard lamp" && renamed.room == "Attic", renamed)
    check("label", try await lamp.read(BasicInformation.nodeLabel) == "standard lamp")
    await check("no fabric", fails: .notFound) { try await lamp.removeFabric(200) }
    await home.close()

    let next = try Controller(fabric: "home", settings: settings)
    let kept = try next.sessions()
    check("sessions", kept.contains { $0.nodeID == lamp.id && !$0.address.isEmpty && $0.age >= .zero }, kept)
    check("session", kept.allSatisfy { $0.silence != nil }, kept.map(\.roundTrip))
    try await next.node(lamp.id).disconnect()
    check("disconnected", try next.sessions().contains { $0.nodeID == lamp.id } == false)
    try await next.node(button.id).forget()
    check("known", try next.allNodes().map(\.id) == [lamp.id])
    await next.close()
}
