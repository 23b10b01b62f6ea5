import Logging
public import MatterState

/// A commissioning window that was opened (Matter core specification, 11.19).
public struct OpenedWindow: Sendable {
    /// The code that admits; `nil` for the device's own code.
    public let payload: SetupPayload?
    /// How long it stays open.
    public let duration: Duration
    /// The end of the window in seconds since 1970, by the clock of this host.
    public let end: Int64
}

/// Windows for other administrators (Matter core specification 11.19).
extension AdministrationService {
    /// How long a window may be open (11.19.8.1).
    public static let windowDurations: ClosedRange<Duration> = .seconds(180) ... .seconds(900)

    /// Opens a node's commissioning window, with a new setup code or with the device's own.
    ///
    /// - Parameters:
    ///   - isBasic: whether with the device's own setup code.
    ///   - duration: in whole seconds, within ``windowDurations``.
    ///   - title: the node in messages.
    /// - Throws: ``ControllerError`` `windowOpen` or `nodeBusy`; `outcomeUnknown` with the state of the window.
    public func openWindow(
        of node: NodeRecord, isBasic: Bool, for duration: Duration, title: String, budget: Budget
    ) async throws -> OpenedWindow {
        typealias Product = BasicInformation.Attribute
        let products = [Product.vendorID, Product.productID].map {
            ConcreteAttributePath(endpoint: 0, cluster: BasicInformation.id, attribute: $0)
        }
        let link = try await links.link(to: node)
        let deadline = budget.deadline(for: node)
        let read = try await link.read(
            WindowState.paths + products.map { AttributePath($0) }, isFabricFiltered: false, deadline: deadline)
        let state = try WindowState(read, of: title)
        guard state.mode == .closed else { throw ControllerError.windowOpen(state, of: node, title) }
        let seconds = UInt16(clamping: duration.components.seconds)
        let code = isBasic ? nil : try WindowCode(options.random)
        let command =
            try code?.command(seconds: seconds)
            ?? Command(AdministratorCommissioning.OpenBasicCommissioningWindow(commissioningTimeout: seconds), at: 0)
        try await administrate(command, .atMostOnce, link, node, title, deadline: deadline)
        let end = options.unixTime() + Int64(seconds)
        await rememberWindow(of: node, until: end)
        let ids: [UInt16?] = products.map { path in read.attribute(path)?.value.flatMap { UInt16(tlv: $0) } }
        return OpenedWindow(
            payload: code?.payload(vendorID: ids[0] ?? node.vendorID, productID: ids[1] ?? node.productID),
            duration: .seconds(Int64(seconds)), end: end)
    }

    /// Closes a node's commissioning window; the device ends a commissioning that is under way there.
    ///
    /// - Returns: whether one was open.
    /// - Throws: ``ControllerError`` if the node refuses or cannot do it, ``SessionError`` if it does not answer.
    public func closeWindow(of node: NodeRecord, title: String, budget: Budget) async throws -> Bool {
        let command = Command(AdministratorCommissioning.RevokeCommissioning(), at: 0)
        let link = try await links.link(to: node)
        do {
            // A second time, the window is closed already.
            try await administrate(command, .absolute, link, node, title, deadline: budget.deadline(for: node))
        } catch let error as ControllerError where error.isWindowClosed {
            await rememberWindow(of: node, until: nil)
            return false
        }
        await rememberWindow(of: node, until: nil)
        return true
    }

    /// A node's statement on its commissioning window.
    ///
    /// - Returns: also its end in seconds since 1970, if this program opened it.
    /// - Throws: ``ControllerError`` if the node refuses or cannot do it, ``SessionError`` if it does not answer.
    public func windowState(
        of node: NodeRecord, title: String, budget: Budget
    ) async throws -> (state: WindowState, end: Int64?) {
        let read = try await links.link(to: node).read(
            WindowState.paths, isFabricFiltered: false, deadline: budget.deadline(for: node))
        let state = try WindowState(read, of: title)
        let end = node.windowEnd.flatMap { $0 > options.unixTime() ? $0 : nil }
        return (state, state.opener?.isOurs ?? false ? end : nil)
    }

    /// All three commands need a timed interaction.
    private func administrate(
        _ command: Command, _ repeatability: NodeLink.Repeatability, _ link: NodeLink, _ node: NodeRecord,
        _ title: String, deadline: Instant
    ) async throws {
        let result: CommandResult
        do {
            result = try await link.invoke(command, isTimed: true, repeatability, deadline: deadline)
        } catch var error as ControllerError where error.code == .outcomeUnknown {
            if !error.isOfSilentNode { error.state = await link.stateAfterwards(of: [command]) }
            error.hint = .step("window.close", node.label)
            throw error
        }
        if result.status.significantClusterStatus == AdministratorCommissioning.StatusCode.busy.rawValue {
            throw ControllerError(
                .nodeBusy, "\(title) is busy: another administrator is commissioning it, or has a window open",
                hint: .step("window.status", node.label), status: result.status)
        }
        try Outcome.check(result, of: title)
    }

    /// The device does not tell when its window ends. A note that cannot be kept costs only that.
    private func rememberWindow(of node: NodeRecord, until end: Int64?) async {
        do {
            try await context.nodes().update(node.nodeID) { $0.windowEnd = end }
        } catch {
            options.logger.warning("the end of the window of \(node.title) could not be stored: \(error)")
        }
    }
}

extension ControllerError {
    fileprivate static func windowOpen(_ state: WindowState, of node: NodeRecord, _ title: String) -> ControllerError {
        let who =
            switch state.opener {
            case nil: ""
            case let opener? where opener.isOurs: ", opened by our own fabric"
            case let opener?:
                ", opened by another fabric" + (opener.fabricIndex.map { " (fabric index \($0))" } ?? "")
            }
        return ControllerError(
            .windowOpen, "\(title) has a commissioning window open already\(who)",
            hint: .step("window.close", node.label))
    }

    fileprivate var isWindowClosed: Bool {
        code == .status
            && status?.significantClusterStatus == AdministratorCommissioning.StatusCode.windowNotOpen.rawValue
    }
}
