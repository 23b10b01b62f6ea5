import MatterController

/// follow LAMP: what a program that follows a node is told.
@Sendable func follow(_ words: [String]) async throws {
    let home = try Controller(fabric: "home")
    let lamp = try home.node(words[0])
    try await lamp.off()
    for try await isReachable in lamp.reachability() {
        check("reachable", isReachable)
        break
    }
    for try await update in lamp.changes(.cluster(OnOff.id, at: 1), .endpoint(2), silentForAtMost: .seconds(30)) {
        switch update {
        case .established(let now): check("established", now.maxInterval > .zero && now.missed == nil, now)
        case .change(let change) where change.cluster == OnOff.id && change.value(of: OnOff.onOff) != nil:
            check(change.cause.rawValue, change.endpoint == 1 && change.attribute == OnOff.onOff.id, change.path)
            if change.cause == .initial { try await lamp.on() }
        case .change(let change): check("value", change.value != nil && change.failure == nil, change)
        case .lost(let loss): print("wrong: \(loss.error), next try after \(loss.retryAfter)")
        case .event: print("wrong: \(update)")
        }
        if case .change(let change) = update, change.cause == .reported { break }
    }
    var events = lamp.events(.cluster(BasicInformation.id), includingPast: true).makeAsyncIterator()
    while let update = try await events.next() {
        guard case .event(let event) = update else { continue }
        check("event", event.cluster == BasicInformation.id && event.endpoint == 0 && event.fields != nil, event.path)
        check("content", event.content(BasicInformation.StartUp.self) != nil, event.path)
        if case .unknown = event.time { print("wrong: no time") }
        check("critical", event.isCritical && event.number >= 0, event)
        break
    }
    var values = lamp.values(of: OnOff.onOff).makeAsyncIterator()
    check("value", try await values.next() == true)
    await home.close()
    check("closed", try await values.next() == nil)
}

/// sleep NODE: a device that sleeps checks in.
@Sendable func sleep(_ words: [String]) async throws {
    var settings = ControllerSettings()
    settings.waitsForCheckIn = true
    let home = try Controller(fabric: "home", settings: settings)
    let node = try home.node(words[0])
    check("sleeper", node.sleepsForLong)
    for try await checkIn in home.checkIns() {
        check("check-in", checkIn.nodeID == node.id && checkIn.time > 0, checkIn)
        check("threshold", checkIn.activeThreshold.map { $0 > .zero } ?? true, checkIn)
        break
    }
    check("awake", try await node.keepAwake(for: .seconds(20)) > .zero)
    try await node.endCheckIns()
    try await node.registerForCheckIns()
    await home.close()
}
