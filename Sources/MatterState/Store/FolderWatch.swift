import Glibc
package import MatterNetwork

/// Says that records of a folder may have changed, whichever process changed them (inotify(7)).
///
/// Who waits makes one, looks, and waits: what changes between the two ends the wait at once.
package final class FolderWatch: Sendable {
    private static let changes = UInt32(IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE | IN_DELETE_SELF)
    /// The pause before another look, where the kernel watches no folder for us, or time does not pass while a thread waits.
    private static let step = Duration.milliseconds(100)

    private let descriptor: Int32?
    private let time: any TimeSource

    fileprivate init(_ path: String, _ time: any TimeSource) {
        self.time = time
        guard !time.isStepped else {
            descriptor = nil
            return
        }
        let new = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        let isWatched = new >= 0 && inotify_add_watch(new, path, Self.changes) >= 0
        if new >= 0, !isWatched { close(new) }
        descriptor = isWatched ? new : nil
    }

    deinit { if let descriptor { close(descriptor) } }

    /// Waits until something may have changed, or until the deadline.
    ///
    /// - Throws: `CancellationError`.
    package func change(until deadline: Instant) async throws {
        guard let descriptor else {
            return try await time.sleep(for: max(.zero, min(Self.step, deadline - time.now)))
        }
        do {
            guard try await KernelWait.ready(reading: [descriptor]).happens(until: deadline, of: time) else { return }
        } catch is KernelWaitError {
            return try await time.sleep(for: max(.zero, min(Self.step, deadline - time.now)))
        }
        // Its state is read from the records.
        var events = [UInt8](repeating: 0, count: 4096)
        while read(descriptor, &events, events.count) > 0 {}
    }
}

extension StateDirectory {
    /// Watches the records of a folder, which need not be there yet; it has to be to notice anything.
    package func watch(_ folder: String) -> FolderWatch { FolderWatch("\(path)/\(folder)", time) }
}
