import NIOCore

/// The threads that sockets are served on.
package enum TransportThreads {
    /// Starts one instead of one for each processor. To be called once, before the first socket is opened.
    package static func limitToOne() { NIOSingletons.groupLoopCountSuggestion = 1 }
}
