import Logging
import MatterController

/// Firmware of nodes: that of the ledger, and that which is here.
extension InterfaceCommands {
    func checkUpdate(_ arguments: InterfaceArguments) async throws -> Result {
        let id = try arguments.node()
        guard !isTest(id) else { return Self.null }
        let node = try await house.node(id)
        guard let check = UpdateCheck(node) else {
            guard settings.ledger != nil else { return Self.null }
            throw InterfaceError(.updateCheck, "Node \(id.rawValue) has not told its product and its version.")
        }
        let local = firmware.images(for: check).map(\.header)
        var offered: ModelVersion?
        do {
            let cache = LedgerCache(controller.options.state, .main)
            if let ledger = settings.ledger {
                offered = try await check.newest(by: ledger, cache, now: controller.options.unixTime())
            }
        } catch {
            try Task.checkCancellation()
            guard !local.isEmpty else {
                throw InterfaceError(.updateCheck, InterfaceFailure.error(error).details)
            }
            let why = InterfaceFailure.error(error).details
            logger.info("firmware of node \(id.rawValue) is looked for here only: \(why)")
        }
        if let image = UpdateCheck.preferred(local, over: offered) {
            return [UpdateCheck.encoded(image, productID: check.productID)]
        }
        return offered.map { [check.encoded($0)] } ?? Self.null
    }

    /// Gives a node other firmware, which is here or which the ledger names, and answers when the node runs it.
    func updateNode(_ arguments: InterfaceArguments) async throws -> Result {
        let id = try arguments.node()
        let wanted = try UpdateCheck.Wanted(arguments)
        guard !isTest(id) else { return Self.null }
        let node = try await house.node(id)
        guard let check = UpdateCheck(node) else {
            throw InterfaceError(.update, "Node \(id.rawValue) has not told its product and its version.")
        }
        let record = try await ready(id)
        try memory.beginUpdate(of: id)
        defer { memory.endUpdate(of: id) }
        do {
            let image = try await self.image(wanted, for: check, id)
            logger.info("node \(id.rawValue) goes from version \(check.version) to \(image.version)")
            try await controller.updates.update(record, title: "node \(id.rawValue)", with: image) {
                [logger] progress in
                if case .downloading(let sent, let size) = progress, sent < size { return }
                logger.info("the update of node \(id.rawValue): \(progress)")
            }
            try? await house.interview(id)
            return Self.null
        } catch let error as InterfaceError {
            throw error
        } catch {
            try Task.checkCancellation()
            throw InterfaceError(.update, InterfaceFailure.error(error).details)
        }
    }

    /// The image of the version that is asked for.
    private func image(_ wanted: UpdateCheck.Wanted, for check: UpdateCheck, _ id: NodeID) async throws -> UpdateImage {
        let local = firmware.images(for: check)
        if let file = local.first(where: { wanted.means($0.header.version, $0.header.versionText) }) {
            return try file.image()
        }
        let (cache, now) = (LedgerCache(controller.options.state, .main), controller.options.unixTime())
        guard let ledger = settings.ledger,
            let entry = try await check.entry(wanted, by: ledger, cache, now: now), let url = entry.updateURL
        else { throw InterfaceError(.updateCheck, "the ledger offers node \(id.rawValue) no version \(wanted)") }
        let image = try await ledger.withListFetcher(.main, deadline: .now + UpdateCheck.download) { fetcher in
            try await fetcher.fetchImage(url)
        }
        try image.check(against: entry, vendorID: check.vendorID, productID: check.productID)
        return image
    }

    /// Reserves an upload, which then comes to the listener by itself.
    func uploadFirmware(_ arguments: InterfaceArguments) throws -> Result {
        guard let visitor = arguments.visitor else { throw InterfaceError(.otaUpload, "no one has asked") }
        return [try firmware.reserve(for: visitor).utf8()]
    }
}
