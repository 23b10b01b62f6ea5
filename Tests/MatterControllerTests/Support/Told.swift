import MatterModel
import Synchronization

/// The commands that a device got.
final class Told: Sendable {
    private let state = Mutex<[CommandDataIB]>([])

    var commands: [CommandDataIB] { state.withLock { $0 } }

    func note(_ command: CommandDataIB) { state.withLock { $0.append(command) } }
}
