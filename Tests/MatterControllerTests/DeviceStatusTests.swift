import MatterBase
import MatterCrypto
import Testing

@testable import MatterController
@testable import MatterModel
@testable import MatterState

/// The state of devices at a glance, from what they told.
@Suite("State of a device") struct DeviceStatusTests {
    private func taken(
        _ name: String, _ value: TLVValue, at endpoint: EndpointID = 1, of cluster: ClusterID? = nil
    ) throws -> TakenReading {
        let reading = try #require(
            Reading.state.first { $0.name == name && (cluster == nil || cluster == $0.cluster) })
        let path = ConcreteAttributePath(endpoint: endpoint, cluster: reading.cluster, attribute: reading.attribute)
        return TakenReading(
            reading: reading, report: AttributeReport(path: path, dataVersion: 1, outcome: .value(value)), measured: nil
        )
    }

    private func node(_ endpoints: [NodeRecord.Endpoint]) -> NodeRecord {
        var node = NodeRecord(nodeID: NodeID(1), name: "it")
        node.endpoints = endpoints
        return node
    }

    private func endpoint(_ number: UInt16, _ type: DeviceTypeID = .dimmableLight) -> NodeRecord.Endpoint {
        NodeRecord.Endpoint(number: number, deviceTypes: [type.rawValue], serverClusters: [])
    }

    private func text(_ readings: [TakenReading], _ type: DeviceTypeID = .dimmableLight) throws -> String? {
        DeviceStatus.all(node([endpoint(1, type)]), readings).first?.text
    }

    @Test("the values of a device are said as people say them")
    func words() throws {
        let (on, off) = (try taken("on", .bool(true)), try taken("on", .bool(false)))
        #expect(try text([on, try taken("level", .uint(127))]) == "on 50%")
        #expect(try text([off, try taken("level", .uint(127))]) == "off", "it keeps its level")
        #expect(try text([on]) == "on")
        #expect(try text([try taken("level", .uint(254))]) == "100%")
        #expect(try text([try taken("lock", .uint(1))]) == "locked")
        #expect(try text([try taken("lock", .null)]) == "")
        #expect(try text([try taken("position", .uint(0))]) == "open")
        #expect(try text([try taken("position", .uint(4050))]) == "40% closed")
        #expect(try text([try taken("position", .uint(10000))]) == "closed")
        #expect(try text([try taken("speed", .uint(0))]) == "still")
        #expect(try text([try taken("state", .bool(true))], .contactSensor) == "closed")
        #expect(try text([try taken("state", .bool(false))], .contactSensor) == "open")
        #expect(try text([try taken("state", .bool(true))]) == "yes")
        let heating = [
            try taken("temperature", .int(1980), of: Thermostat.id), try taken("mode", .uint(4)),
            try taken("heat to", .int(2150)), try taken("cool to", .int(2600)),
        ]
        #expect(try text(heating) == "19.80 °C, heat to 21.50 °C")
        #expect(try text([heating[0], try taken("mode", .uint(0)), heating[2]]) == "19.80 °C, off")
        #expect(
            try text([heating[0], try taken("mode", .uint(1)), heating[2], heating[3]])
                == "19.80 °C, heat to 21.50 °C, cool to 26.00 °C")
        let two = DeviceStatus.all(node([endpoint(1), endpoint(2)]), [on, try taken("on", .bool(false), at: 2)])
        #expect(two.map(\.text) == ["1: on; 2: off"])
    }

    @Test("the power of a plug is whole watts, or tenths below ten; the state of a cleaner is in words")
    func powerAndWork() throws {
        let on = try taken("on", .bool(true))
        #expect(try text([on, try taken("power", .int(1_150_499))]) == "on, 1150 W")
        #expect(try text([on, try taken("power", .int(9_949))]) == "on, 9.9 W")
        #expect(try text([on, try taken("power", .int(9_950))]) == "on, 10 W")
        #expect(try text([try taken("power", .int(-40))]) == "0.0 W")
        #expect(try text([try taken("power", .int(-2_340))]) == "-2.3 W")
        #expect(try text([try taken("cleaner", .uint(0x41))]) == "charging")
        #expect(try text([try taken("valve", .uint(2))]) == "transitioning")
    }

    @Test("numbers that no device should send harm nothing")
    func hostileNumbers() throws {
        let readings = try [
            "level", "position", "speed", "power", "battery", "lock", "cleaner", "valve", "playback", "mode", "heat to",
        ].map { name in try [.uint(.max), .int(.min), .string("x"), .bool(true)].map { try taken(name, $0) } }
        for values in readings {
            for value in values {
                _ = try text([value])
                _ = try text([try taken("on", .bool(true)), value])
            }
        }
    }

    @Test("a device behind a bridge has its own state and battery; one that its bridge has lost is not reachable")
    func bridge() throws {
        var (first, second) = (endpoint(2), endpoint(3))
        first.bridged = BridgedDevice(label: "Desk lamp", room: "Study")
        second.bridged = BridgedDevice(label: "Door")
        let node = node([endpoint(1), first, second])
        let readings = [
            try taken("on", .bool(true), at: 2), try taken("reachable", .bool(true), at: 2),
            try taken("battery", .uint(175), at: 3), try taken("reachable", .bool(false), at: 3),
        ]
        let devices = DeviceStatus.all(node, readings)
        #expect(devices.map { $0.device?.title } == [nil, "Desk lamp", "Door"])
        #expect(devices.map(\.text) == ["", "on", ""] && devices.map(\.isReachable) == [true, true, false])
        #expect(devices.map(\.room) == [nil, "Study", nil])
        #expect(devices.map { $0.battery?.report.value } == [nil, nil, .uint(175)])
        let gone = DeviceStatus.all(node, [], failure: ControllerError(.noIssuer, ""))
        #expect(gone.map(\.isReachable) == [false, false, false])
    }
}
