import Synchronization

/// The work that a command leaves for the time when its answer is on its way.
final class Afterwards: Sendable {
    private let work = Mutex<[@Sendable () -> Void]>([])

    func add(_ work: @escaping @Sendable () -> Void) { self.work.withLock { $0.append(work) } }

    /// Does it, once.
    func run() {
        let work = work.withLock { work in
            defer { work = [] }
            return work
        }
        for step in work { step() }
    }
}
