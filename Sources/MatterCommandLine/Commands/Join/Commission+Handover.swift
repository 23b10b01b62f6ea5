import MatterController

/// Commissioning on two machines: the one that reaches the device, and the one on the network of the fabric.
extension Commission {
    /// The largest handover, in bytes.
    private static var largestHandover: Int { 65_536 }

    /// Writes what completes the device that was left as it is.
    func handOver(
        _ stop: CommissioningError, _ requests: [CommissioningRequest], _ context: CommandContext
    ) async throws {
        guard let handover, case .pending(let id, let within) = stop.aftermath, let request = requests.first else {
            throw stop
        }
        let contents = try context.controller.commissioning.handover(of: NodeID(id), passcode: request.code.passcode)
        try OutputFile.replace(contents.encoded(), at: handover)
        guard context.console.isJSON else {
            context.console.result("\(id)")
            return context.console.message(
                "within \(Spelled.seconds(within)), on the other machine: matterctl commission --complete "
                    + TerminalText.escaped(handover) + " (the file has keys in it)")
        }
        context.console.object {
            Field("node", NodeID(id))
            Field("handover", handover)
            Field("expiresInSeconds", within.components.seconds)
        }
    }

    /// Completes what another machine has handed over.
    func finish(_ file: String, _ context: CommandContext) async throws {
        let handover: Handover
        do {
            handover = try Handover(
                decoding: InputFile.contents(file, largest: Self.largestHandover), file)
        } catch let error as CommandLineError {
            throw error
        } catch {
            throw CommandLineError(.usageHandover, "\(file) is not a handover of a commissioning: \(error)")
        }
        let fabric = try await context.controller.commissioning.fabric(of: handover)
        try await context.onFabric(fabric) { context in
            let printer = ProgressPrinter(context.progress, isJSON: context.console.isJSON)
            defer { printer.finish() }
            let (node, result) = try await context.controller.commissioning.complete(
                handover, name: name, room: room, readsEndpoints: !noPost, progress: { printer.report($0) },
                deadline: context.deadline)
            printer.finish()
            try await show(node, result, LedgerNames(context.controller.options.state), context)
        }
    }
}
