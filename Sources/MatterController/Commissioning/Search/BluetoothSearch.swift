import MatterNetwork

/// Finds the device that a setup code belongs to over Bluetooth, and pairs with it.
struct BluetoothSearch: Sendable {
    /// How long one turn of a device may take: its connection, the handshake of BTP and PASE.
    private static let turn = Duration.seconds(60)

    /// How long after the deadline the failure of the last device is waited for.
    private static let lastWord = Duration.milliseconds(500)

    /// Connects to a device and sets up PASE with it.
    typealias Pair = @Sendable (_ device: BluetoothDevice, _ deadline: Instant) async throws -> PairedDevice

    let time: any TimeSource
    let central: any BluetoothCentral
    let request: CommissioningRequest
    /// The end of the look-out for devices; pairing may go on beyond it.
    let lookoutEnds: Instant
    let deadline: Instant
    /// True if a device that says that it is closed is tried as long as there is time.
    let waitsForWindow: Bool
    let pair: Pair
    /// Told of the first device that matches.
    let located: @Sendable () -> Void
    let note: @Sendable (String) -> Void

    private enum Event: Sendable {
        case board(BluetoothBoard.Event)
        case paired(PairedDevice)
    }

    /// - Throws: ``CommissioningError``, what the scan throws, `CancellationError`.
    func run() async throws -> PairedDevice {
        let (events, send) = AsyncStream.makeStream(of: Event.self)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            var board = BluetoothBoard(waitsForWindow: waitsForWindow)
            group.addTask { await scan(send) }
            group.addTask {
                try? await time.sleep(until: lookoutEnds)
                send.yield(.board(.lookoutEnded))
            }
            group.addTask {
                // A device that was tried until the end says a moment later what became of it.
                try? await time.sleep(until: deadline + Self.lastWord)
                send.yield(.board(.timeUp))
            }
            for await event in events {
                let boardEvent: BluetoothBoard.Event
                switch event {
                case .board(let event): boardEvent = event
                case .paired(let device): return device
                }
                try Task.checkCancellation()
                for action in board.handle(boardEvent) {
                    switch action {
                    case .sayLocated: located()
                    case .pair(let device):
                        let end = min(deadline, time.now + Self.turn)
                        group.addTask {
                            do {
                                send.yield(.paired(try await pair(device, end)))
                            } catch {
                                if !(error is CancellationError) {
                                    note("over Bluetooth, \(device.address): \(error)")
                                }
                                send.yield(.board(.failed(address: device.address, error)))
                            }
                        }
                    case .wait(let pause, let event):
                        group.addTask {
                            try? await time.sleep(for: pause)
                            send.yield(.board(event))
                        }
                    case .failUnfound: throw nothingFound()
                    case .abort(let error): throw error
                    case .fail(let refusals, let last): throw failure(refusals, last)
                    }
                }
            }
            throw CancellationError()
        }
    }

    private func scan(_ send: AsyncStream<Event>.Continuation) async {
        do {
            for try await device in central.scan() where request.mayMean(device.advertisement) {
                send.yield(.board(.seen(device)))
            }
        } catch {
            send.yield(.board(.scanFailed(error)))
        }
    }

    private func nothingFound() -> CommissioningError {
        CommissioningError(
            .nothingDiscovered, stage: .discover, "no device \(request.sought) advertised over Bluetooth",
            hint: .step("discover.nothing-over-bluetooth"))
    }

    /// Answers of devices count more than silence.
    private func failure(
        _ refusals: [(device: BluetoothDevice, error: SessionError)],
        _ last: (device: BluetoothDevice, error: any Error)?
    ) -> any Error {
        if refusals.isEmpty, last == nil {
            return CommissioningError(
                .noAnswer, stage: .pase, "the device that was found over Bluetooth could not be paired in time",
                hint: .step("bluetooth.lost"))
        }
        guard refusals.isEmpty, let last else {
            return PASEFailure.error(
                refusals.compactMap(\.error.refusal), tried: refusals.map(\.device.address).joined(separator: ", "),
                isContradicted: refusals.contains { $0.error.isContradicted })
        }
        // A fault of this host has its own cure.
        guard last.error is TransportError || last.error is SessionError else { return last.error }
        let reason = (last.error as? SessionError).map { "\(SessionAccount($0))" } ?? "\(last.error)"
        return CommissioningError(
            .noAnswer, stage: .pase,
            "the device at \(last.device.address) could not be paired over Bluetooth: \(reason)",
            hint: .step("bluetooth.lost"), underlying: last.error)
    }
}
