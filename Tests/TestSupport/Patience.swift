/// How long a test waits in real time for what is about to happen: one limit for all. It is for a defect, which would keep
/// a test waiting for ever; the load of a machine does not reach it.
package let patience = Duration.seconds(900)

/// An event that a test has waited for in vain.
package struct WaitedInVain: Error, CustomStringConvertible {
    package let description: String
}

/// Waits in real time until something is so. For what happens on virtual time there is `eventually`.
package func awaitEvent(
    _ what: @autoclosure () -> String, within limit: Duration = patience, _ condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < end else {
            throw WaitedInVain(description: "waited \(limit) in vain for \(what())")
        }
        // Nothing tells of files, children and threads: it looks again and again.
        try await Task.sleep(for: .milliseconds(5))
    }
}
