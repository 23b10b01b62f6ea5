import MatterBase
import TestSupport
import Testing

@testable import MatterModel

@Suite("ElementPath") struct ElementPathTests {
    private func attribute(_ text: String) throws -> ElementPath { try ElementPath(text, .attribute) }

    @Test(
        "numbers, names and wildcards",
        arguments: [
            ("1/6/0", 1, 6, 0), ("1/OnOff/OnOff", 1, 6, 0), ("1/on-off/on-off", 1, 6, 0), ("1/0x0006/0x0000", 1, 6, 0),
            ("0/0x131BFC00/0x0001", 0, 0x131B_FC00, 1), ("0/rainmaker/rmaker-node-id", 0, 0x131B_FC00, 1),
            ("1/6", 1, 6, nil), ("1/onoff", 1, 6, nil), ("1/onoff/*", 1, 6, nil), ("*/onoff/onoff", nil, 6, 0),
            ("*/*/*", nil, nil, nil), ("*/*", nil, nil, nil), ("2/*/cluster-revision", 2, nil, 0xFFFD),
            ("2/*/0xFFFD", 2, nil, 0xFFFD), ("1/0xFFF1FC99/feature-map", 1, 0xFFF1_FC99, 0xFFFC),
            ("1/onoff/FeatureMap", 1, 6, 0xFFFC),
            ("65534/4294967295/4294967295", 65534, ClusterID(UInt32.max), UInt32.max),
        ] as [(String, EndpointID?, ClusterID?, UInt32?)])
    func parsing(text: String, endpoint: EndpointID?, cluster: ClusterID?, element: UInt32?) throws {
        #expect(try attribute(text) == ElementPath(endpoint: endpoint, cluster: cluster, element: element))
    }

    @Test("numbers alone never ask for the catalogue")
    func numericNeedsNoCatalogue() throws {
        var asked = 0
        func counting() -> Catalogue {
            asked += 1
            return .standard
        }
        for text in ["1/6/0", "*/0x6/*", "1/8", "0/0x131BFC00/1", "*/*"] {
            _ = try ElementPath(text, .attribute) { () throws(DataModelError) in counting() }
        }
        _ = try ElementPath("1/6/2", .command) { () throws(DataModelError) in counting() }
        #expect(asked == 0)
        _ = try ElementPath("1/6/on-off", .attribute) { () throws(DataModelError) in counting() }
        #expect(asked == 1)
    }

    @Test(
        "malformed paths are refused",
        arguments: [
            "", "1", "/", "1/", "/6/0", "1//0", "1/6/", "1/6/0/0", "70000/6/0", "65535/6/0", "kitchen/6/0", "1/6x/0",
            "1/0x/0", "1/0xG/0", "1/4294967296/0", "-1/6/0", "1/6/1_", "1/*/0", "1/*/5", "0x+1/6/0", "1/6/0x-1",
        ])
    func malformed(text: String) {
        #expect(code { _ = try attribute(text) } == .malformedPath)
    }

    @Test("unknown names are refused with the nearest spelling")
    func unknown() {
        let cases: [(String, ElementKind, DataModelError.Code, String?)] = [
            ("1/onof/onoff", .attribute, .unknownCluster, "on-off"),
            ("1/onoff/onof", .attribute, .unknownAttribute, "on-off"),
            ("1/6/on-offf", .attribute, .unknownAttribute, "on-off"),
            ("1/onoff/togle", .command, .unknownCommand, "toggle"),
            ("1/switch/inital-press", .event, .unknownEvent, "initial-press"),
            ("*/*/clusterrevison", .attribute, .unknownAttribute, "cluster-revision"),
            ("1/0xFFF1FC99/something", .attribute, .unknownAttribute, nil),
            ("1/0xFFF1FC99/something", .command, .unknownCommand, nil),
            ("*/*/initial-press", .event, .unknownEvent, nil),
        ]
        for (text, kind, code, suggestion) in cases {
            do {
                _ = try ElementPath(text, kind)
                Issue.record("\(text) was accepted")
            } catch {
                #expect(error.code == code, "\(text)")
                #expect(error.suggestions.first == suggestion, "\(text)")
            }
        }
    }

    @Test("an unknown name that is near to none is refused with the way to see what there is")
    func unknownAndFar() throws {
        let cases: [(String, ElementKind, Hint)] = [
            ("1/zzz/on-off", .attribute, .step("clusters.all")),
            ("1/on-off/zzz", .attribute, .step("clusters.one", "on-off")),
            ("1/level-control/zzz", .command, .step("clusters.one", "level-control")),
            ("1/switch/zzz", .event, .step("clusters.one", "switch")),
        ]
        for (text, kind, hint) in cases {
            let error = try #require(failure { _ = try ElementPath(text, kind) }, "\(text) was accepted")
            #expect(error.hint == hint, "\(text)")
        }
    }

    @Test("a name of another kind is refused as what it is")
    func otherKind() throws {
        let cases: [(String, ElementKind, String)] = [
            ("1/on-off/toggle", .attribute, #"OnOff has no attribute 'toggle', but a command of that name"#),
            ("1/on-off/on-time", .command, #"OnOff has no command 'on-time', but an attribute of that name"#),
            (
                "1/switch/initial-press", .attribute,
                #"Switch has no attribute 'initial-press', but an event of that name"#
            ),
            ("1/on-off/feature-map", .event, #"OnOff has no event 'feature-map', but an attribute of that name"#),
        ]
        for (text, kind, reason) in cases {
            let error = try #require(failure { _ = try ElementPath(text, kind) }, "\(text) was accepted")
            #expect(error.reason == reason)
            #expect([.step("clusters.one", "on-off"), .step("clusters.one", "switch")].contains(error.hint), "\(text)")
        }
    }

    @Test("a command's path is complete and concrete")
    func commands() throws {
        #expect(try ElementPath("1/onoff/toggle", .command) == ElementPath(endpoint: 1, cluster: 6, element: 2))
        for text in ["1/onoff", "1/onoff/*", "*/onoff/toggle", "1/*/2"] {
            #expect(code { _ = try ElementPath(text, .command) } == .malformedPath, "\(text)")
        }
    }

    @Test("event paths")
    func events() throws {
        #expect(
            try ElementPath("1/switch/initial-press", .event) == ElementPath(endpoint: 1, cluster: 0x3B, element: 1))
        #expect(try ElementPath("*/*", .event).hasWildcard)
        #expect(code { _ = try ElementPath("*/*/1", .event) } == .malformedPath)
    }

    @Test("a path prints in numbers and in names, and both read back")
    func printing() throws {
        let paths: [(ElementPath, ElementKind, String, String)] = [
            (
                ElementPath(endpoint: 1, cluster: 6, element: 0x4003), .attribute, "1/6/16387",
                "1/on-off/start-up-on-off"
            ),
            (ElementPath(endpoint: nil, cluster: 6, element: nil), .attribute, "*/6/*", "*/on-off/*"),
            (
                ElementPath(endpoint: 0, cluster: 0x131B_FC00, element: 1), .attribute, "0/0x131BFC00/1",
                "0/rain-maker/rmaker-node-id"
            ),
            (
                ElementPath(endpoint: 1, cluster: 0xFFF1_FC99, element: 0xFFFC), .attribute, "1/0xFFF1FC99/65532",
                "1/0xFFF1FC99/feature-map"
            ),
            (ElementPath(endpoint: 1, cluster: 6, element: 99), .command, "1/6/99", "1/on-off/99"),
        ]
        for (path, kind, numbers, names) in paths {
            #expect(path.description == numbers)
            #expect(path.text(kind, in: .standard) == names)
            #expect(try ElementPath(names, path.hasWildcard ? .attribute : kind) == path)
        }
    }

    @Test("damaged paths are understood or refused")
    func mutations() {
        var mutator = Mutator(
            seed: 7,
            corpus: ["1/on-off/on-off", "0/0x131BFC00/0x0001", "*/*/cluster-revision", "1/6", "65534/level-control/*"]
                .map { Array($0.utf8) })
        var accepted = 0
        for index in 0..<Effort.inputs(20_000) {
            let text = String(decoding: mutator.next(), as: UTF8.self)
            let kind = ElementKind.allCases[index % 3]
            do {
                let path = try ElementPath(text, kind)
                accepted += 1
                // An understood value reads back from its own spelling.
                guard try ElementPath(path.description, kind) != path else { continue }
                Issue.record("\(text) became \(path)")
            } catch {
                guard error.reason.isEmpty else { continue }
                Issue.record("\(text) was refused without a reason")
            }
        }
        #expect(accepted > Effort.inputs(500))
    }
}
