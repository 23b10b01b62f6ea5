import MatterBase
import TestSupport
import Testing

@testable import MatterModel
@testable import MatterSimulator

@Suite("Binding and the on-off switch", .beside)
struct BindingTests {
    static let binding = Binding.id

    static func target(
        node: UInt64? = nil, group: UInt64? = nil, endpoint: UInt64? = nil, cluster: UInt64? = nil
    ) -> TLVValue {
        var fields: [UInt8: TLVValue] = [:]
        if let node { fields[1] = .uint(node) }
        if let group { fields[2] = .uint(group) }
        if let endpoint { fields[3] = .uint(endpoint) }
        if let cluster { fields[4] = .uint(cluster) }
        return ClusterBench.structure(fields)
    }

    static func commands(_ bench: ClusterBench) -> [RemoteCommand] {
        bench.node.takeEffects().compactMap { if case .command(let command) = $0 { command } else { nil } }
    }

    @Test(
        "what a binding may be",
        arguments: [
            (target(node: 5, endpoint: 1), IMStatus.success), (target(node: 5, endpoint: 1, cluster: 6), .success),
            (target(group: 7), .success), (target(group: 7, cluster: 6), .success),
            (target(node: 5), .constraintError), (target(endpoint: 1), .constraintError),
            (target(), .constraintError), (target(node: 5, group: 7, endpoint: 1), .constraintError),
            (target(group: 0), .constraintError), (target(group: 7, endpoint: 1), .constraintError),
            // A cluster of which the switch is no client.
            (target(node: 5, endpoint: 1, cluster: 0x0101), .constraintError),
        ])
    func entries(_ entry: TLVValue, _ status: IMStatus) throws {
        let bench = try ClusterBench("on-off-switch")
        #expect(bench.write(Self.binding, 0, .array(of: [entry])).status == status)
        #expect(bench.read(Self.binding, 0)?.items?.count == (status == .success ? 1 : 0))
    }

    @Test("a fabric has room for ten")
    func full() throws {
        let bench = try ClusterBench("on-off-switch")
        func targets(_ count: UInt64) -> TLVValue { .array(of: (1...count).map { Self.target(node: $0, endpoint: 1) }) }
        #expect(bench.write(Self.binding, 0, targets(11)).status == .resourceExhausted)
        #expect(bench.write(Self.binding, 0, targets(10)).isSuccess)
    }

    @Test(
        "the switch sends its command to everything that is bound",
        arguments: [("off", 0), ("on", 1), ("toggle", 2)] as [(String, CommandID)])
    func drives(_ word: String, _ command: CommandID) throws {
        let bench = try ClusterBench("on-off-switch")
        let entries: [TLVValue] = [
            Self.target(node: 5, endpoint: 1, cluster: 6), Self.target(node: 6, endpoint: 2),
            Self.target(group: 7, cluster: 6), Self.target(node: 8, endpoint: 1, cluster: 3),
        ]
        #expect(bench.write(Self.binding, 0, .array(of: entries)).isSuccess)
        #expect(bench.type("1 binding \(word)"))
        let targets: [RemoteCommand.Target] = [.node(5, endpoint: 1), .node(6, endpoint: 2), .group(7)]
        #expect(
            Self.commands(bench)
                == targets.map { RemoteCommand(fabricIndex: 1, target: $0, cluster: 6, command: command) })
    }

    @Test("identify goes to what is bound for it")
    func identifies() throws {
        let bench = try ClusterBench("on-off-switch")
        let entries = [Self.target(node: 5, endpoint: 1, cluster: 6), Self.target(node: 8, endpoint: 1, cluster: 3)]
        #expect(bench.write(Self.binding, 0, .array(of: entries)).isSuccess)
        #expect(bench.type("1 binding identify"))
        #expect(Self.commands(bench).map(\.target) == [.node(8, endpoint: 1)])
        #expect(!bench.type("1 binding explode"))
    }

    @Test("a light in the same device is switched without the network")
    func ownLight() throws {
        let bench = try ClusterBench("on-off-switch", "dimmable-light")
        let own = Self.target(node: ClusterBench.nodeID, endpoint: 2, cluster: 6)
        #expect(bench.write(Self.binding, 0, .array(of: [own])).isSuccess)
        #expect(bench.type("1 binding on"))
        #expect(bench.read(OnOff.id, 0, endpoint: 2) == .bool(true))
        #expect(bench.type("1 binding toggle"))
        bench.wait(.seconds(1))
        #expect(bench.read(OnOff.id, 0, endpoint: 2) == .bool(false))
        #expect(Self.commands(bench).isEmpty)
    }

    @Test("an unbound switch sends nothing and says so")
    func unbound() throws {
        let bench = try ClusterBench("on-off-switch")
        _ = bench.node.takeReports()
        #expect(bench.type("1 binding on"))
        #expect(Self.commands(bench).isEmpty)
        #expect(
            bench.node.takeReports() == [
                .note(endpoint: 1, cluster: Self.binding, text: "nothing is bound", members: [])
            ])
    }

    @Test("bindings survive a restart")
    func restart() throws {
        let bench = try ClusterBench("on-off-switch")
        #expect(bench.write(Self.binding, 0, .array(of: [Self.target(node: 5, endpoint: 1)])).isSuccess)
        let after = try bench.restarted()
        #expect(after.type("1 binding on"))
        #expect(Self.commands(after).map(\.target) == [.node(5, endpoint: 1)])
    }
}
