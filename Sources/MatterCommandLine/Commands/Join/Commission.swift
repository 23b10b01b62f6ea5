import ArgumentParser
import Glibc
import MatterController

/// The value of `--attestation`.
enum AttestationArgument: String, ExpressibleByArgument, CaseIterable {
    case enforce, ask, warn, skip

    var enforcement: TrustPolicy.Enforcement {
        switch self {
        case .enforce, .ask: .enforce
        case .warn: .warn
        case .skip: .skip
        }
    }
}

/// A generic type has no stored properties of its own.
private let helpPage = CommandConfiguration(
    commandName: "commission", abstract: "Commission a device onto the fabric.",
    discussion: """
        PAYLOAD is what the device shows: a QR payload (MT:…) or a manual pairing code of 11 or 21 digits; - reads it \
        from stdin. Without a fabric, the first commissioning makes one called 'home'. --from commissions many devices: \
        a line for each, with its code and, if you like, a name and a room.

        Example: matterctl commission 3497-011-2332 --name kitchen
        """)

struct Commission<Vendor: VendorIssueOptions>: NetworkCommand {
    static var configuration: CommandConfiguration { helpPage }
    static var defaultTimeout: Duration { .seconds(120) }

    /// A person who is asked may take any time.
    var longestRun: Duration? { mayAsk ? nil : options.timeout?.duration }

    /// With many devices at a time there is no telling which of them a question is about.
    private var mayAsk: Bool { options.state.output.console.canAsk && from == nil }

    @Argument(help: "QR payload (MT:…) or manual pairing code; - for stdin.") var payload: String?
    @Option(help: ArgumentHelp("The setup passcode, instead of a payload.", valueName: "P")) var passcode: UInt32?
    @Option(help: ArgumentHelp("With --passcode: the long discriminator, 0–4095.", valueName: "D")) var discriminator:
        UInt16?
    @Option(
        help: ArgumentHelp(
            "Commission the devices of a list: a line each with code, name and room; - for stdin.", valueName: "FILE"),
        completion: .kind(.file))
    var from: String?
    @OptionGroup var way: WayOptions
    @Option(help: ArgumentHelp("A name for the node.", valueName: "NAME")) var name: String?
    @Option(help: ArgumentHelp("The room it is in.", valueName: "ROOM"), completion: .kind(.room)) var room: String?
    @Option(help: ArgumentHelp("The node id to give it.", valueName: "N")) var nodeID: NumberArgument<UInt64>?
    @Option(
        help: ArgumentHelp(
            "What to do when attestation fails: enforce, ask, warn or skip; on a terminal, ask by default.",
            valueName: "MODE"))
    var attestation: AttestationArgument = .ask
    @OptionGroup var network: NetworkJoinOptions
    @Flag(help: "Choose from the Wi-Fi networks that the device sees.") var chooseNetwork = false
    @OptionGroup var trust: TrustOptions
    @OptionGroup var place: PlaceOptions
    @Flag(help: "Accept the required terms of the device's manufacturer, as the Alliance's ledger has them.")
    var acceptTerms = false
    @Option(
        help: ArgumentHelp(
            "Accept these terms: their version, and a bit for each text.", valueName: "VERSION:MASK"))
    var terms: TermsAcknowledgement?
    @Option(
        help: ArgumentHelp(
            "Who issues the certificate: \((["local"] + IssuerArgument.services).joined(separator: ", ")) or exec:COMMAND; "
                + "the fabric's issuer by default.",
            valueName: "ISSUER"))
    var issuer: IssuerArgument?
    @OptionGroup var vendor: Vendor
    @Flag(help: "If the service cannot be told, make the device leave the fabric again.") var rollback = false
    @Flag(name: .long, help: "Do not read the endpoints afterwards.") var noPost = false
    @Flag(
        inversion: .prefixedNo,
        help: "Let a device that sleeps check in with this machine; by default if it sleeps for long times.")
    var icd: Bool?
    @Flag(help: "With --json: with every check of the attestation.") var evidence = false
    @Flag(help: "Commission nothing; tell what would stop it.") var check = false
    @Flag(help: "Commission nothing; look at the device, and tell what would be done.") var dryRun = false
    @Option(
        help: ArgumentHelp("Stop after this stage, and undo it: for tests, and for --handover.", valueName: "STAGE"))
    var until: String?
    @Option(
        help: ArgumentHelp(
            "With --until add-noc or network: leave the device as it is, and write what completes it; a secret.",
            valueName: "FILE"), completion: .kind(.file))
    var handover: String?
    @Option(
        help: ArgumentHelp("Complete a commissioning that another machine has handed over.", valueName: "FILE"),
        completion: .kind(.file))
    var complete: String?
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func validate() throws {
        if complete != nil {
            guard payload == nil, passcode == nil, from == nil, nodeID == nil, until == nil, !check, !network.isGiven
            else {
                throw ValidationError(
                    "--complete has the device in its file: only --name, --room, --address and --no-post go with it")
            }
        } else if from != nil {
            guard payload == nil, passcode == nil, name == nil, nodeID == nil, options.address == nil else {
                throw ValidationError(
                    "--from has codes and names in its list: leave PAYLOAD, --passcode, --name, --node-id and --address out"
                )
            }
        } else if (payload == nil) == (passcode == nil), !check || payload != nil {
            throw ValidationError("give either a PAYLOAD or --passcode, or --from")
        }
        guard passcode != nil || discriminator == nil else {
            throw ValidationError("--discriminator needs --passcode; a payload has its own")
        }
        if chooseNetwork, network.isGiven || from != nil {
            throw ValidationError("--choose-network asks for the network of one device: leave the others out")
        }
        if let nodeID, !NodeID(nodeID.value).isOperational {
            throw ValidationError("--node-id takes the id of a node: 1 to 0xFFFFFFEFFFFFFFFF")
        }
        try way.check(options)
        if acceptTerms, terms != nil { throw ValidationError("give either --accept-terms or --terms") }
        if dryRun, from != nil || complete != nil || until != nil || check {
            throw ValidationError("--dry-run is about one device, and goes without --until, --check and --complete")
        }
        if handover != nil {
            guard from == nil, let stage = until.flatMap(CommissioningStage.init(rawValue:)),
                stage == .addNOC || stage == .network
            else { throw ValidationError("--handover needs one device, and --until add-noc or --until network") }
        }
        if let until, CommissioningStage(rawValue: until) == nil {
            throw ValidationError(
                "--until takes one of \(CommissioningStage.allCases.map(\.rawValue).joined(separator: ", "))")
        }
    }

    var bluetoothAdapters: [String]? { way.adapters }

    func run(_ context: CommandContext) async throws {
        if let name { try ShortForms.check(name) }
        if let complete { return try await finish(complete, context) }
        let wish = try await networkWish(context)
        let list = try from.map { file throws in
            try SetupCodeList(
                InputFile.contents(file, largest: SetupCodeList.largest), checkName: ShortForms.check)
        }
        if check { return try await checkOnly(context) }
        if let list { return try await CommissionRound(command: self, context: context).run(list, wish) }
        let printer = ProgressPrinter(context.progress, isJSON: context.console.isJSON)
        defer { printer.finish() }
        var commission = commissionOptions { printer.report($0) }
        if attestation == .ask { commission.ask = AttestationQuestion(printer: printer, console: context.console)?.ask }
        let prompt = NetworkPrompt(printer: printer, console: context.console, store: networks(context))
        let source = try await place.timeSource(context.controller)
        let requests = try requests(context).map { request in
            var request = request
            request.network = wish
            if let prompt { request.choose = { try await prompt.choose($0) } }
            request.timeSource = source
            return request
        }
        let names = LedgerNames(context.controller.options.state)
        let expected = requests.lazy.compactMap { names.product($0.vendorID, $0.productID) }.first
        if let page = expected?.flowURL {
            context.console.message("note: this product's commissioning begins at \(TerminalText.escaped(page))")
        }
        do {
            let (node, result) = try await commissioned(requests, commission, context, deadline: deadline(context)) {
                printer.finish()
            }
            printer.finish()
            try await show(node, result, names, context)
        } catch let error as CommissioningError where error.code == .stopped && dryRun {
            printer.finish()
            guard let rehearsal = error.rehearsal else { throw error }
            context.console.result(Report(rehearsal))
        } catch let error as CommissioningError where error.code == .stopped && handover != nil {
            printer.finish()
            try await handOver(error, requests, context)
        } catch let error as CommissioningError
            where error.code == .nothingDiscovered || error.code == .windowClosed
        {
            guard let preparation = expected?.preparation else { throw error }
            throw AdvisedError(error: error, advice: "the manufacturer says: \(preparation)")
        }
    }

    /// Commissions, and once more if the user has accepted the terms that the device then asked for: no
    /// device waits while a person reads.
    func commissioned(
        _ requests: [CommissioningRequest], _ commission: CommissioningService.CommissionOptions,
        _ context: CommandContext,
        deadline: Instant, endProgress: () -> Void
    ) async throws -> (node: NodeRecord, result: CommissionedNode) {
        func attempt(
            _ prompt: TermsPrompt, _ deadline: Instant
        ) async throws -> (node: NodeRecord, result: CommissionedNode) {
            let requests = requests.map { request in
                var request = request
                request.terms = { prompt.answer(to: $0) }
                return request
            }
            return try await context.controller.commissioning.commission(requests, commission, deadline: deadline)
        }
        var prompt = TermsPrompt(
            state: context.controller.options.state, connection: try LedgerConnection(output: options.state.output),
            console: options.state.output.console, nets: trust.allowTestDevices ? LedgerNet.allCases : [.main],
            given: terms, acceptsRequired: acceptTerms,
            country: place.countryOrCurrent)
        do {
            return try await attempt(prompt, deadline)
        } catch let error as CommissioningError where error.code == .termsRequired {
            endProgress()
            guard acceptTerms || mayAsk, let agreed = try await prompt.settle(error, deadline: deadline) else {
                throw error
            }
            prompt.agreed = agreed
            // A person may have taken any time to read; everything else is within the time of the command.
            return try await attempt(prompt, acceptTerms ? deadline : .now + context.timeout)
        }
    }

    /// How long a device may take that has to join a network, and a person who chooses it.
    private static var timeWithNetwork: Duration { .seconds(240) }

    private func deadline(_ context: CommandContext) -> Instant {
        guard options.timeout == nil, network.isGiven || chooseNetwork else { return context.deadline }
        return .now + Self.timeWithNetwork
    }

    private func networks(_ context: CommandContext) -> NetworkStore { NetworkStore(context.controller.options.state) }

    /// The named things, and what is stored; checked before any device is contacted.
    private func networkWish(_ context: CommandContext) async throws -> NetworkPreference {
        guard !check else { return NetworkPreference() }
        let store = networks(context)
        let given = try await network.credentials(
            store, context.console, options.state.output, patience: context.timeout)
        return NetworkPreference(
            given: given, known: given.isEmpty ? try store.credentials() : [], wantsChoice: chooseNetwork,
            canAsk: mayAsk)
    }

    func requests(_ context: CommandContext) throws -> [CommissioningRequest] {
        var requests: [CommissioningRequest]
        if let passcode {
            requests = [
                CommissioningRequest(
                    SetupCode(
                        passcode: try SetupPasscode(passcode),
                        discriminator: try discriminator.map { number throws in try SetupDiscriminator(long: number) }))
            ]
        } else {
            requests = try SetupPayload.parse(try StandardInput.payload(payload ?? "")).map { CommissioningRequest($0) }
        }
        for index in requests.indices {
            requests[index] = completed(requests[index])
            requests[index].addresses = context.controller.options.addresses
            requests[index].name = name
            requests[index].room = room
            requests[index].requestedNodeID = nodeID.map { NodeID($0.value) }
        }
        return requests
    }

    /// With what the options say about every device.
    func completed(_ request: CommissioningRequest) -> CommissioningRequest {
        var request = request
        request.country = place.countryOrCurrent
        request.location = place.location?.number
        request.ntpServer = place.ntp
        request.via = way.via
        request.readsEndpoints = !noPost
        request.until = dryRun ? .csr : until.flatMap(CommissioningStage.init(rawValue:))
        request.handsOver = handover != nil
        return request
    }

    /// Without a question about a device.
    func commissionOptions(
        progress: @escaping @Sendable (CommissioningProgress) -> Void = { _ in }
    ) -> CommissioningService.CommissionOptions {
        var commission = CommissioningService.CommissionOptions(
            trust: trust.policy(attestation.enforcement),
            issuer: issuer.map { $0.choice(vendor.settings) } ?? .ofFabric(settings: vendor.settings),
            progress: progress)
        commission.leavesUnlessConfirmed = rollback
        commission.checksIn = until == nil ? icd : false
        return commission
    }

    /// Faults of a device that is a node now.
    func warnings(about node: NodeRecord, _ result: CommissionedNode, _ controller: Controller) async -> [String] {
        var warnings: [String] = []
        let registration = try? controller.context.registrations().registration(of: node.nodeID)
        if node.isLongIdleTime, registration == nil {
            warnings.append(
                "this device sleeps for long times, and does not check in with us; commands reach it only "
                    + "while it is awake (press its button first)")
        }
        if !noPost, until == nil, result.endpoints.isEmpty {
            // The device is a node, whatever came of the rest.
            warnings.append(
                "commissioned as node \(node.nodeID.rawValue); its description was not read, so the first command "
                    + "that needs it reads it")
        }
        return warnings
    }

    func revocationNote(_ reason: String) -> String { "revocation: not known (\(TerminalText.escaped(reason)))" }

    func show(
        _ node: NodeRecord, _ result: CommissionedNode, _ names: LedgerNames, _ context: CommandContext
    ) async throws {
        for warning in await warnings(about: node, result, context.controller) { context.console.warning(warning) }
        guard context.console.isJSON else {
            if let reason = result.attestation?.report.revocation?.reason {
                context.console.message(revocationNote(reason))
            }
            context.console.note(names.product(node.vendorID, node.productID))
            context.console.result("\(node.nodeID.rawValue)")
            return
        }
        let fabric = try context.controller.context.fabric()
        context.console.object {
            Report(node: node, result: result, fabric: fabric, showsChecks: evidence)
            Field("ledger", names.product(node.vendorID, node.productID)?.report.json)
        }
    }
}
