import MatterBase
import MatterCrypto
import MatterModel
import MatterState
import MatterTestKit
import Testing

@testable import MatterController
@testable import MatterNetwork
@testable import MatterSimulator

/// Devices whose Descriptor does not say what an endpoint has, as the official thermostat of 1.0.
@Suite("A named endpoint", .virtualTime) struct NamedEndpointTests {
    /// A Descriptor that names no cluster.
    private struct SilentDescriptor: ClusterServer {
        let id = Descriptor.id
        var initialAttributes: [AttributeID: TLVValue] {
            [
                Descriptor.Attribute.deviceTypeList: .array([]), Descriptor.Attribute.serverList: .array([]),
                Descriptor.Attribute.clientList: .array([]), Descriptor.Attribute.partsList: .array([]),
            ]
        }
    }

    @Test("an endpoint that the user names is believed: its values are read, and it is told what to do")
    func believed() async throws {
        let state = try TemporaryState()
        let device = try await VirtualLight(
            changing: { $0.onboarding = .overIP }, kind: "thermostat",
            planning: { plans in plans[0].servers.append(SilentDescriptor()) })
        var options = Controller.Options(
            state: state.directory, addresses: [try PeerAddress(parsing: device.address)], logger: .silent)
        options.time = testTime
        options.links = TestNetwork.links()
        let controller = Controller(options)
        var request = CommissioningRequest(try #require(try SetupPayload.parse(device.code).first))
        request.addresses = options.addresses
        let node = try await controller.commissioning.commission(
            [request], CommissioningService.CommissionOptions(trust: TrustPolicy(enforcement: .skip)),
            deadline: .testNow + .seconds(60)
        ).node
        func readings(_ endpoint: EndpointID?) async throws -> [TakenReading] {
            try await controller.devices.readings(
                ThermostatKind.kind.readings, of: node, endpoint: endpoint, title: "node 1",
                lack: "is not a thermostat",
                budget: Budget(.seconds(3600)))
        }
        #expect(try await readings(1).contains { $0.reading.name == "heat to" })
        await #expect(throws: ControllerError.self) { try await readings(nil) }
        await #expect(throws: ControllerError.self) { try await readings(2) }
        try await controller.devices.carryOut(
            ThermostatVerb.heat(2150), on: node, endpoint: 1, budget: Budget(.seconds(3600)))
        let heat = try await readings(1).first { $0.reading.name == "heat to" }
        #expect(heat?.report.value == .int(2150))
        // The effect of `thermostat NODE/1 20`: the mode decides which set-point is meant.
        try await controller.devices.carryOut(
            ThermostatVerb.mode(.heat), on: node, endpoint: 1, budget: Budget(.seconds(3600)))
        try await controller.devices.carryOut(
            ThermostatVerb.set(2000), on: node, endpoint: 1, budget: Budget(.seconds(3600)))
        #expect(try await readings(1).first { $0.reading.name == "heat to" }?.report.value == .int(2000))
        await controller.close()
        await device.stop()
    }
}
