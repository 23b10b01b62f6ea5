import MatterBase
import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterModel
@testable import MatterNetwork
@testable import MatterSimulator

@Suite("A virtual device that sleeps", .beside) struct ICDManagementTests {
    private typealias Attribute = IcdManagement.Attribute
    private typealias Command = IcdManagement.Command

    private static let key = [UInt8](repeating: 7, count: 16)
    private let bench: ClusterBench

    init() throws {
        let light = try SimulatedType.named("on-off-light")
        bench = try ClusterBench(changing: { $0.sleep = SleepHabits(idle: 60) }) { SimulatedType.plans([light]) }
    }

    private func register(
        _ node: UInt64, key: [UInt8] = key, proof: [UInt8]? = nil, type: UInt64 = 0
    ) throws -> StatusIB {
        var fields: [UInt8: TLVValue] = [0: .uint(node), 1: .uint(node), 2: .octets(key), 4: .uint(type)]
        fields[3] = proof.map { .octets($0) }
        return try bench.status(IcdManagement.id, Command.registerClient, fields, endpoint: 0)
    }

    private var mode: Int? { bench.number(IcdManagement.id, Attribute.operatingMode, endpoint: 0) }

    /// The device's use of its radio, and its check-ins, since the last call.
    private func effects() -> (radio: [Bool], checkIns: [(UInt64, CheckInMessage?)]) {
        var radio: [Bool] = []
        var checkIns: [(UInt64, CheckInMessage?)] = []
        for effect in bench.node.takeEffects() {
            switch effect {
            case .sleep(let asleep): radio.append(asleep)
            case .checkIn(_, let node, let payload):
                let key = try? CheckInKey(SecretBytes(Self.key))
                checkIns.append((node.rawValue, key.flatMap { try? CheckInMessage(opening: payload, with: $0) }))
            default: break
            }
        }
        return (radio, checkIns)
    }

    @Test("it sleeps once a client is registered, and checks in each time it wakes up, with a counter that grows")
    func sleep() throws {
        bench.wait(.seconds(600))
        #expect(effects().radio.isEmpty && mode == 0)
        let response = try bench.response(
            IcdManagement.id, Command.registerClient,
            [0: .uint(5), 1: .uint(5), 2: .octets(Self.key), 4: .uint(0)], endpoint: 0)
        let start = try #require(response.field(0)?.integer(as: UInt32.self))
        #expect(mode == 1)
        bench.wait(.seconds(2))
        #expect(effects().radio == [true])
        bench.wait(.seconds(60))
        var (radio, checkIns) = effects()
        #expect(radio.first == false && checkIns.map(\.0) == [5])
        #expect(checkIns.first?.1 == CheckInMessage(counter: start + 1, activeThreshold: 5000))
        bench.wait(.seconds(61))
        (radio, checkIns) = effects()
        #expect(checkIns.first?.1?.counter == start + 2)
        #expect(bench.number(IcdManagement.id, Attribute.icdCounter, endpoint: 0) == Int(start) + 2)
    }

    @Test("activity and a promise keep it awake; its button wakes it up")
    func awake() throws {
        _ = try register(5)
        bench.node.noteActivity(at: bench.moment)
        bench.wait(.milliseconds(4900))
        #expect(effects().radio.isEmpty)
        let promise = try bench.response(
            IcdManagement.id, Command.stayActiveRequest, [0: .uint(120_000)], endpoint: 0)
        #expect(promise.field(0) == .uint(30_000))
        bench.wait(.milliseconds(29_900))
        #expect(effects().radio.isEmpty)
        bench.wait(.seconds(1))
        #expect(effects().radio == [true])
        #expect(bench.type("0 icd-management press"))
        let (radio, checkIns) = effects()
        #expect(radio == [false] && checkIns.count == 1)
    }

    @Test("a client that is subscribed, or that is not always there, is not checked in with")
    func superfluous() throws {
        _ = try register(6, type: 1)
        _ = try register(ClusterBench.administrator)
        let request = SubscribeRequest(
            minIntervalFloor: 0, maxIntervalCeiling: 600,
            attributePaths: [AttributePath(endpoint: 1, cluster: OnOff.id, attribute: OnOff.Attribute.onOff)])
        bench.caller.session = .secure(9)
        let new = try bench.node.turn(at: bench.moment) {
            try bench.node.subscribe(request, caller: bench.caller)
        }
        bench.node.subscriptionEstablished(new.response.subscriptionID, at: bench.moment)
        bench.wait(.seconds(100))
        #expect(effects().checkIns.isEmpty)
        bench.node.dropSubscription(new.response.subscriptionID)
        bench.wait(.seconds(100))
        #expect(Set(effects().checkIns.map(\.0)) == [ClusterBench.administrator])
    }

    @Test("an administrator replaces a key without proof, another client with the old one; the table has its limit")
    func rules() throws {
        #expect(try register(5) == StatusIB(.success) && register(6).isSuccess)
        #expect(try register(7).status == .resourceExhausted)
        let other = [UInt8](repeating: 9, count: 16)
        #expect(try register(5, key: other).isSuccess)
        bench.caller = Caller(.case(NodeID(0x3000), tags: []), fabricIndex: 1)
        var fabric = try #require(bench.node.fabrics[1])
        fabric.access.append(AccessControlEntry(.manage, .case, subjects: [0x3000]))
        bench.node.fabrics[1] = fabric
        #expect(try register(5).status == .failure)
        #expect(try register(5, proof: Self.key).status == .failure)
        #expect(try register(5, proof: other).isSuccess)
        let unregister = { (fields: [UInt8: TLVValue]) throws in
            try bench.status(IcdManagement.id, Command.unregisterClient, fields, endpoint: 0)
        }
        #expect(try unregister([0: .uint(6)]).status == .failure)
        #expect(try unregister([0: .uint(6), 1: .octets(Self.key)]).isSuccess)
        #expect(try unregister([0: .uint(6), 1: .octets(Self.key)]).status == .notFound)
        #expect(try register(8, key: [1, 2, 3]).status == .constraintError)
    }

    @Test("clients survive a restart, the counter never repeats, and a fabric takes its clients with it")
    func restart() throws {
        _ = try register(5)
        let before = try #require(bench.number(IcdManagement.id, Attribute.icdCounter, endpoint: 0))
        let later = try bench.restarted()
        let after = try #require(later.number(IcdManagement.id, Attribute.icdCounter, endpoint: 0))
        #expect(after > before)
        let clients = later.read(IcdManagement.id, Attribute.registeredClients, endpoint: 0)?.items
        #expect(clients?.count == 1 && clients?.first?.field(1) == .uint(5) && clients?.first?.field(2) == .uint(5))
        later.node.call(0, IcdManagement.id, .device) { $0.fabricRemoved(1, $1) }
        #expect(later.read(IcdManagement.id, Attribute.registeredClients, endpoint: 0)?.items?.isEmpty == true)
    }
}
