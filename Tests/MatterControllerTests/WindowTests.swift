import MatterBase
import MatterTestKit
import Synchronization
import Testing

@testable import MatterController
@testable import MatterCrypto
@testable import MatterModel

/// Windows for other administrators, and clocks, against a device that does what a test wants.
@Suite("Windows and clocks", .virtualTime) struct WindowTests {
    /// Numbers that a test chooses, then the system's.
    private final class Dice: RandomSource {
        private let numbers: Mutex<[UInt32]>

        init(_ numbers: [UInt32]) { self.numbers = Mutex(numbers) }

        func bytes(_ count: Int) throws(CryptoError) -> [UInt8] {
            let number = numbers.withLock { $0.isEmpty || count != 4 ? nil : $0.removeFirst() }
            guard let number else { return try SystemRandom().bytes(count) }
            return (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
        }
    }

    @Test("a passcode that the specification forbids is drawn again")
    func forbiddenPasscodes() throws {
        let bad: [UInt32] = [0, 99_999_999, 12_345_678, 87_654_321, 11_111_111, 134_217_727]
        let code = try WindowCode(Dice((bad + [34_567_890]).map { $0 << 5 }))
        #expect(code.passcode.value == 34_567_890)
    }

    @Test("every window has a new passcode, salt and discriminator, and a verifier for that passcode")
    func codes() throws {
        var passcodes: Set<UInt32> = []
        var salts: Set<[UInt8]> = []
        for _ in 0..<20 {
            let code = try WindowCode(SystemRandom())
            passcodes.insert(code.passcode.value)
            let fields = try TLVFields(try code.command(seconds: 180).fields, "OpenCommissioningWindow")
            #expect(try fields.unsigned(0, as: UInt16.self) == 180)
            let (salt, iterations): ([UInt8], UInt32) = (try fields.octets(4), try fields.unsigned(3))
            salts.insert(salt)
            #expect((16...32).contains(salt.count) && (1000...100_000).contains(iterations))
            #expect(try fields.unsigned(2, as: UInt16.self) == code.discriminator.long)
            let verifier = try SPAKE2PlusVerifierData(serialized: try fields.octets(1))
            let expected = try SPAKE2PlusVerifierData(
                passcode: code.passcode.value, salt: salt, iterations: Int(iterations))
            #expect(verifier == expected)
        }
        #expect(passcodes.count == 20 && salts.count == 20)
    }

    @Test("a setup code has the product only where both numbers can stand in one")
    func products() throws {
        let code = try WindowCode(SystemRandom())
        for (vendor, product, isThere) in [
            (0xFFF1, 0x8001, true), (0xFFF5, 0x8001, false), (0, 5, false), (0xFFF1, 0, false), (0xFFF1, nil, false),
        ] as [(UInt16, UInt16?, Bool)] {
            let payload = code.payload(vendorID: vendor, productID: product)
            #expect((payload.vendorID == vendor) == isThere)
            #expect(try SetupPayload.parse(payload.qrCode()).first?.passcode == code.passcode)
            #expect(try payload.manualCode().count == 11)
        }
    }

    /// A device that answers reads with numbers by cluster and attribute, and nothing else.
    private static func bench(_ values: [[UInt32]: TLVValue], _ plan: (inout LoopbackDevice.Plan) -> Void = { _ in })
        async throws -> Bench
    {
        try await Bench { device in
            device.model.read = { path, _ in
                guard let cluster = path.cluster, let attribute = path.attribute,
                    let value = values[[cluster.rawValue, attribute.rawValue]]
                else { return [.status(AttributeStatusIB(path: path, status: StatusIB(.unsupportedCluster)))] }
                return [.value(path, value)]
            }
            plan(&device)
        }
    }

    private static func code(_ body: () async throws -> Void) async -> ControllerError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? ControllerError)?.code
        }
    }

    @Test(
        "a device that is being commissioned is busy; one whose answer is lost may have a window, and is asked for it")
    func refusals() async throws {
        let bench = try await Self.bench([[0x3C, 0]: .uint(0)])
        let node = try bench.controller.nodes.record(of: "lamp")
        bench.light.next { _ in .outcome(.status(StatusIB(.failure, clusterStatus: 2))) }
        let busy = await Self.code {
            _ = try await bench.controller.administration.openWindow(
                of: node, isBasic: false, for: .seconds(180), title: "lamp", budget: Budget(nil))
        }
        #expect(busy == .nodeBusy && bench.light.executed == [true])
        bench.light.next { _ in .acknowledgement }
        do {
            _ = try await bench.controller.administration.openWindow(
                of: node, isBasic: false, for: .seconds(180), title: "lamp", budget: Budget(nil))
            Issue.record("no error")
        } catch let error as ControllerError {
            #expect(error.code == .outcomeUnknown && error.hint?.parts == [.step("window.close", ["lamp"])])
        }
        #expect(bench.light.executed.count == 2)
        bench.light.next { _ in .outcome(.status(StatusIB(.failure, clusterStatus: 4))) }
        #expect(
            try await bench.controller.administration.closeWindow(of: node, title: "lamp", budget: Budget(nil)) == false
        )
        await bench.end()
    }

    @Test("a window that no administrator opened has no opener; nonsense is refused, and nothing is sent")
    func states() async throws {
        let bench = try await Self.bench([
            [0x3C, 0]: .uint(2), [0x3C, 1]: .null, [0x3C, 2]: .null, [0x3E, 1]: .string("?"),
        ])
        let node = try bench.controller.nodes.record(of: "lamp")
        let (state, end) = try await bench.controller.administration.windowState(
            of: node, title: "lamp", budget: Budget(nil))
        #expect(state.mode == .basic && state.opener == nil && end == nil)
        await bench.end()
        let odd = try await Self.bench([[0x3C, 0]: .uint(9)])
        let code = await Self.code {
            let node = try odd.controller.nodes.record(of: "lamp")
            _ = try await odd.controller.administration.openWindow(
                of: node, isBasic: true, for: .seconds(180), title: "lamp", budget: Budget(nil))
        }
        #expect(code == .status && odd.light.executed.isEmpty)
        await odd.end()
    }

    @Test("a clock that is not set has no difference; a device may prefer its own time, or have no clock at all")
    func clocks() async throws {
        let bench = try await Self.bench([[0x38, 0]: .null, [0x38, 1]: .uint(0)])
        let node = try bench.controller.nodes.record(of: "lamp")
        let (before, _) = try await bench.controller.devices.synchronizeClock(
            of: node, title: "lamp", budget: Budget(nil))
        #expect(before.time == nil && before.ahead == nil && before.granularity == .noTimeGranularity)
        bench.light.next { _ in .outcome(.status(StatusIB(.failure, clusterStatus: 2))) }
        let refused = await Self.code {
            _ = try await bench.controller.devices.synchronizeClock(of: node, title: "lamp", budget: Budget(nil))
        }
        #expect(refused == .timeNotAccepted)
        await bench.end()
        let clockless = try await Self.bench([:])
        do {
            let node = try clockless.controller.nodes.record(of: "lamp")
            _ = try await clockless.controller.devices.synchronizeClock(of: node, title: "lamp", budget: Budget(nil))
            Issue.record("no error")
        } catch {
            #expect(MatterError.Code(error) == .unsupported)
        }
        #expect(clockless.light.executed.isEmpty)
        await clockless.end()
    }
}
