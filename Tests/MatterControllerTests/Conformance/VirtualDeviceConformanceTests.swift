import TestSupport
import Testing

@testable import MatterController
@testable import MatterModel
@testable import MatterSimulator

/// Every kind of virtual device against the rules for makers.
@Suite("Virtual devices conform", .beside) struct VirtualDeviceConformanceTests {
    static let kinds = SimulatedType.all.map(\.name)

    /// The findings that a virtual device may have: it has the vendor id of a test vendor, as only makers have others.
    private func unexpected(_ report: ConformanceReport) -> [String] {
        var report = report
        report.findings.removeAll { $0.rule == "default.vendor" }
        return ConformanceBench.words(report)
    }

    @Test("each kind passes the strict examination", arguments: kinds)
    func alone(_ kind: String) throws {
        let report = try ConformanceBench([kind]).report(isStrict: true)
        #expect(report.attributes > 100)
        #expect(unexpected(report).isEmpty, "\(kind): \(unexpected(report).joined(separator: "\n"))")
    }

    @Test("so do all of them on one node, in use and strictly", arguments: [false, true])
    func together(_ isStrict: Bool) throws {
        let report = try ConformanceBench(Self.kinds).report(isStrict: isStrict)
        #expect(report.attributes > 1000)
        #expect(unexpected(report).isEmpty, "\(unexpected(report).joined(separator: "\n"))")
    }

    @Test("so do several of one kind, and bridges beside each other")
    func twins() throws {
        // More of a kind than there are tags of numbers.
        let many = [String](repeating: "on-off-light", count: 21)
        for kinds in [["on-off-light", "on-off-light", "aggregator", "aggregator"], many] {
            let report = try ConformanceBench(kinds).report(isStrict: true)
            #expect(unexpected(report).isEmpty, "\(unexpected(report).joined(separator: "\n"))")
        }
    }

    /// Nodes whose root endpoints differ.
    static let roots: [@Sendable (inout NodeConfiguration) -> Void] = [
        { $0.network = .ethernet }, { $0.network = .wifi }, { $0.network = .thread },
        { $0.sleep = SleepHabits(idle: 60) }, { $0.terms = DemandedTerms(minimumVersion: 1, required: 1) },
        { $0.isConcurrent = false },
    ]

    @Test("so do nodes with a radio, that sleep, or that want terms accepted", arguments: roots.indices)
    func special(_ index: Int) throws {
        let report = try ConformanceBench(["contact-sensor"], changing: Self.roots[index]).report(isStrict: true)
        #expect(unexpected(report).isEmpty, "\(unexpected(report).joined(separator: "\n"))")
    }

    /// The names in the description below.
    static let places = ["a", "b", "f", "g"]

    @Test("so do nodes in a described network, with the diagnostics of their interfaces", arguments: places)
    func placed(_ name: String) throws {
        let text = """
            {"thread":[{"name":"home","extendedPanId":"1122334455667788","devices":[
            {"name":"a","role":"leader","router":1},{"name":"b","role":"sleepy","parent":"a"}]}],
            "wifi":[{"ssid":"house","bssid":"020000000106","devices":[{"name":"f","rssi":-72}]}],"ethernet":["g"]}
            """
        let place = try SimulatedMesh(parsing: Array(text.utf8)).place(of: name)
        let report = try ConformanceBench(["contact-sensor"], changing: { $0.move(to: place) }).report(isStrict: true)
        #expect(report.attributes > 100)
        #expect(unexpected(report).isEmpty, "\(unexpected(report).joined(separator: "\n"))")
    }
}
