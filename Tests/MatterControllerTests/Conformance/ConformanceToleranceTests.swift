import MatterBase
import TestSupport
import Testing

@testable import MatterController
@testable import MatterModel
@testable import MatterSimulator

/// The things that a device in use is forgiven, and those that it is not.
@Suite("Conformance of devices in use", .beside) struct ConformanceToleranceTests {
    private func severities(
        _ rule: ConformanceRule, _ bench: ConformanceBench, isStrict: Bool = false
    ) throws -> [ConformanceSeverity] {
        try bench.report(isStrict: isStrict).findings.filter { $0.kind == rule }.map(\.severity)
    }

    @Test(
        "a missing attribute is a failure; in an older or newer revision of its cluster a note, but not for its maker")
    func revisions() throws {
        for (revision, expected): (UInt16?, ConformanceSeverity) in [(nil, .failure), (4, .note), (9, .note)] {
            let bench = try ConformanceBench(["on-off-light"])
            bench.breakServer(1, OnOff.id) {
                $0.removed = [OnOff.Attribute.onTime]
                $0.ownRevision = revision
            }
            #expect(try severities(.attributeMissing, bench) == [expected])
            #expect(try severities(.attributeMissing, bench, isStrict: true) == [.failure])
        }
    }

    @Test("an old revision excuses the clusters of every root endpoint less than others")
    func rootClusters() throws {
        let bench = try ConformanceBench(["on-off-light"])
        bench.breakServer(0, GroupKeyManagement.id) {
            $0.removed = [GroupKeyManagement.Attribute.maxGroupsPerFabric]
            $0.ownRevision = 1
        }
        #expect(try severities(.attributeMissing, bench) == [.warning])
    }

    @Test("a node of before Matter 1.3 is told what differs, in notes")
    func oldNode() throws {
        let bench = try ConformanceBench(["on-off-light"])
        bench.breakServer(0, BasicInformation.id) {
            $0.removed = [BasicInformation.Attribute.specificationVersion]
            $0.ownRevision = 1
        }
        bench.breakServer(1, OnOff.id) {
            $0.removed = [OnOff.Attribute.onTime]
            $0.missingGlobals = [GlobalAttribute.generatedCommandList]
        }
        let report = try bench.report(isStrict: false)
        #expect(report.specificationVersion == nil)
        #expect(report.count(.failure) == 0, "\(ConformanceBench.words(report))")
        #expect(try severities(.nodeSpecification, bench) == [.note])
        #expect(try severities(.globalMissing, bench) == [.note])
    }

    @Test("a value of another type is a failure, whatever the revision")
    func wrongType() throws {
        let bench = try ConformanceBench(["on-off-light"])
        bench.breakServer(1, OnOff.id) {
            $0.forced = [OnOff.Attribute.onOff: .string("yes")]
            $0.ownRevision = 4
        }
        let finding = try #require(try bench.report(isStrict: false).findings.first { $0.kind == .valueType })
        #expect(finding.severity == .failure && finding.place == "1/OnOff/OnOff")
        #expect(finding.expected == "bool" && finding.found == "string \"yes\"")
    }

    @Test("what stands behind a bridge is judged one step more mildly")
    func bridged() throws {
        let bench = try ConformanceBench(["aggregator"])
        bench.breakServer(2, OnOff.id) { $0.removed = [OnOff.Attribute.onTime] }
        #expect(try severities(.attributeMissing, bench) == [.warning])
        #expect(try severities(.attributeMissing, bench, isStrict: true) == [.failure])
    }

    @Test("manufacturers' clusters and unknown device types are notes, with the name of the manufacturer")
    func manufacturers() throws {
        let bench = try ConformanceBench(["on-off-light"])
        bench.added[.init(endpoint: 1, cluster: 0x131B_FC77, attribute: 1)] = .uint(1)
        bench.node.endpoints[1]?.deviceTypes.append(.init(0x131B_0001, revision: 1))
        let findings = try bench.report(isStrict: false).findings
        let cluster = try #require(findings.first { $0.kind == .clusterManufacturer })
        #expect(cluster.severity == .note && cluster.found.contains("Espressif"), "\(cluster.found)")
        #expect(findings.first { $0.kind == .typeManufacturer }?.severity == .note)
    }

    @Test("the choice of the specification is told with its members")
    func choice() throws {
        let bench = try ConformanceBench(["window-covering"])
        bench.breakServer(1, WindowCovering.id) { $0.features = [] }
        let finding = try #require(try bench.report(isStrict: false).findings.first { $0.kind == .featureChoice })
        #expect(finding.expected == "at least one of LF, TL" && finding.found == "none of them")
    }

    @Test("a node that answers nothing has findings, and no crash")
    func silent() {
        let statement = NodeStatement(ReadResult(), asksForEvents: true)
        let report = ConformanceExamination.report(on: statement, isStrict: true)
        #expect(Set(report.findings.map(\.kind)) == [.nodeEvents, .nodeSpecification, .rootDeviceType])
    }

    @Test("odd values of every kind in every place are findings, and no crash")
    func odd() throws {
        for seed in UInt64(1)...20 {
            let bench = try ConformanceBench(
                ["color-light", "door-lock"],
                changing: { configuration in
                    configuration.faults.oddValues = OddValues(probability: 0.3, seed: seed)
                })
            let report = try bench.report(isStrict: false)
            #expect(report.count(.failure) > 5)
            #expect(report.findings.allSatisfy { $0.found.count < 1000 && !$0.expected.isEmpty })
        }
    }
}
