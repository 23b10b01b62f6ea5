import CAvahi
import MatterBase

/// Avahi's event loop, on a thread of its own.
final class AvahiLoop: Sendable {
    let thread = LibraryThread("Avahi", wake: { cavahi_loop_wake($0) }, quit: { cavahi_loop_quit($0) })
    private let library: AvahiLibrary

    /// Starts the thread.
    ///
    /// - Throws: `outOfResources` where there is no memory, thread or descriptor for it.
    init(_ library: AvahiLibrary) throws(DiscoveryError) {
        self.library = library
        let isRunning = thread.begin(for: self) { context in
            cavahi_loop_start(
                library.handle,
                { context in
                    guard let context else { return }
                    Unmanaged<AvahiLoop>.fromOpaque(context).takeUnretainedValue().thread.runJobs()
                }, { LibraryThread.ended($0) }, context)
        }
        guard isRunning else { throw DiscoveryError(.outOfResources, "the discovery thread cannot be started") }
    }

    /// Makes a client, on the thread; Avahi calls back before this returns.
    func makeClient(
        waitForDaemon: Bool, _ callback: CAvahiClientCallback, _ user: UnsafeMutableRawPointer, _ error: inout Int32
    ) -> OpaquePointer? {
        thread.withLoop { cavahi_client_new($0, waitForDaemon ? 1 : 0, callback, user, &error) }
    }
}
