import MatterNetwork
import TestSupport
package import Testing

/// Waits for something that is about to happen, by the time of the test under way.
package func eventually(
    within time: Duration = patience, _ location: SourceLocation = #_sourceLocation,
    _ condition: () async throws -> Bool
) async throws {
    let deadline = testTime.now + time
    while testTime.now < deadline {
        if try await condition() { return }
        try await testTime.sleep(for: .milliseconds(5))
    }
    Issue.record("it did not happen within \(time)", sourceLocation: location)
}
