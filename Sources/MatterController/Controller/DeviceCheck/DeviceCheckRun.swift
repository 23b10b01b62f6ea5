import MatterState

/// One examination: its two fabrics, its faulty link, and what was seen so far.
actor DeviceCheckRun {
    private typealias Facts = DeviceCheckFacts

    /// How long the device is looked for, apart from the commissioning.
    private static let search = Duration.seconds(10)
    /// How long one step may take that is neither a commissioning nor a reading of everything.
    static let patience = Duration.seconds(30)
    private static let conformanceTime = Duration.seconds(90)
    /// How long the device may take to be open again after it has left all fabrics.
    private static let reopening = Duration.seconds(12)

    private let options: Controller.Options
    private let requests: [CommissioningRequest]
    private let trust: TrustPolicy
    private let turns: CheckTurns?
    private let tell: @Sendable (CommissioningProgress) -> Void
    private let trace: CheckTrace
    private let faults: FaultyLinks
    private let first: ThrowAwayFabric
    private let second: ThrowAwayFabric
    private var facts: DeviceCheckFacts
    private var times: [DeviceCheckCase.Kind: (time: Duration, trace: [String], messages: [String])] = [:]
    /// The answers of the device about itself; `nil` if it was not commissioned.
    private(set) var answer: DeviceComparison.Answer?

    init(
        _ options: Controller.Options, _ judges: any AttestationJudging, _ requests: [CommissioningRequest],
        _ code: SetupPayload, _ trust: TrustPolicy, _ turns: CheckTurns?,
        _ tell: @escaping @Sendable (CommissioningProgress) -> Void
    ) throws(StoreError) {
        self.options = options
        self.requests = requests
        self.turns = turns
        self.tell = tell
        var trust = trust
        // Its origin is judged, and it is tried whatever comes of that.
        if trust.enforcement == .enforce { trust.enforcement = .warn }
        self.trust = trust
        trace = CheckTrace(options.time)
        faults = FaultyLinks(options.links, options.time)
        facts = DeviceCheckFacts(code: code)
        first = try ThrowAwayFabric(options, judges, faults, trace)
        second = try ThrowAwayFabric(options, judges, options.links, trace)
    }

    /// The judgement of what it showed for its maker.
    var attestation: DeviceCheckFacts.Tried<AttestationReport> { facts.attestation }

    func close() async {
        await first.close()
        await second.close()
    }

    // MARK: The cases

    /// - Throws: `CancellationError`.
    ///
    /// - Parameter deadline: the end of a commissioning that begins now.
    func examine(_ deadline: () -> Instant) async throws -> DeviceCheckReport {
        let (began, start) = (options.unixTime(), options.time.now)
        try await play(.discovery, \.discovery) { try await self.advertisement() }
        var device: (node: NodeRecord, result: CommissionedNode)?
        try await play(.commissioning, \.commissioning) {
            let commissioned = try await self.first.commissioning.commission(
                self.requests, self.commissionOptions(), deadline: deadline())
            device = commissioned
            return .done(Self.facts(commissioned.result))
        }
        if let device {
            try await use(device.node, device.result)
        } else {
            let reason = "it was not commissioned"
            (facts.attestation, facts.conformance, facts.loss) = (.not(reason), .not(reason), .not(reason))
            (facts.window, facts.second, facts.removal) = (.not(reason), .not(reason), .not(reason))
        }
        var cases = facts.cases
        // It is asked for its certificates while it is commissioned.
        let asked = times[.commissioning]?.messages.filter(Self.isAttestation) ?? []
        for index in cases.indices {
            if cases[index].kind == .attestation { cases[index].messages = asked }
            guard let played = times[cases[index].kind] else { continue }
            (cases[index].time, cases[index].trace) = (played.time, played.trace)
            cases[index].messages = played.messages
        }
        let information = device?.result.information
        return DeviceCheckReport(
            vendorID: information?.vendorID, productID: information?.productID, began: began,
            time: options.time.now - start, cases: cases)
    }

    private func use(_ node: NodeRecord, _ result: CommissionedNode) async throws {
        facts.attestation = result.attestation.map { .done($0.report) } ?? .not("it was not asked for")
        answer = DeviceComparison.Answer(
            vendorID: result.information.vendorID, productID: result.information.productID,
            serialNumber: result.basics.serialNumber, softwareVersion: try? await softwareVersion(of: node))
        try await play(.conformance, \.conformance) {
            .done(
                try await self.first.controller.conformance.examine(
                    node, isStrict: true, deadline: self.options.time.now + Self.conformanceTime))
        }
        try await play(.loss, \.loss) { .done(try await self.losses(node)) }
        try await play(.window, \.window) { .done(try await self.window(node)) }
        try await play(.secondAdministrator, \.second) { .done(try await self.secondAdministrator(node, result)) }
        try await play(.removal, \.removal) { .done(try await self.removal()) }
    }

    /// Plays a case: what fails is its failure, and the others go on.
    ///
    /// - Throws: `CancellationError`.
    private func play<Value: Sendable>(
        _ kind: DeviceCheckCase.Kind, _ place: WritableKeyPath<DeviceCheckFacts, DeviceCheckFacts.Tried<Value>>,
        _ work: () async throws -> DeviceCheckFacts.Tried<Value>
    ) async throws {
        try Task.checkCancellation()
        let isAlone = measures(kind)
        try await turns?.take(isAlone: isAlone)
        defer { turns?.give(isAlone: isAlone) }
        tell(.note("trying: \(kind.rawValue)"))
        _ = trace.take()
        let began = options.time.now
        do {
            facts[keyPath: place] = try await work()
        } catch {
            try Task.checkCancellation()
            facts[keyPath: place] = .failed(MatterError(error).message)
        }
        let (lines, messages) = trace.take()
        times[kind] = (options.time.now - began, lines, messages)
    }

    /// Whether a case measures how long a commissioning takes, or needs the one Bluetooth adapter.
    private func measures(_ kind: DeviceCheckCase.Kind) -> Bool {
        switch kind {
        case .commissioning, .secondAdministrator: true
        case .discovery, .removal:
            requests.contains { $0.addresses.isEmpty && $0.ways(hasBluetooth: true).contains(.ble) }
        default: false
        }
    }

    // MARK: Discovery and commissioning

    private func advertisement() async throws -> DeviceCheckFacts.Tried<DeviceCheckFacts.Advertisement> {
        guard requests.allSatisfy(\.addresses.isEmpty) else { return .not("an address was given") }
        guard requests.contains(where: { $0.ways(hasBluetooth: true).contains(.ip) }) else {
            return .not("it is looked for over Bluetooth alone")
        }
        guard let discovery = first.controller.context.discovery() else { return .not("nothing to search with") }
        let (began, clock) = (options.time.now, options.time)
        let requests = requests
        let found = try await withThrowingTaskGroup(of: CommissionableDevice?.self) { group in
            group.addTask {
                for try await event in discovery.browseCommissionable(.any, includingClosed: false) {
                    if case .found(let device) = event, requests.contains(where: { $0.mayMean(device) }) {
                        return device
                    }
                }
                return nil
            }
            group.addTask {
                try await clock.sleep(for: Self.search)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
        guard let found else {
            return .failed(
                "no device with its discriminator advertises itself within \(DurationText.format(Self.search))")
        }
        return .done(
            DeviceCheckFacts.Advertisement(
                instance: found.instance, addresses: found.addresses.map { "\($0)" },
                discriminator: found.record.longDiscriminator, vendorID: found.record.vendorID,
                productID: found.record.productID, time: options.time.now - began))
    }

    private static func isAttestation(_ message: String) -> Bool {
        ["/attestation-re", "/certificate-chain-re"].contains { message.contains($0) }
    }

    private func softwareVersion(of node: NodeRecord) async throws -> UInt32? {
        let path = ConcreteAttributePath(
            endpoint: 0, cluster: BasicInformation.id, attribute: BasicInformation.Attribute.softwareVersion)
        let link = try await first.controller.links.link(to: node)
        let result = try await link.read([AttributePath(path)], deadline: options.time.now + Self.patience)
        return try result.value(at: path, of: Self.title)
    }

    private func commissionOptions() -> CommissioningService.CommissionOptions {
        var options = CommissioningService.CommissionOptions(trust: trust, progress: tell)
        options.checksIn = false
        return options
    }

    private static func facts(_ result: CommissionedNode) -> DeviceCheckFacts.Commissioning {
        DeviceCheckFacts.Commissioning(
            vendorID: result.information.vendorID, productID: result.information.productID,
            address: "\(result.address)", stages: result.stages, total: result.total)
    }

    // MARK: In use

    /// Questions that every node answers.
    private static let questions = [
        AttributePath(endpoint: 0, cluster: BasicInformation.id),
        AttributePath(endpoint: 0, cluster: Descriptor.id),
        AttributePath(
            endpoint: 0, cluster: NodeOperationalCredentials.id,
            attribute: NodeOperationalCredentials.Attribute.currentFabricIndex),
        AttributePath(endpoint: 0, cluster: GeneralCommissioning.id),
    ]

    private func losses(_ node: NodeRecord) async throws -> [DeviceCheckFacts.Loss] {
        var runs: [DeviceCheckFacts.Loss] = []
        for script in LossScript.all {
            // Setting up a session is part of the play.
            try await first.controller.links.endSession(with: node.nodeID)
            tell(.note("loss: \(script.text)"))
            faults.play(script)
            defer { faults.play(nil) }
            var run = DeviceCheckFacts.Loss(script: script)
            let began = options.time.now
            for question in Self.questions {
                run.asked += 1
                do {
                    let link = try await first.controller.links.link(to: node)
                    let answer = try await link.read([question], deadline: options.time.now + Self.patience)
                    if !answer.attributes.isEmpty { run.answered += 1 }
                } catch {
                    try Task.checkCancellation()
                    run.failure = run.failure ?? MatterError(error).message
                }
            }
            run.time = options.time.now - began
            (run.datagrams, run.faults) = faults.counts
            runs.append(run)
        }
        return runs
    }

    private func window(_ node: NodeRecord) async throws -> DeviceCheckFacts.Window {
        let administration = first.controller.administration
        var facts = DeviceCheckFacts.Window()
        let began = options.time.now
        _ = try await open(node)
        facts.time = options.time.now - began
        let budget = Budget(Self.patience)
        facts.opened = try await administration.windowState(of: node, title: Self.title, budget: budget).state.mode
        _ = try await administration.closeWindow(of: node, title: Self.title, budget: budget)
        facts.closed = try await administration.windowState(of: node, title: Self.title, budget: budget).state.mode
        return facts
    }

    private static let title = "the device"

    private func open(_ node: NodeRecord) async throws -> OpenedWindow {
        try await first.controller.administration.openWindow(
            of: node, isBasic: false, for: AdministrationService.windowDurations.lowerBound, title: Self.title,
            budget: Budget(Self.patience))
    }

    private func secondAdministrator(
        _ node: NodeRecord, _ result: CommissionedNode
    ) async throws -> DeviceCheckFacts.Second {
        let window = try await open(node)
        guard let payload = window.payload else { throw ControllerError(.status, "the window has no code") }
        var request = CommissioningRequest(payload)
        // It was found; whether others find it is the case of discovery.
        request.addresses = [result.address]
        request.country = requests.first?.country ?? request.country
        let other = try await second.commissioning.commission(
            [request], commissionOptions(), deadline: options.time.now + window.duration)
        var facts = DeviceCheckFacts.Second(total: other.result.total)
        for (fabric, node) in [(first, node), (second, other.node)] {
            let table = try await fabric.controller.links.link(to: node).fabrics(
                deadline: options.time.now + Self.patience)
            facts.indices.append(table.ownIndex)
        }
        facts.sharesChanges = try await sharesChanges(node, other.node)
        return facts
    }

    /// Each administrator writes the label of the node, the other one reads it, and then it is as it was.
    private func sharesChanges(_ node: NodeRecord, _ other: NodeRecord) async throws -> Bool {
        let sides = [(first, node), (second, other)]
        let old = try await label(of: first, node)
        var isShared = true
        for (index, label) in ["device-check 1", "device-check 2", old].enumerated() {
            let (writer, reader) = (sides[index % 2], sides[(index + 1) % 2])
            try await write(label, to: writer.0, writer.1)
            if try await self.label(of: reader.0, reader.1) != label { isShared = false }
        }
        return isShared
    }

    private static let label = ConcreteAttributePath(
        endpoint: 0, cluster: BasicInformation.id, attribute: BasicInformation.Attribute.nodeLabel)

    private func label(of fabric: ThrowAwayFabric, _ node: NodeRecord) async throws -> String {
        let link = try await fabric.controller.links.link(to: node)
        let result = try await link.read([AttributePath(Self.label)], deadline: options.time.now + Self.patience)
        return try result.value(at: Self.label, of: Self.title)
    }

    private func write(_ label: String, to fabric: ThrowAwayFabric, _ node: NodeRecord) async throws {
        let link = try await fabric.controller.links.link(to: node)
        let results = try await link.write(
            [AttributeWrite(Self.label, value: .string(label))], isTimed: false,
            deadline: options.time.now + Self.patience)
        guard let status = results.first?.status, !status.isSuccess else { return }
        throw ControllerError(.status, "the device answered a write of its label with \(status)", status: status)
    }

    // MARK: Leaving

    private func removal() async throws -> DeviceCheckFacts.Removal {
        let began = options.time.now
        var facts = DeviceCheckFacts.Removal()
        var last: (fabric: ThrowAwayFabric, node: NodeRecord)?
        for fabric in [second, first] {
            guard let node = fabric.node else { continue }
            try await fabric.controller.administration.remove(node, deadline: options.time.now + Self.patience)
            last = (fabric, node)
        }
        facts.time = options.time.now - began
        // A session would show that the fabric is still there.
        if let last {
            let link = try await last.fabric.controller.links.link(to: last.node)
            facts.admitsOld = (try? await link.connect(deadline: options.time.now + .seconds(5))) != nil
        }
        facts.isOpen = await isOpen()
        return facts
    }

    /// Whether its own code opens a session again.
    private func isOpen() async -> Bool {
        let end = options.time.now + Self.reopening
        while options.time.now < end, !Task.isCancelled {
            let answer = try? await second.commissioning.inPASESession(
                requests, deadline: min(end, options.time.now + .seconds(6))
            ) { device in
                try await device.read([Self.questions[1]], isFabricFiltered: false).attributes.count
            }
            if answer ?? 0 > 0 { return true }
            try? await options.time.sleep(for: .milliseconds(500))
        }
        return false
    }

    /// Makes the device leave the fabrics that it is on, as far as it answers.
    func leave() async {
        faults.play(nil)
        for fabric in [second, first] {
            guard let node = fabric.node else { continue }
            try? await fabric.controller.administration.remove(
                node, deadline: options.time.now + Self.patience / 3)
        }
    }
}
