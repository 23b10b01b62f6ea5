/// The faults of one step of a run.
enum Fault: String, CaseIterable, Hashable, Sendable {
    /// The message is lost.
    case lost
    /// It comes long after those that were sent later.
    case late
    /// It comes twice, the second time long after.
    case doubled
    /// It comes twice, the second time among the next messages.
    case echoed
    /// The next messages overtake it.
    case reordered
    /// It and all others of the next moment come long after.
    case heldUp
    /// The process is killed, and with it goes what it has not written.
    case killed
    /// The device is started again.
    case restarted
    /// The device needs the place of our oldest session for another peer.
    case evicted
    /// The record of the kept session is the one that the process before has found.
    case takenBack
    /// Another administrator changes what the device has.
    case edited

    /// The faults of the runs with three of them. The other two are mixtures of these.
    static let simple = Set(allCases).subtracting([.echoed, .heldUp])

    var isOfMessage: Bool {
        switch self {
        case .lost, .late, .doubled, .echoed, .reordered, .heldUp: true
        case .killed, .restarted, .evicted, .takenBack, .edited: false
        }
    }
}

/// A step of a run, and which faults need not be tried on it, because another run shows what they would.
struct Step: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        /// A message between the device and a process that can be killed, or that cannot, because it is over or not alone.
        case message(canKill: Bool)
        /// A process begins.
        case start
    }

    let kind: Kind
    /// Those that change nothing: the fate of a message that its receiver does not take in, or the lateness of one that
    /// nothing overtakes meanwhile.
    var idle: [Fault] = []
    /// Those that change what they would have changed one step earlier: what they befall has done nothing since.
    var asBefore: [Fault] = []
    /// Whether the receiver of the message is gone by the time at which a late copy comes.
    var isGoneLater = false

    func allows(_ fault: Fault) -> Bool {
        switch kind {
        case .message(let canKill): fault != .takenBack && (fault != .killed || canKill)
        case .start: fault == .takenBack
        }
    }
}

/// The faults of one run, in the order of their steps.
struct Schedule: Hashable, Sendable, CustomStringConvertible {
    struct Entry: Hashable, Sendable {
        let step: Int
        let fault: Fault
    }

    private(set) var entries: [Entry] = []

    init() {}

    /// - Parameter text: as ``description`` has it.
    init?(_ text: String) {
        for word in text.split(separator: ",") where word.contains(where: { $0 != " " }) {
            let parts = word.split(separator: " ")
            guard parts.count == 2, let step = Int(parts[0]), let fault = Fault(rawValue: String(parts[1])) else {
                return nil
            }
            entries.append(Entry(step: step, fault: fault))
        }
    }

    var description: String { entries.map { "\($0.step) \($0.fault.rawValue)" }.joined(separator: ", ") }

    /// The same with another last fault.
    func with(_ last: Fault) -> Schedule? {
        guard let entry = entries.last else { return nil }
        var other = self
        other.entries[entries.count - 1] = Entry(step: entry.step, fault: last)
        return other
    }

    func faults(at step: Int) -> [Fault] { entries.filter { $0.step == step }.map(\.fault) }

    /// The schedules with one fault more, none before the last one, in a run that had these steps.
    ///
    /// - Parameters:
    ///   - isLast: whether no fault comes after it. Then a copy that comes when its receiver is gone changes nothing;
    ///     otherwise what comes in between might have kept the receiver.
    ///   - all: whether those that need not be tried are among them.
    func successors(in run: [Step], _ faults: Set<Fault>, isLast: Bool, all: Bool = false) -> [Schedule] {
        var successors: [Schedule] = []
        let last = entries.last
        // The first step that something other than the fate of a message can befall.
        let first = last.map { $0.fault.isOfMessage ? $0.step : $0.step + 1 } ?? 0
        for (number, step) in run.enumerated().dropFirst(last?.step ?? 0) {
            for fault in Fault.allCases where faults.contains(fault) && step.allows(fault) {
                // A message has one fate; something else may happen at the same moment.
                if let last, last.step == number, !last.fault.isOfMessage || fault.isOfMessage { continue }
                // Each of the others happens once.
                if !fault.isOfMessage, entries.contains(where: { $0.fault == fault }) { continue }
                if !all {
                    if step.idle.contains(fault) || step.asBefore.contains(fault) && number > first { continue }
                    if isLast, step.isGoneLater, fault == .doubled { continue }
                }
                var next = self
                next.entries.append(Entry(step: number, fault: fault))
                successors.append(next)
            }
        }
        return successors
    }
}
