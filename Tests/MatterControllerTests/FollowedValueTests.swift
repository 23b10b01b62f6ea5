import MatterBase
import Testing

@testable import MatterController
@testable import MatterModel
@testable import MatterState

/// Values of nodes that are followed, as tables and charts have them.
@Suite("Values that are followed") struct FollowedValueTests {
    private func report(_ cluster: UInt32, _ attribute: UInt32, _ value: TLVValue) -> AttributeReport {
        AttributeReport(
            path: ConcreteAttributePath(
                endpoint: 1, cluster: ClusterID(cluster), attribute: AttributeID(attribute)),
            dataVersion: 1, outcome: .value(value))
    }

    @Test("a number is in its unit, or with its step as the device sends it; words and null are no numbers")
    func attributes() throws {
        func value(_ report: AttributeReport, numeric: Bool = false) throws -> FollowedValue {
            try #require(FollowedValue(report, in: .standard, numeric: numeric))
        }
        let temperature = report(0x0402, 0, .int(2150))
        let shown = try value(temperature)
        #expect(shown.number == 21.5 && shown.text == "21.50" && shown.unit == "°C" && shown.name == nil)
        let raw = try value(temperature, numeric: true)
        #expect(raw.text == "2150" && raw.unit == "0.01 °C")
        let null = try value(report(0x0402, 0, .null))
        #expect(null.number == nil && null.text == nil && null.unit == "°C")
        let word = try value(report(0x0201, 0x1C, .uint(4)))
        #expect(word.number == nil && word.text == "Heat" && word.unit.isEmpty)
        #expect(try value(report(0x0028, 5, .string("a\u{1B}[2Jb"))).text == "a\\x1b[2Jb")
        #expect(try value(report(0xFFF1_FC00, 0, .uint(7))).text == "7", "a cluster that is not known")
        let failed = AttributeReport(path: temperature.path, dataVersion: nil, outcome: .unreadable("no"))
        #expect(FollowedValue(failed, in: .standard) == nil)
    }

    @Test("a path leads to numbers if it names one attribute whose type is a number")
    func paths() throws {
        for (word, isQuantity) in [
            ("1/temperature-measurement/measured-value", true), ("*/temperature-measurement/measured-value", true),
            ("1/level-control/current-level", true), ("1/on-off/on-off", false), ("1/temperature-measurement", false),
            ("*/*/*", false), ("1/0xFFF1FC00/0x0000", false), ("0/basic-information/node-label", false),
        ] {
            let path = try FollowedPaths.attribute(word, .standard)
            #expect(FollowedValue.isQuantity(path, in: .standard) == isQuantity, "\(word)")
        }
    }

    @Test("the values of a kind of device have their names and units; its numbers alone are a kind of their own")
    func kinds() throws {
        var watch = DeviceWatch(SensorKind.kind)
        var node = NodeRecord(nodeID: NodeID(1), name: "attic")
        node.endpoints = [NodeRecord.Endpoint(number: 1, deviceTypes: [], serverClusters: [0x0402, 0x0406, 0x040D])]
        var result = ReadResult()
        let energy = TLVValue.structure([TLVElement(.context(0), .int(1_500_000))])
        result.attributes = [
            report(0x0402, 0, .int(1830)), report(0x0406, 0, .uint(1)), report(0x040D, 0, .float(412.5)),
            report(0x040D, 8, .uint(0)), report(0x0091, 1, energy),
        ]
        let values = watch.values(result, of: node)
        #expect(
            values.map(\.name) == ["temperature", "occupancy", "carbon dioxide", "energy used"]
                && values.map(\.text) == ["18.30", "occupied", "412.5", "1.500000"]
                && values.map(\.unit) == ["°C", "", "ppm", "kWh"], "\(values)")
        #expect(values.map(\.number) == [18.3, nil, 412.5, 1.5])
        let numbers = SensorKind.kind.quantities.readings.map(\.name)
        #expect(numbers.contains("temperature") && numbers.contains("energy used") && numbers.contains("radon"))
        #expect(!numbers.contains("occupancy") && !numbers.contains("state") && !numbers.contains("air quality"))
        let meters = DeviceKind.all.map { $0.kind }.filter { $0.isMeter }
        #expect(meters.map(\.name) == ["sensor", "energy"])
        // Its numbers are on the chart of each kind that has one.
        #expect(meters.allSatisfy { !$0.quantities.readings.isEmpty })
    }
}
