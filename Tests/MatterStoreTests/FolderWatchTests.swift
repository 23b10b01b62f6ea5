import TestSupport
import Testing

@testable import MatterState

@Suite("folder watch", .together)
struct FolderWatchTests {
    @Test("a record that is written, replaced or deleted ends the wait, also between the look and the wait")
    func changes() async throws {
        let folder = try TemporaryFolder()
        let store = folder.store
        try store.write("icd/5", [1])
        let watch = store.watch("icd")
        // A change ends the wait, and not this; among all tests, a task may wait for minutes until it runs.
        let end = ContinuousClock.now + .seconds(1800)
        try store.write("icd/5", [2])
        try await watch.change(until: end)
        async let replaced: Void = watch.change(until: end)
        // For the thread to be in the kernel; it need not be.
        try await Task.sleep(for: .milliseconds(20))
        try store.write("icd/6", [3])
        try await replaced
        try store.delete("icd/5")
        try await watch.change(until: end)
        #expect(ContinuousClock.now < end)
    }

    @Test("nothing that changes lets the wait end at its deadline; so does a folder that is not there")
    func deadline() async throws {
        let folder = try TemporaryFolder()
        try folder.store.write("icd/5", [1])
        for name in ["icd", "other"] {
            let end = ContinuousClock.now + .milliseconds(150)
            let watch = folder.store.watch(name)
            while ContinuousClock.now < end { try await watch.change(until: end) }
        }
    }
}
