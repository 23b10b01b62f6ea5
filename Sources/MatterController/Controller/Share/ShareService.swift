import Logging
public import MatterState

/// Hands devices to other controllers: opens windows in an order in which none runs out before its turn, and has a server
/// use them.
public struct ShareService: FabricService {
    /// How often a window is looked at that a person is to use.
    static let pace = Duration.seconds(5)
    /// How long it may take to close a window after an interruption.
    private static let farewell = Duration.seconds(5)

    let context: FabricContext
    let links: NodeLinks
    let administration: AdministrationService

    init(_ context: FabricContext, _ links: NodeLinks, _ administration: AdministrationService) {
        self.context = context
        self.links = links
        self.administration = administration
    }

    private enum Event: Sendable {
        /// It is known what comes of a device: a window that a person may use, or an end.
        case settled
        /// The next device may have its turn.
        case ended
        case late
    }

    /// Shares devices, a few at a time, in their order. The failure of one costs the others nothing.
    ///
    /// For a person it returns when the last window is open; the windows that are open then stay so.
    ///
    /// - Parameters:
    ///   - nodes: each once.
    ///   - report: gets the steps of each device, in their order.
    /// - Throws: `CancellationError`. A window for a server is closed before; others stay open.
    public func share(
        _ nodes: [NodeRecord], _ plan: SharePlan,
        report: @escaping @Sendable (NodeRecord, ShareStep) async -> Void
    ) async throws {
        let clock = options.time
        let (events, send) = AsyncStream.makeStream(of: Event.self)
        let isForPerson = if case .person = plan.receiver { true } else { false }
        await withTaskGroup(of: Void.self) { group in
            var queue = ShareQueue(count: nodes.count, together: plan.together)
            var settled = 0
            func begin(_ queue: inout ShareQueue) {
                while let place = queue.next() {
                    let node = nodes[place]
                    group.addTask {
                        await report(node, .begun)
                        do {
                            try await share(node, plan) { step in
                                await report(node, step)
                                if step.isSettled(isForPerson) { send.yield(.settled) }
                            }
                        } catch {
                            if !Task.isCancelled {
                                await report(node, .failed(error))
                                send.yield(.settled)
                            }
                        }
                        send.yield(.ended)
                    }
                }
            }
            if let deadline = plan.deadline {
                group.addTask {
                    guard (try? await clock.sleep(until: deadline)) != nil else { return }
                    send.yield(.late)
                }
            }
            begin(&queue)
            for await event in events {
                switch event {
                case .settled: settled += 1
                case .ended: queue.end()
                case .late:
                    for place in queue.giveUp() {
                        settled += 1
                        await report(nodes[place], .failed(Self.notInTime))
                    }
                }
                begin(&queue)
                if queue.isDone || (isForPerson && settled == nodes.count) { break }
            }
            group.cancelAll()
        }
        try Task.checkCancellation()
    }

    private static var notInTime: ShareError {
        ShareError(
            .notInTime, "the time of the command was over before this device had its turn",
            hint: .step("command.more-time"))
    }

    // MARK: One device

    private func share(
        _ node: NodeRecord, _ plan: SharePlan, report: @escaping @Sendable (ShareStep) async -> Void
    ) async throws {
        var server: MatterServer?
        if case .server(let other) = plan.receiver { server = other }
        try await server?.check()
        let before = try await fabrics(of: node, budget(plan))
        if let server, before.index(of: server.fabric) != nil { return await report(.present) }
        if let capacity = before.capacity, before.fabrics.count >= Int(capacity) {
            throw Self.tableFull(before, capacity, node)
        }
        let window = try await links.withLink(to: node) { _ in
            try await administration.openWindow(
                of: node, isBasic: false, for: plan.span, title: node.title, budget: budget(plan))
        }
        switch plan.receiver {
        case .page: await report(.open(window))
        case .person:
            await report(.open(window))
            let isJoined = try await isUsed(node, until: options.time.now + window.duration, before: before, plan)
            await report(isJoined.map { .used(isJoined: $0) } ?? .ranOut)
        case .server(let server):
            await report(.open(window))
            await report(.shared(try await handOver(node, window, to: server, plan)))
        }
    }

    private func budget(_ plan: SharePlan) -> Budget {
        Budget(plan.deadline.map { max($0 - options.time.now, .zero) })
    }

    /// For a look at a device whose time may be over.
    private func lateBudget(_ plan: SharePlan) -> Budget {
        Budget(plan.deadline.map { max($0 - options.time.now, Self.farewell) })
    }

    private func fabrics(of node: NodeRecord, _ budget: Budget) async throws -> DeviceFabrics {
        try await links.withLink(to: node) { link in try await link.fabrics(deadline: budget.deadline(for: node)) }
    }

    private static func tableFull(_ table: DeviceFabrics, _ capacity: UInt8, _ node: NodeRecord) -> ShareError {
        ShareError(
            .tableFull, "\(node.title) has no room for another fabric: \(table.fabrics.count) of \(capacity) are taken",
            hint: .step("share.make-room", node.label))
    }

    /// Waits for a window to be closed.
    ///
    /// - Returns: whether another controller has joined through it; `nil` if it ran out. A node that does not answer is asked
    ///   again.
    private func isUsed(
        _ node: NodeRecord, until end: Instant, before: DeviceFabrics, _ plan: SharePlan
    ) async throws -> Bool? {
        let clock = options.time
        while clock.now < end {
            try await clock.sleep(until: min(end, clock.now + Self.pace))
            guard clock.now < end else { return nil }
            do {
                let isJoined = try await links.withLink(to: node) { link -> Bool? in
                    let read = try await link.read(
                        WindowState.paths + DeviceFabrics.paths, isFabricFiltered: false,
                        deadline: min(end, budget(plan).deadline(for: node)))
                    guard try WindowState(read, of: node.title).mode == .closed else { return nil }
                    return try DeviceFabrics(read, of: node.title).hasGrown(since: before)
                }
                if let isJoined { return isJoined }
            } catch {
                try Task.checkCancellation()
                options.logger.info("the window of \(node.title) could not be looked at: \(error)")
            }
        }
        return nil
    }

    // MARK: A server

    private func handOver(
        _ node: NodeRecord, _ window: OpenedWindow, to server: MatterServer, _ plan: SharePlan
    ) async throws -> ShareStep.ServerNode {
        let runOut = options.time.now + window.duration
        let end = plan.deadline.map { min($0, runOut) } ?? runOut
        let id: UInt64
        do {
            guard let code = try window.payload?.qrCode() else { throw Self.notInTime }
            id = try await server.commission(code, of: node.title, deadline: end)
        } catch {
            // Without the server the window is of no use. It is closed also if this task is cancelled.
            await close(node)
            guard var silent = error as? ShareError, [.serverSilent, .serverLost].contains(silent.code),
                let index = try? await fabrics(of: node, lateBudget(plan)).index(of: server.fabric)
            else { throw error }
            silent.reason += "; the device has the server's fabric now, with the number \(index)"
            throw silent
        }
        // The device has closed it itself, unless the server got in by another way.
        let state = try? await administration.windowState(of: node, title: node.title, budget: lateBudget(plan)).state
        if let state, state.mode != .closed { await close(node) }
        let table = try? await fabrics(of: node, lateBudget(plan))
        let index = table?.index(of: server.fabric)
        if table != nil, index == nil {
            options.warn("the server says that it has \(node.title), which does not have the fabric of the server", nil)
        }
        return ShareStep.ServerNode(node: id, fabricIndex: index)
    }

    private func close(_ node: NodeRecord) async {
        let budget = Task.isCancelled ? Budget(Self.farewell) : Budget(nil)
        await options.time.start {
            do {
                _ = try await administration.closeWindow(of: node, title: node.title, budget: budget)
            } catch {
                options.warn(
                    "the window of \(node.title) could not be closed, and is open until it runs out: \(error)",
                    .step("window.close", node.label))
            }
        }.value
    }
}

extension ShareStep {
    /// Whether it is known what comes of the device.
    fileprivate func isSettled(_ isForPerson: Bool) -> Bool {
        switch self {
        case .begun, .used, .ranOut: false
        case .open: isForPerson
        case .shared, .present, .failed: true
        }
    }
}

extension DeviceFabrics {
    /// The number of a fabric on the device; `nil` if it is not there.
    fileprivate func index(of fabric: CompressedFabricID) -> UInt8? {
        fabrics.first { $0.compressedFabricID == fabric }?.index
    }

    /// Whether there is a fabric that was not there before.
    fileprivate func hasGrown(since before: DeviceFabrics) -> Bool {
        let known = before.fabrics.map(\.index)
        return fabrics.contains { !known.contains($0.index) }
    }
}
