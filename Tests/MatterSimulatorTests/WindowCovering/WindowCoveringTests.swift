import MatterBase
import TestSupport
import Testing

@testable import MatterModel
@testable import MatterSimulator

@Suite("Window Covering", .beside)
struct WindowCoveringTests {
    static let covering = WindowCovering.id

    /// OperationalStatus, target and current lift, target and current tilt.
    static func state(_ bench: ClusterBench) -> [Int?] {
        [0x0A, 0x0B, 0x0E, 0x0C, 0x0F].map { bench.number(covering, $0) }
    }

    @Test("closing takes its time: tilt two seconds, lift ten")
    func closes() throws {
        let bench = try ClusterBench("window-covering")
        #expect(Self.state(bench) == [0, 0, 0, 0, 0])
        #expect(try bench.status(Self.covering, 1).isSuccess)
        // Closing (2) in all three fields.
        #expect(Self.state(bench) == [0b101010, 10000, 0, 10000, 0])
        bench.wait(.seconds(1))
        #expect(Self.state(bench) == [0b101010, 10000, 1000, 10000, 5000])
        bench.wait(.milliseconds(1500))
        #expect(Self.state(bench) == [0b001010, 10000, 2500, 10000, 10000])
        #expect(bench.number(Self.covering, 8) == 25)
        bench.wait(.seconds(8))
        #expect(Self.state(bench) == [0, 10000, 10000, 10000, 10000])
        #expect(bench.number(Self.covering, 8) == 100)
        #expect(bench.node.nextDeadline == nil)
    }

    @Test("stopping halfway makes the place the target")
    func stops() throws {
        let bench = try ClusterBench("window-covering")
        try bench.status(Self.covering, 1)
        bench.wait(.seconds(4))
        #expect(try bench.status(Self.covering, 2).isSuccess)
        #expect(Self.state(bench) == [0, 4000, 4000, 10000, 10000])
        bench.wait(.seconds(5))
        #expect(Self.state(bench) == [0, 4000, 4000, 10000, 10000])
    }

    @Test("a new target turns a movement around where it is")
    func turns() throws {
        let bench = try ClusterBench("window-covering")
        try bench.status(Self.covering, 5, [0: .uint(10000)])
        bench.wait(.seconds(3))
        #expect(try bench.status(Self.covering, 5, [0: .uint(1000)]).isSuccess)
        #expect(Self.state(bench) == [0b000101, 1000, 3000, 0, 0])
        bench.wait(.seconds(2))
        #expect(Self.state(bench) == [0, 1000, 1000, 0, 0])
        #expect(bench.number(Self.covering, 5) == 2)
    }

    @Test("tilt alone moves tilt alone")
    func tilts() throws {
        let bench = try ClusterBench("window-covering")
        #expect(try bench.status(Self.covering, 8, [0: .uint(5000)]).isSuccess)
        #expect(Self.state(bench) == [0b100010, 0, 0, 5000, 0])
        bench.wait(.seconds(1))
        #expect(Self.state(bench) == [0, 0, 0, 5000, 5000])
    }

    @Test("positions beyond the end are refused", arguments: [5, 8] as [CommandID])
    func beyond(_ command: CommandID) throws {
        let bench = try ClusterBench("window-covering")
        #expect(try bench.status(Self.covering, command, [0: .uint(10001)]).status == .constraintError)
        #expect(Self.state(bench) == [0, 0, 0, 0, 0])
    }

    @Test(
        "Mode decides what is answered and shown",
        arguments: [
            (0, IMStatus.success, 0b11001), (1, .success, 0b11101), (2, .failure, 0b11000), (4, .busy, 0b11000),
            (8, .success, 0b11001),
        ] as [(UInt64, IMStatus, Int)])
    func modes(_ mode: UInt64, _ status: IMStatus, _ config: Int) throws {
        let bench = try ClusterBench("window-covering")
        #expect(bench.write(Self.covering, 0x17, .uint(mode)).isSuccess)
        #expect(bench.number(Self.covering, 7) == config)
        #expect(try bench.status(Self.covering, 1).status == status)
    }

    @Test("the cord does the same")
    func cord() throws {
        let bench = try ClusterBench("window-covering")
        #expect(bench.type("1 window-covering lift 50"))
        bench.wait(.seconds(5))
        #expect(bench.number(Self.covering, 0x0E) == 5000)
        #expect(!bench.type("1 window-covering lift 101"))
        #expect(!bench.type("1 window-covering fly"))
    }

    @Test("the position survives a restart, the movement does not")
    func restart() throws {
        let bench = try ClusterBench("window-covering")
        try bench.status(Self.covering, 1)
        bench.wait(.seconds(4))
        #expect(Self.state(try bench.restarted()) == [0, 4000, 4000, 10000, 10000])
    }
}
