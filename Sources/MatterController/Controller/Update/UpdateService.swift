public import MatterLedger
import Synchronization

/// Firmware for nodes: our node is their OTA provider while one of them is updated (Matter core specification 11.20).
public struct UpdateService: FabricService {
    /// How long the node may take to say what it is, and to take the announcement, beyond what it asks for.
    private static let patience = Duration.seconds(30)
    /// The time between two questions whether the node is there with its new version.
    private static let interval = Duration.seconds(5)
    private static let tokenCount = 32
    /// The endpoint at which our node serves.
    private static let endpoint: UInt16 = 0

    private typealias Requestor = OtaSoftwareUpdateRequestor

    let context: FabricContext
    let links: NodeLinks
    var limits = UpdateWatch.Patience()

    init(_ context: FabricContext, _ links: NodeLinks) {
        self.context = context
        self.links = links
    }

    /// Gives a node other firmware, and waits until it runs it. The node is told that there is some, fetches it, checks it by its vendor's
    /// signature, and starts again: minutes to an hour.
    ///
    /// - Parameters:
    ///   - title: the node in messages.
    ///   - image: checked against the ledger's entry on it.
    ///   - tell: told of the progress.
    /// - Throws: ``UpdateError``; ``ControllerError``, ``SessionError`` if the node refuses or does not answer; ``DiscoveryError`` if our
    ///   node cannot be found by others.
    public func update(
        _ node: NodeRecord, title: String, with image: UpdateImage,
        tell: @escaping @Sendable (UpdateProgress) -> Void = { _ in }
    ) async throws {
        let before = try await running(node, title, image)
        try await context.settled()
        guard let own = try ownProvider() else {
            return try await alone {
                try await provide(image, to: node, title, before, as: try context.credentials(), tell)
            }
        }
        try await provide(image, to: node, title, before, as: own, tell)
    }

    private func provide(
        _ image: UpdateImage, to node: NodeRecord, _ title: String, _ before: UInt32,
        as credentials: OperationalCredentials, _ tell: @escaping @Sendable (UpdateProgress) -> Void
    ) async throws {
        let (events, continuation) = AsyncStream.makeStream(of: FirmwareProvider.Event.self)
        defer { continuation.finish() }
        let offer = FirmwareOffer(
            image, by: credentials.nodeID, for: node.nodeID, token: try options.random.bytes(Self.tokenCount))
        let provider = try FirmwareProvider(
            offer, as: credentials, options, validationTime: { [context] in context.validationTime },
            tell: { continuation.yield($0) })
        var service: (any PublishedService)?
        let outcome: Result<Void, any Error>
        do {
            let port = try await provider.manager.open()
            service = try await context.advertise(credentials.nodeID, port: port)
            try await service?.established()
            outcome = .success(
                try await serve(provider, events, node, title, image, before, as: credentials.nodeID, tell))
        } catch {
            outcome = .failure(error)
        }
        await service?.withdraw()
        await provider.close()
        try outcome.get()
    }

    // MARK: The node

    private static func path(_ cluster: ClusterID, _ attribute: AttributeID) -> ConcreteAttributePath {
        ConcreteAttributePath(endpoint: 0, cluster: cluster, attribute: attribute)
    }

    /// The version that a node runs, if it may go to that of an image.
    private func running(_ node: NodeRecord, _ title: String, _ image: UpdateImage) async throws -> UInt32 {
        let vendor = Self.path(BasicInformation.id, BasicInformation.Attribute.vendorID)
        let product = Self.path(BasicInformation.id, BasicInformation.Attribute.productID)
        let version = Self.path(BasicInformation.id, BasicInformation.Attribute.softwareVersion)
        let possible = Self.path(Requestor.id, Requestor.Attribute.updatePossible)
        let state = Self.path(Requestor.id, Requestor.Attribute.updateState)
        let deadline = options.time.now + node.deliveryBudget + Self.patience
        let read = try await links.withLink(to: node) { link in
            try await link.read(
                [vendor, product, version, possible, state].map { AttributePath($0) }, deadline: deadline)
        }
        func number<Number: FixedWidthInteger>(_ path: ConcreteAttributePath) -> Number? {
            read.attribute(path)?.value?.integer()
        }
        guard let isPossible = read.attribute(possible)?.value.flatMap({ Bool(tlv: $0) }) else {
            throw UpdateError(.notPossible, "\(title) takes no firmware from other nodes")
        }
        guard isPossible else {
            throw UpdateError(.notPossible, "\(title) takes no firmware now: its battery may be low")
        }
        if let state: UInt8 = number(state), state != Requestor.UpdateState.idle.rawValue {
            throw UpdateError(.notPossible, "\(title) is in an update (\(Requestor.UpdateState(rawValue: state)))")
        }
        guard let old: UInt32 = number(version), let vendorID: UInt16 = number(vendor),
            let productID: UInt16 = number(product)
        else { throw UpdateError(.notPossible, "\(title) does not say which product and version it is") }
        guard vendorID == image.vendorID, productID == image.productID || image.productID == 0 else {
            throw UpdateError(
                .notApplicable,
                "the image is for product \(image.vendorID)/\(image.productID), and \(title) is \(vendorID)/\(productID)"
            )
        }
        guard old < image.version, image.applicable.contains(old) else {
            throw UpdateError(
                .notApplicable, "\(title) runs version \(old), from which none may go to \(image.version)")
        }
        return old
    }

    /// Tells the node where there is firmware.
    private func announce(to node: NodeRecord, _ title: String, from provider: NodeID) async throws {
        let command = Command(
            OtaSoftwareUpdateRequestor.AnnounceOTAProvider(
                providerNodeID: provider.rawValue, vendorID: UInt16(try context.fabric().vendorID.rawValue),
                announcementReason: .urgentUpdateAvailable, endpoint: EndpointID(Self.endpoint)), at: 0)
        let deadline = options.time.now + node.deliveryBudget + Self.patience
        // The session ends then, so that the node does not take it for one with the provider.
        let result = try await links.withLink(to: node) { link in
            try await link.invoke(command, .absolute, deadline: deadline)
        }
        try Outcome.check(result, of: title)
    }

    // MARK: Our node

    /// Our provider, where the key of the authority is here: a node of its own. The node that is updated then has no session with it already,
    /// and the process that takes check-ins may go on. `nil` elsewhere: our node serves.
    private func ownProvider() throws -> OperationalCredentials? {
        let own = try context.credentials()
        let fabric = try context.fabric()
        let authority = try fabrics.authority(of: fabric)
        guard fabric.issuer == .local, fabric.membership == nil, authority.canIssue else { return nil }
        let key = try P256PrivateKey.generate(options.random)
        let issuer = try LocalFabric(authority: authority, credentials: own).issuer(
            adminVendorID: fabric.vendorID, random: options.random, validity: { [context] in context.validity })
        // A number so far from all others that are given that it is no node's.
        let id = try options.random.bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } >> 2 | 1 << 62
        let issued = try issuer.issue(CertificateSigningRequest(key: key), nodeID: NodeID(id), cats: [])
        return try OperationalCredentials(
            chain: OperationalChain(noc: issued.noc, icac: issued.icac, root: own.root), key: key,
            ipkEpochKey: own.ipkEpochKey)
    }

    /// Runs something while no other process advertises our node.
    private func alone(_ body: () async throws -> Void) async throws {
        guard let lock = try options.state.tryLock(context.listenerLock()) else {
            throw ControllerError(
                .listening, "another process takes the check-ins of the fabric, and devices find our node there")
        }
        try await body()
        _ = consume lock
    }

    // MARK: The course

    private func serve(
        _ provider: FirmwareProvider, _ events: AsyncStream<FirmwareProvider.Event>, _ node: NodeRecord,
        _ title: String,
        _ image: UpdateImage, _ before: UInt32, as id: NodeID, _ tell: @escaping @Sendable (UpdateProgress) -> Void
    ) async throws {
        let time = options.time
        let course = Course(UpdateWatch(to: image.version, limits, now: time.now))
        let (applying, began) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                await provider.run()
                return false
            }
            group.addTask {
                for await event in events {
                    let size = UInt64(image.octets.count)
                    if let progress = course.watch.withLock({ $0.take(event, now: time.now, of: size) }) {
                        tell(progress)
                    }
                    if case .offer(.applying) = event { began.yield() }
                }
                return false
            }
            group.addTask {
                try await self.announce(to: node, title, from: id)
                tell(.announced)
                var deadline = course.watch.withLock { $0.deadline }
                while time.now < deadline {
                    try await time.sleep(until: deadline)
                    deadline = course.watch.withLock { $0.deadline }
                }
                throw course.watch.withLock { $0.failure(of: title) }
            }
            group.addTask {
                for await _ in applying { break }
                while !(try await self.hasArrived(node, course, before)) { try await time.sleep(for: Self.interval) }
                return true
            }
            defer { group.cancelAll() }
            while let isDone = try await group.next() {
                if isDone { return }
            }
        }
    }

    /// Whether a node is there with its new version; one that does not answer may be starting.
    private func hasArrived(_ node: NodeRecord, _ course: Course, _ before: UInt32) async throws -> Bool {
        let version = Self.path(BasicInformation.id, BasicInformation.Attribute.softwareVersion)
        let state = Self.path(Requestor.id, Requestor.Attribute.updateState)
        let deadline = options.time.now + node.deliveryBudget + Self.interval
        let read = try? await links.withLink(to: node) { link in
            try await link.read([AttributePath(version), AttributePath(state)], deadline: deadline)
        }
        try Task.checkCancellation()
        guard let found: UInt32 = read?.attribute(version)?.value?.integer() else { return false }
        let phase: UInt8? = read?.attribute(state)?.value?.integer()
        return try course.watch.withLock { watch throws(UpdateError) in
            try watch.take(
                version: found, isAtRest: phase == Requestor.UpdateState.idle.rawValue, before: before)
        }
    }

    /// The course of an update, which several tasks see.
    private final class Course: Sendable {
        let watch: Mutex<UpdateWatch>

        init(_ watch: UpdateWatch) { self.watch = Mutex(watch) }
    }
}
