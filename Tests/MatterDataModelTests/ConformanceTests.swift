import Testing

@testable import MatterModel

@Suite("Conformance") struct ConformanceTests {
    /// A rule, what is there, and the verdict.
    struct Case: Sendable, CustomTestStringConvertible {
        var rule: String
        var present: [String] = []
        var unknown: [String] = []
        var revision: UInt16?
        var verdict: Conformance.Verdict

        init(
            _ rule: String, _ verdict: Conformance.Verdict, with present: [String] = [], unknown: [String] = [],
            revision: UInt16? = 3
        ) {
            self.rule = rule
            self.present = present
            self.unknown = unknown
            self.revision = revision
            self.verdict = verdict
        }

        var testDescription: String { "\(rule) with \(present), unknown \(unknown)" }
    }

    static let one = Conformance.Choice(letter: "a", allowsMore: false)
    static let more = Conformance.Choice(letter: "b", allowsMore: true)

    static let cases: [Case] = [
        Case("M", .mandatory), Case("O", .optional(nil)), Case("P", .provisional), Case("D", .deprecated),
        Case("X", .disallowed), Case("desc", .unknown),
        Case("O.a", .optional(one)), Case("O.b+", .optional(more)), Case("[LT].b+", .optional(more), with: ["LT"]),
        Case("LT.a", .optional(one), with: ["LT"]),
        // The first item that applies decides, and none means: not there.
        Case("LT", .mandatory, with: ["LT"]), Case("LT", .notApplicable), Case("LT, O", .optional(nil)),
        Case("[LT]", .optional(nil), with: ["LT"]), Case("[LT]", .notApplicable), Case("[LT], X", .disallowed),
        Case("[HoldTime & US], D", .deprecated, with: ["HoldTime"]), Case("P, M", .provisional),
        Case("!LT", .mandatory), Case("!LT", .notApplicable, with: ["LT"]), Case("!!LT", .mandatory, with: ["LT"]),
        Case("A & B", .mandatory, with: ["A", "B"]), Case("A & B", .notApplicable, with: ["A"]),
        Case("A | B", .mandatory, with: ["B"]), Case("A | B", .notApplicable),
        Case("A ^ B", .mandatory, with: ["A"]), Case("A ^ B", .notApplicable, with: ["A", "B"]),
        // Tighter first: not, and, exclusive or, or.
        Case("A | B & C", .mandatory, with: ["A"]), Case("(A | B) & C", .notApplicable, with: ["A"]),
        Case("!A & B", .mandatory, with: ["B"]), Case("A | B ^ C", .notApplicable, with: ["B", "C"]),
        Case("A ^ B & C", .mandatory, with: ["A", "B"]),
        // An unknown name decides only where it matters.
        Case("A & B", .unknown, with: ["A"], unknown: ["B"]), Case("A & B", .notApplicable, unknown: ["B"]),
        Case("A | B", .mandatory, with: ["A"], unknown: ["B"]), Case("A | B", .unknown, unknown: ["B"]),
        Case("A ^ B", .unknown, with: ["A"], unknown: ["B"]), Case("!A", .unknown, unknown: ["A"]),
        Case("A, O", .unknown, unknown: ["A"]),
        // The revision is that of the node.
        Case("Rev >= v3", .mandatory), Case("Rev >= v4, O", .optional(nil)),
        Case("[Rev >= v2]", .notApplicable, revision: 1), Case("Rev >= v2", .unknown, revision: nil),
        Case("Rev >= v2 & A", .notApplicable, revision: 1),
        // Ordered by number: the tests' attribute Count is 4.
        Case("Count > 3", .mandatory), Case("Count > 4", .notApplicable), Case("Other > 4", .unknown),
        // A feature may have the letter of an item.
        Case("M & LT", .mandatory, with: ["M", "LT"]),
    ]

    @Test("the items of a rule are judged in their order", arguments: cases)
    func verdicts(_ item: Case) throws {
        let rule = try #require(Conformance(item.rule))
        let facts = Conformance.Facts(
            revision: item.revision,
            holds: { item.unknown.contains($0) ? nil : item.present.contains($0) },
            number: { $0 == "Count" ? 4 : nil })
        #expect(rule.verdict(facts) == item.verdict)
    }

    @Test(
        "what is not a rule is refused",
        arguments: [
            "", ",", "M,", "M M", "[LT", "LT]", "(A", "A &", "& A", "O.", "O.a+ b", "Rev >= 3", "Size >= v3", "A > B",
            "A > ", "1A", "A @ B", String(repeating: "(", count: 5000) + "A", String(repeating: "!", count: 5000) + "A",
        ])
    func refused(_ text: String) { #expect(Conformance(text) == nil) }

    @Test("every rule of the table can be read, and its names are those of the cluster")
    func table() throws {
        var count = 0
        for id in ConformanceModel.clusterIDs {
            let cluster = try #require(ConformanceModel.cluster(id))
            #expect(cluster.id == id && cluster.revision > 0)
            #expect(ConformanceModel.revision(of: id) == cluster.revision)
            let rules =
                cluster.features.map(\.conformance) + cluster.attributes.map(\.conformance)
                + cluster.requests.map(\.conformance) + cluster.responses.map(\.conformance)
            count += rules.count
            let names = Set(
                (cluster.features.map(\.name) + cluster.attributes.map(\.name) + cluster.requests.map(\.name)
                    + cluster.responses.map(\.name)).map { $0.lowercased() })
            for rule in rules {
                let strange = rule.names.filter { !names.contains($0.lowercased()) }
                #expect(strange.isEmpty, "\(cluster.name): \(rule.text)")
            }
        }
        // The counts of the source (reference, section 3): features, attributes, requests, responses.
        #expect(ConformanceModel.clusterIDs.count == 135)
        #expect(count == 347 + 1116 + 362 + 97)
    }

    @Test("every device type of the table can be read, with clusters of the table")
    func deviceTypes() throws {
        var (servers, clients) = (0, 0)
        for id in ConformanceModel.deviceTypeIDs {
            let type = try #require(ConformanceModel.deviceType(id))
            #expect(type.id == id)
            #expect(type.revision ?? 0 > 0 || id == DeviceTypeDemands.base)
            servers += type.servers.count
            clients += type.clients.count
            for part in type.parts { #expect(ConformanceModel.deviceType(part.deviceType) != nil, "\(type.name)") }
        }
        #expect(ConformanceModel.deviceTypeIDs.count == 92)
        #expect(servers == 347 && clients == 125)
        let light = try #require(ConformanceModel.deviceType(0x0100))
        let level = try #require(light.servers.first { $0.id == LevelControl.id })
        #expect(level.attributes.first { $0.id == 3 }?.values == 254...254)
        #expect(level.attributes.first { $0.id == 0 }?.values == 1...254)
        #expect(light.servers.first { $0.id == OnOff.id }?.features.first?.conformance?.text == "M")
    }

    @Test("what the table lacks is nil")
    func absent() {
        #expect(ConformanceModel.cluster(0x7FFE) == nil)
        #expect(ConformanceModel.cluster(0xFFF1_FC05) == nil)
        #expect(ConformanceModel.deviceType(0x7FFE) == nil)
        #expect(ConformanceModel.revision(of: ClusterID(7)) == nil)
    }

    @Test("the table knows the specification of the catalogue")
    func version() {
        #expect(ConformanceModel.version.hasPrefix(Catalogue.specificationVersion + "."))
        #expect(ConformanceModel.versionNumber >> 24 == 1 && ConformanceModel.versionNumber >> 16 & 0xFF == 6)
    }
}
