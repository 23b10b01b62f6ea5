import JSON
import MatterBase
import TestSupport
import Testing

@testable import MatterController
@testable import MatterModel

/// The abilities of a node, asked of a virtual device in this process.
@Suite("Describing a node", .fewAtATime) struct DescribeTests {
    private let shell: Shell
    private let device: Background

    init() async throws {
        shell = try Shell()
        device = try shell.start("simulate dimmable-light,temperature-sensor --port 0 --mdns none")
        let port = try await device.line("ready")
        try await shell.succeed(
            "commission 34970112332 --address 127.0.0.1:\(port) --attestation skip --name lamp --timeout 60s")
    }

    @Test(
        "endpoints, device types, clusters with revision and features; --tree puts parts below; --clusters adds elements"
    )
    func description() async throws {
        let text = try await shell.succeed("describe lamp").stdout
        #expect(text.hasPrefix("endpoint 0: Root Node, revision "), "\(text)")
        #expect(
            text.contains("\nendpoint 1: Dimmable Light, revision ")
                && text.contains("\nendpoint 2: Temperature Sensor"))
        #expect(text.contains("\n  on-off, revision 6: Lighting\n") && !text.contains("commands: "), "\(text)")
        let tree = try await shell.succeed("describe lamp --tree").stdout.split(separator: "\n")
        #expect(tree.count == 3 && tree[1].hasPrefix("  endpoint 1: "), "\(tree)")
        let all = try await shell.succeed("describe lamp --clusters").stdout
        #expect(all.contains("    commands: off, on, toggle"), "\(all)")
        let json = try await shell.succeed("describe lamp --clusters --json").json()
        let light = try #require(json["endpoints"]?.arrayValue?[1])
        #expect(light["deviceTypes"]?.arrayValue?.first?["name"] == "Dimmable Light" && json["name"] == "lamp")
        let onOff = try #require(light["clusters"]?.arrayValue?.first { $0["cluster"] == "OnOff" })
        #expect(onOff["features"]?.arrayValue == ["Lighting"] && onOff["revision"] == 6)
        #expect(onOff["attributes"]?.arrayValue?.contains("OnTime") == true)
        #expect(onOff["commands"]?.arrayValue?.contains("Toggle") == true)
    }

    @Test("supports says with its exit code whether an element is there; an unknown name is wrong usage")
    func support() async throws {
        for path in [
            "1/on-off", "1/6", "1/8/current-level", "1/on-off/toggle", "1/on-off/LT", "1/on-off/lighting", "1/6/0x4000",
            "2/temperature-measurement/measured-value",
        ] {
            let run = try await shell.run("supports lamp \(path)")
            #expect(run.status == 0 && run.stdout.isEmpty && run.stderr.isEmpty, "\(path): \(run)")
        }
        for path in ["1/color-control", "9/on-off", "1/on-off/off-only", "2/on-off/toggle", "1/6/0x4444"] {
            let run = try await shell.run("supports lamp \(path) --json")
            #expect(try run.status == 6 && run.json()["supported"] == false, "\(path): \(run)")
        }
        for path in ["1/on-off/nothing", "1/nothing", "1/*", "*/on-off", "1/6/0/0", "1"] {
            #expect(try await shell.run("supports lamp \(path)").status == 64, "\(path)")
        }
    }

    @Test("a bridge's endpoints stand below the nearest one that lists them, each once, whatever a node claims")
    func tree() throws {
        func list(_ endpoint: UInt16, _ parts: [UInt64]) -> AttributeReport {
            AttributeReport(
                path: ConcreteAttributePath(
                    endpoint: EndpointID(endpoint), cluster: Descriptor.id, attribute: Descriptor.Attribute.partsList),
                dataVersion: nil, outcome: .value(.array(parts.map { TLVElement(.anonymous, .uint($0)) })))
        }
        func lines(_ reports: [AttributeReport]) -> [String] {
            NodeDescription(ReadResult(attributes: reports)).tree.map { "\($0.depth) \($0.endpoint.number)" }
        }
        let bridge = [list(0, [1, 2, 3, 4]), list(1, [2, 3]), list(2, []), list(3, []), list(4, [])]
        #expect(lines(bridge) == ["0 0", "1 1", "2 2", "2 3", "1 4"])
        #expect(
            lines([list(0, [0, 1]), list(1, [0])]).sorted() == ["0 0", "1 1"]
                || lines([list(0, [0, 1]), list(1, [0])]).count == 2)
        #expect(lines([list(1, [2]), list(2, [1])]).count == 2)
        #expect(lines([list(0, [70, 99_999])]) == ["0 0"])
    }
}
