import Foundation
import Testing

/// The examination of a device that is not ours: CircuitMatter's light, with its known faults.
@Suite("Examining a light of another maker", .enabled(if: Laboratory.isHere), .laboratorySlot)
struct ConformanceTests {
    /// The faults that its makers know of, or could: docs/interop.md.
    private static let faults = [
        "0 root.device-type", "0/Descriptor/ServerList descriptor.server-list",
        "0/AccessControl/Extension value.unreadable",
        "0/NetworkCommissioning/SupportedThreadFeatures value.unreadable",
        "0/NetworkCommissioning/ThreadVersion value.unreadable",
    ]

    @Test("its faults are failures by name; what its old revisions explain is none; the maker is told all")
    func circuitMatter() async throws {
        let scene = try await Scene.commissioned()
        defer { scene.end() }
        let run = try await scene.matterctl.run(["conform", "kitchen", "--json"])
        #expect(run.status == 12, "\(run)")
        let findings = try #require(try run.json()["findings"]?.elements)
        let failures = findings.filter { $0["severity"]?.string == "failure" }.map {
            "\($0["place"]?.string ?? "") \($0["rule"]?.string ?? "")"
        }
        #expect(Set(failures) == Set(Self.faults), "\(failures)")
        let notes = findings.filter { $0["severity"]?.string == "note" }
        #expect(notes.contains { $0["place"]?.string == "1/Identify/IdentifyTime" })
        let strict = try await scene.matterctl.run(["conform", "kitchen", "--strict", "--json"])
        #expect(strict.status == 12)
        #expect(try strict.json()["failures"]?.int ?? 0 > 50)
    }
}
