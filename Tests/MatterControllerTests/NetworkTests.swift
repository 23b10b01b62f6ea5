import MatterBase
import MatterTestKit
import Testing

@testable import MatterController
@testable import MatterModel
@testable import MatterNetwork

/// Statements of nodes on their networks, with a device that states what a test wants.
@Suite("Networks", .virtualTime) struct NetworkTests {
    private typealias Networking = NetworkCommissioning.Attribute

    /// A device with these values of Network Commissioning on endpoint 0, and with interfaces.
    private static func bench(
        _ values: [AttributeID: TLVValue], interfaces: TLVValue? = nil
    ) async throws -> Bench {
        try await Bench { plan in
            plan.model.read = { path, _ in
                guard let cluster = path.cluster, let attribute = path.attribute,
                    let value = cluster == GeneralDiagnostics.id ? interfaces : values[attribute]
                else { return [] }
                return [.value(AttributePath(endpoint: 0, cluster: cluster, attribute: attribute), value)]
            }
        }
    }

    private static func scan(
        _ bench: Bench, answer: [TLVElement]
    ) async throws -> [SeenNetwork] {
        bench.light.next { _ in
            .outcome(
                .response(command: NetworkCommissioning.Command.scanNetworksResponse, fields: .structure(answer)))
        }
        let node = try bench.controller.nodes.record(of: "lamp")
        return try await bench.controller.administration.scanNetworks(
            of: node, endpoint: nil, ssid: nil, title: "lamp", budget: Budget(nil))
    }

    @Test(
        "a node that is silent after it was told to join another network: the error says so, and when it comes back",
        arguments: [true, false])
    func notReached(answers: Bool) async throws {
        func network(_ name: String, isConnected: Bool) -> TLVValue {
            .structure([TLVElement(0, .octets(Array(name.utf8))), TLVElement(1, .bool(isConnected))])
        }
        let bench = try await Self.bench([
            GlobalAttribute.featureMap: .uint(1),
            Networking.networks: .array(of: [
                network("here", isConnected: true), network("away", isConnected: false),
            ]), Networking.connectMaxTimeSeconds: .uint(20),
        ])
        bench.light.next { _ in
            .outcome(
                .response(
                    command: GeneralCommissioning.Command.armFailSafeResponse,
                    fields: .structure([TLVElement(0, .uint(0)), TLVElement(1, .string(""))])))
        }
        bench.light.next { _ in
            // It has left this network, with or without a last word.
            if !answers { bench.relay.cutOff() }
            testTime.start {
                try? await testTime.sleep(for: .milliseconds(200))
                bench.relay.cutOff()
            }
            return .outcome(
                .response(
                    command: NetworkCommissioning.Command.connectNetworkResponse,
                    fields: .structure([TLVElement(0, .uint(0))])))
        }
        let node = try bench.controller.nodes.record(of: "lamp")
        let began = Instant.testNow
        let error = await #expect(throws: ControllerError.self) {
            _ = try await bench.controller.administration.change(
                .connect(id: Array("away".utf8)), of: node, endpoint: nil, title: "lamp", budget: Budget(nil)
            ) { _ in }
        }
        #expect(error?.code == .networkLost, "\(String(describing: error))")
        #expect(error?.code.rawValue == "net.not-reached")
        #expect(
            error?.reason.hasPrefix("lamp was told to join 'away', and was not reached there") == true,
            "\(error?.reason ?? "")")
        #expect(
            error?.reason.contains("; lamp takes the change back by itself within ") == true, "\(error?.reason ?? "")")
        #expect(Instant.testNow - began < .seconds(200))
        #expect(bench.light.executed.count == 2)
        await bench.end()
    }

    @Test("a Thread radio tells its neighbours, the strongest first; what is garbled is left out")
    func thread() async throws {
        func neighbour(_ name: String, _ rssi: Int64) -> TLVValue {
            .structure([
                TLVElement(0, .uint(0x1234)), TLVElement(1, .uint(0xDEAD_00BE_EF00_CAFE)),
                TLVElement(2, .string(name)), TLVElement(3, .uint(15)), TLVElement(4, .uint(4)),
                TLVElement(5, .octets([UInt8](repeating: 1, count: 8))), TLVElement(6, .int(rssi)),
                TLVElement(7, .uint(200)),
            ])
        }
        let bench = try await Self.bench([GlobalAttribute.featureMap: .uint(2)])
        let seen = try await Self.scan(
            bench,
            answer: [
                TLVElement(0, .uint(0)),
                TLVElement(3, .array(of: [neighbour("far", -90), .string("?"), neighbour("near", -40)])),
            ])
        #expect(seen.map(\.rssi) == [-40, -90])
        guard case .thread("near", 0x1234, 0xDEAD_00BE_EF00_CAFE, 15, 4, -40, 200)? = seen.first else {
            Issue.record("\(seen)")
            return
        }
        await bench.end()
    }

    @Test("a search that fails says why in words; a node without a radio is not asked")
    func failures() async throws {
        let bench = try await Self.bench([GlobalAttribute.featureMap: .uint(1)])
        for (answer, words) in [
            ([TLVElement(0, .uint(6)), TLVElement(1, .string("no\u{1b}"))], "lamp could not search: the regulations"),
            ([TLVElement(0, .uint(99))], "lamp could not search: NetworkingStatus 99"),
            ([TLVElement(1, .uint(0))], "lamp sent a malformed list of networks"),
        ] {
            do {
                _ = try await Self.scan(bench, answer: answer)
                Issue.record("no error")
            } catch let error as ControllerError {
                #expect(error.code == .networkRefused && error.reason.hasPrefix(words), "\(error)")
            }
        }
        #expect(try await Self.scan(bench, answer: [TLVElement(0, .uint(5))]).isEmpty)
        let asked = bench.light.executed.count
        await bench.end()
        #expect(asked == 4)
        for (features, words) in [(4, "is on Ethernet, and has no radio"), (0, "has no radio that can search")] {
            let wired = try await Self.bench([GlobalAttribute.featureMap: .uint(UInt64(features))])
            do {
                _ = try await Self.scan(wired, answer: [])
                Issue.record("no error")
            } catch let error as ControllerError {
                #expect(error.code == .unsupportedCluster && error.reason.contains(words), "\(error)")
            }
            #expect(wired.light.executed.isEmpty)
            await wired.end()
        }
    }

    @Test("the state has networks, the last status and interfaces; nonsense costs itself alone")
    func state() async throws {
        let interfaces = TLVValue.array(of: [
            .structure([
                TLVElement(0, .string("wlan0")), TLVElement(1, .bool(true)), TLVElement(2, .null), TLVElement(3, .null),
                TLVElement(4, .octets([2, 0, 0, 0, 0, 1])), TLVElement(5, .array(of: [.octets([10, 0, 0, 7])])),
                TLVElement(6, .array(of: [.octets([UInt8](repeating: 0xFE, count: 16)), .bool(true)])),
                TLVElement(7, .uint(77)),
            ]), .uint(3),
        ])
        let bench = try await Self.bench(
            [
                GlobalAttribute.featureMap: .uint(1), Networking.lastNetworkingStatus: .uint(7),
                Networking.lastNetworkID: .octets(Array("home".utf8)), Networking.lastConnectErrorValue: .int(-3),
                Networking.maxNetworks: .string("many"),
                Networking.networks: .array(of: [
                    .structure([TLVElement(0, .octets([0xFF])), TLVElement(1, .bool(true))]), .structure([]),
                ]),
            ], interfaces: interfaces)
        let node = try bench.controller.nodes.record(of: "lamp")
        let state = try await bench.controller.administration.networkState(of: node, title: "lamp", budget: Budget(nil))
        let radio = try #require(state.commissioning.first)
        #expect(state.commissioning.count == 1 && radio.kind == .wifi && radio.maxNetworks == nil)
        #expect(radio.networks.map(\.id) == [[0xFF]] && radio.lastNetwork == Array("home".utf8))
        #expect(radio.lastStatus?.words == "wrong password" && radio.lastError == -3)
        let interface = try #require(state.interfaces.first)
        #expect(state.interfaces.count == 1 && interface.type?.isKnown == false && interface.isUp)
        #expect(interface.addresses.map(\.count) == [4, 16])
        await bench.end()
        let silent = try await Self.bench([:])
        do {
            let node = try silent.controller.nodes.record(of: "lamp")
            _ = try await silent.controller.administration.networkState(of: node, title: "lamp", budget: Budget(nil))
            Issue.record("no error")
        } catch {
            #expect(MatterError.Code(error) == .unsupported)
        }
        await silent.end()
    }
}
