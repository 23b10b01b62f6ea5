import MatterController

/// Issues with the fabric's authority, and looks at what it is told.
struct Witness: NodeIssuer {
    let authority: FabricAuthority

    func issue(_ request: NodeIssueRequest) async throws -> String {
        check("request", request.csr.contains("REQUEST") && request.rootCertificate.contains("CERTIFICATE"), request)
        check("proof", request.attestationCertificate != nil && request.attestationIntermediate != nil, request)
        check("wish", request.nodeID == 78 && request.fabricID != 0 && request.productID != nil, request)
        return try await authority.issue(request)
    }

    func confirm(_ receipt: String, node: UInt64) async throws { check("confirmed", node == 78, receipt) }
    func abandon(_ receipt: String) async { print("wrong: \(receipt) was not used") }
}

/// find CODE FOLDER DISCRIMINATOR: looks for a device, judges it, says what a commissioning would do, commissions it, and lets it go.
@Sendable func find(_ words: [String]) async throws {
    var settings = ControllerSettings()
    settings.bluetooth = .none
    settings.logger.logLevel = .warning
    settings.warn = { print("warning: \($0)") }
    settings.processing = .seconds(5)
    let home = try Controller(fabric: "home", settings: settings)
    search: for try await update in home.discover([.network], includingClosed: true) {
        switch update {
        // There may be others.
        case .found(let device) where device.discriminator == UInt16(words[2]):
            check("found", device.isOpen && device.way == .network && !device.addresses.isEmpty, device)
            check(
                "numbers", device.vendorID == 0xFFF1 && device.productID != nil, device)
            check("type", device.deviceType != nil && device.signalStrength == nil, device)
            break search
        case .lost(let id): check("lost", !id.isEmpty)
        case .found, .settled: continue
        }
    }
    var trust = TrustPolicy(enforcement: .enforce, allowsTestDevices: true, folder: words[1])
    trust.revocation = .soft
    let strict = try await home.attest(words[0])
    check("untrusted", strict.refusal?.code == .attestationRefused && !strict.checks.isEmpty, strict)
    check("trusted", try await home.attest(words[0], trust: trust).verdict == "test")
    var plan = CommissioningSettings(name: "lamp", room: "Hall")
    plan.trust = trust
    plan.nodeID = 77
    plan.way = .network
    plan.country = "DE"
    plan.issuer = .local
    plan.terms = AcceptedTerms(version: 1, texts: 1)
    plan.decide = { unknown in
        check("asked", unknown.vendorID == 0xFFF1 && unknown.productID != nil, unknown)
        return false
    }
    let forecast = try await home.forecast(words[0], plan)
    check("forecast", forecast.commands.last == "CommissioningComplete" && forecast.network == nil, forecast.commands)
    check(
        "product", forecast.vendorID == 0xFFF1 && forecast.productID != nil && forecast.attestation == "test", forecast)
    let checks = try await home.check(plan)
    check("checks", checks.allSatisfy { $0.failure == nil || !$0.isNeeded } && checks.first?.id == "fabric", checks)
    var unknown = plan
    unknown.trust = TrustPolicy(allowsTestDevices: true)
    await check("refused", fails: .attestationRefused) { _ = try await home.commission(words[0], unknown) }
    let node = try await home.commission(words[0], plan)
    check("node", node.id == 77 && node.name == "lamp" && node.room == "Hall", node)
    check("description", node.vendorName != nil && node.productName != nil && node.endpoints.count == 2, node.endpoints)
    check("endpoint", node.endpoints[1].clusters.contains(OnOff.id) && node.endpoints[1].label == nil, node.endpoints)
    check("id", try home.node(77).id == 77)
    check("room", try home.nodes(inRoom: "Hall").count == 1)
    check("type", try home.nodes(ofType: node.endpoints[1].deviceTypes[0]).count == 1)
    check("cluster", try home.nodes(serving: OnOff.id).count == 1)
    check("label", try home.nodes(labelled: "lamp").count == 1)
    let query = NodeQuery(["la*", NodeQuery.Name("77", endpoint: 1)], room: "hall", cluster: "on-off")
    check("query", try home.nodes(matching: query).map(\.id) == [77], query)
    var other = query
    other.deviceType = "door-lock"
    check("names", query.names[1].text == "77" && query.names[1].endpoint == 1 && query.room == "hall", query)
    let none = other
    await check("no match", fails: .notFound) { _ = try home.nodes(matching: none) }
    let switched = try await home.each(of: home.nodes(matching: query)) { try await $0.light?.on() }
    check("each", switched.count == 1 && (try? switched[0].result.get()) != nil, switched)
    let state = try await node.state()
    check("state", state[0].text == "on" && state[0].isReachable && state[0].name == "lamp", state)
    check("place", state[0].room == "Hall" && state[0].endpoint == nil && state[0].battery == nil, state)
    check("well", state[0].failure == nil)
    check("origin", try await node.attest(trust: trust).verdict == "test")
    try await node.remove()
    check("removed", try home.allNodes().isEmpty)
    await check("gone", fails: .notFound) { _ = try home.node("lamp") }
    plan.trust.revocationSet = nil
    plan.nodeID = 78
    plan.issuer = .issuer(Witness(authority: try home.authority()))
    check("issued", try await home.commission(words[0], plan).id == 78)
    try await home.node(78).remove()
    plan.issuer = .command("false")
    await check("no certificate", fails: .issuerFailed) { _ = try await home.commission(words[0], plan) }
    plan.issuer = .ofFabric
    plan.networks = [.thread(dataset: "0e08")]
    await check("no dataset", fails: .invalidInput) { _ = try await home.commission(words[0], plan) }
    await home.close()
}

/// trust: brings the trusted authorities up to date from a ledger that is not there.
@Sendable func trust(_ words: [String]) async throws {
    let home = try Controller(fabric: "home")
    await check("no ledger", fails: .issuerFailed) {
        let outcome = try await home.trust.update(forDevelopment: false, acceptingLosses: false, within: .seconds(20))
        print(outcome.authorities, outcome.added, outcome.removed, outcome.lists)
    }
    await home.close()
}
