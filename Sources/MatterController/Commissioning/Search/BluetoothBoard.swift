import MatterNetwork

/// The devices that a Bluetooth scan has found, and what came of them: a state machine without I/O or clock.
///
/// One device is tried at a time: of those that had the fewest turns, the one with the strongest signal. Bluetooth
/// connections fail often, so that a device has several turns; one that has refused has none.
struct BluetoothBoard: Sendable {
    /// The turns of one device.
    static let mostTurns = 3
    /// The pause after a turn that failed.
    private static let pause = Duration.milliseconds(500)
    /// How long to look for further devices after all so far have failed.
    private static let grace = Duration.seconds(3)
    /// How long to wait before a device is tried again that says that it is closed: its commissioning may have been cut
    /// short, and it opens again by itself.
    private static let reopening = Duration.seconds(3)
    /// Devices that are remembered.
    static let capacity = 64

    enum Event: Sendable {
        case seen(BluetoothDevice)
        /// The scan cannot go on.
        case scanFailed(any Error)
        /// The turn of a device ended without a session.
        case failed(address: String, any Error)
        case pauseEnded
        case graceEnded
        /// A device that said that it is closed may have opened again.
        case reopening(address: String)
        /// The look-out for devices is over.
        case lookoutEnded
        /// The time of the caller is over.
        case timeUp
    }

    enum Action: Sendable {
        /// The first device that matches is there.
        case sayLocated
        /// Connect to a device and try the passcode on it.
        case pair(BluetoothDevice)
        /// Come back with the event after that time.
        case wait(Duration, then: Event)
        /// There was no device at all.
        case failUnfound
        /// All devices refused us or could not be reached: those that refused, and the last failure of the others.
        case fail(
            refusals: [(device: BluetoothDevice, error: SessionError)],
            last: (device: BluetoothDevice, error: any Error)?)
        /// Something failed that is not a device's fault.
        case abort(any Error)
    }

    private struct Candidate {
        var device: BluetoothDevice
        var turns = 0
        var refusal: SessionError?
        /// True while it is left alone because it said that it is closed.
        var isClosed = false
    }

    /// True if a device that says that it is closed is tried as long as there is time.
    private let waitsForWindow: Bool
    private var candidates: [String: Candidate] = [:]
    /// The device that is being tried.
    private var trying: String?
    private var isPausing = false
    private var lastFailure: (device: BluetoothDevice, error: any Error)?

    init(waitsForWindow: Bool = true) { self.waitsForWindow = waitsForWindow }

    mutating func handle(_ event: Event) -> [Action] {
        var actions: [Action] = []
        switch event {
        case .seen(let device):
            if candidates.isEmpty { actions.append(.sayLocated) }
            note(device)
        case .scanFailed(let error):
            // Findings from before can still be tried.
            if !isHopeful { return [.abort(error)] }
        case .failed(let address, let error):
            trying = nil
            if error is CancellationError { return [.abort(error)] }
            isPausing = true
            noteFailure(of: address, error)
            let mayOpen = candidates[address]?.isClosed ?? false
            return [.wait(Self.pause, then: .pauseEnded)]
                + (mayOpen ? [.wait(Self.reopening, then: .reopening(address: address))] : [])
        case .reopening(let address):
            candidates[address]?.isClosed = false
            candidates[address]?.turns = 0
        case .pauseEnded:
            isPausing = false
            if !isHopeful { return [.wait(Self.grace, then: .graceEnded)] }
        case .graceEnded:
            if !isHopeful { return [failure] }
        case .lookoutEnded:
            if candidates.isEmpty { return [.failUnfound] }
        case .timeUp:
            return [candidates.isEmpty ? .failUnfound : failure]
        }
        return actions + startNext()
    }

    private mutating func note(_ device: BluetoothDevice) {
        if candidates[device.address] != nil {
            candidates[device.address]?.device = device
        } else if candidates.count < Self.capacity {
            candidates[device.address] = Candidate(device: device)
        }
    }

    private mutating func noteFailure(of address: String, _ error: any Error) {
        guard let candidate = candidates[address] else { return }
        if let refusal = error as? SessionError, refusal.code == .refused {
            candidates[address]?.refusal = refusal
            candidates[address]?.isClosed = waitsForWindow && refusal.refusal?.code == .windowClosed
        } else {
            candidates[address]?.refusal = nil
            lastFailure = (candidate.device, error)
        }
    }

    private func mayBeTried(_ candidate: Candidate) -> Bool {
        let isRefused = candidate.refusal.map { $0.refusal?.code != .windowClosed || !waitsForWindow } ?? false
        return !isRefused && !candidate.isClosed && candidate.turns < Self.mostTurns
    }

    /// True if a device is being tried or can be.
    private var isHopeful: Bool {
        trying != nil || candidates.values.contains { mayBeTried($0) || $0.isClosed }
    }

    private mutating func startNext() -> [Action] {
        guard trying == nil, !isPausing else { return [] }
        func rank(_ candidate: Candidate) -> (Int, Int, String) {
            (candidate.turns, -(candidate.device.rssi ?? Int(Int8.min)), candidate.device.address)
        }
        guard let next = candidates.values.filter(mayBeTried).min(by: { rank($0) < rank($1) }) else { return [] }
        trying = next.device.address
        candidates[next.device.address]?.turns += 1
        return [.pair(next.device)]
    }

    private var failure: Action {
        let refusals = candidates.values.compactMap { candidate in
            candidate.refusal.map { (device: candidate.device, error: $0) }
        }.sorted { $0.device.address < $1.device.address }
        return .fail(refusals: refusals, last: lastFailure)
    }
}
