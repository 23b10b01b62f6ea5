import MatterTestKit
import Synchronization
import Testing

@testable import MatterController
@testable import MatterCrypto
@testable import MatterModel
@testable import MatterNetwork
@testable import MatterSimulator
@testable import MatterState

/// A subscription that lasts, in hours that take no time.
@Suite("Following a node", .virtualTime)
struct FollowingTests {
    /// The events of a follower.
    private final class Diary: Sendable {
        struct Entry: Sendable {
            var time: Instant
            var states: [String] = []
            var values: [Bool] = []
            var events: [EventReport] = []
        }

        private let entries = Mutex<[Entry]>([])

        var all: [Entry] { entries.withLock { $0 } }
        var values: [Bool] { all.flatMap(\.values) }
        var states: [String] { all.flatMap(\.states) }
        var startUps: [EventReport] {
            all.flatMap(\.events).filter {
                $0.path.cluster == BasicInformation.id && $0.path.event == BasicInformation.Event.startUp
            }
        }

        func note(_ event: SubscriptionEvent) {
            var entry = Entry(time: .testNow)
            switch event {
            case .lost: entry.states = ["lost"]
            case .established(_, _, let result):
                entry.states = ["established"]
                take(result, &entry)
            case .report(let result): take(result, &entry)
            }
            entries.withLock { $0.append(entry) }
        }

        private func take(_ result: ReadResult, _ entry: inout Entry) {
            if case .value(.bool(let isOn))? = result.attribute(Light.onOff)?.outcome {
                entry.values = [isOn]
            }
            entry.events = result.events
        }
    }

    /// A sequence of numbers that looks random and is always the same.
    private final class Dice: Sendable {
        private let state = Mutex<UInt64>(20)

        func isBelow(_ percent: UInt64) -> Bool {
            state.withLock { state in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return (state >> 33) % 100 < percent
            }
        }
    }

    private let state: TemporaryState

    init() throws { state = try TemporaryState() }

    private func relay(to light: VirtualLight, loss percent: UInt64, _ dice: Dice) throws -> Relay {
        let relay = try Relay(to: try PeerAddress(parsing: light.address))
        relay.lose { _ in dice.isBelow(percent) }
        relay.meddle { direction, datagram in dice.isBelow(percent) ? [] : [(direction, datagram)] }
        return relay
    }

    /// A controller whose fabric the light is on.
    private func commissioned(
        _ light: VirtualLight, at address: PeerAddress, _ discovery: any Discovery
    ) async throws -> Controller {
        var options = Controller.Options(state: state.directory, logger: .silent)
        options.time = testTime
        options.links = TestNetwork.links()
        options.discovery = discovery
        let controller = Controller(options)
        let requests = try SetupPayload.parse(light.code).map { payload in
            var request = CommissioningRequest(payload)
            request.addresses = [address]
            return request
        }
        _ = try await controller.commissioning.commission(
            requests, CommissioningService.CommissionOptions(trust: .folder(light.trust, testDevices: true)),
            deadline: .testNow + .seconds(60))
        return controller
    }

    /// The steps on the queue of the virtual time, and no clock, say how far the one has come when the other begins.
    @Test(
        "a loop that begins while another one on the attribute ends does not share its end",
        arguments: [false, true], Array(stride(from: 0, to: 200, by: 10)))
    func succession(isEstablished: Bool, steps: Int) async throws {
        let light = try await VirtualLight()
        let address = try PeerAddress(parsing: light.address)
        let controller = try await commissioned(light, at: address, Whereabouts(address))
        let node = try #require(try controller.context.nodes().all().first)
        let request = SubscribeRequest(
            minIntervalFloor: 0, maxIntervalCeiling: 60, attributePaths: [AttributePath(Light.onOff)])
        let seen = Diary()
        let ending = inBackground {
            for try await event in controller.subscriptions.follow(request, of: node) { seen.note(event) }
        }
        if isEstablished {
            try await eventually { seen.states == ["established"] }
            ending.cancel()
        }
        for _ in 0..<steps { await Task.yield() }
        ending.cancel()
        let next = inBackground {
            for try await _ in controller.subscriptions.follow(request, of: node) { return true }
            return false
        }
        #expect(try await next.value)
        try await ending.value
        await controller.close()
        await light.stop()
    }

    @Test(
        "two hours, a tenth of the datagrams lost, a restart and a move: each change, the gaps marked, no event missed")
    func twoHours() async throws {
        let light = try await VirtualLight()
        let dice = Dice()
        let first = try relay(to: light, loss: 0, dice)
        let second = try relay(to: light, loss: 10, dice)
        let whereabouts = Whereabouts(first.address)
        let controller = try await commissioned(light, at: first.address, whereabouts)
        first.lose { _ in dice.isBelow(10) }
        first.meddle { direction, datagram in dice.isBelow(10) ? [] : [(direction, datagram)] }
        let node = try #require(try controller.context.nodes().all().first)
        let diary = Diary()
        let request = SubscribeRequest(
            minIntervalFloor: 0, maxIntervalCeiling: 60, attributePaths: [AttributePath(Light.onOff)],
            eventPaths: [EventPath()])
        let following = inBackground {
            for try await event in controller.subscriptions.follow(request, of: node, isPatient: true) {
                diary.note(event)
            }
        }
        try await eventually { diary.states == ["established"] }
        let begun = Instant.testNow
        var isOn = diary.values == [true]
        for minute in 1...120 {
            if minute == 40 { await light.reboot() }
            if minute == 80 {
                first.cutOff()
                whereabouts.move(to: second.address)
            }
            _ = await light.device.input("1 on-off toggle")
            isOn.toggle()
            try await testTime.sleep(for: .seconds(60))
        }
        #expect(Instant.testNow - begun >= .seconds(7200))
        try await eventually(within: .seconds(120)) { diary.values.last == isOn }
        // Every change once, but for those of the gaps: what was on meanwhile is on no more.
        let gaps = diary.states.count { $0 == "lost" }
        #expect((1...6).contains(gaps) && diary.states.last == "established", "\(diary.states)")
        #expect(diary.values.count > 110 && diary.values.count <= 121 + gaps, "\(diary.values.count)")
        #expect(diary.startUps.count == 2, "that of the beginning, and that of the gap")
        let numbers = diary.all.flatMap(\.events).compactMap(\.event?.number)
        #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count, "\(numbers)")
        following.cancel()
        await controller.close()
        await light.stop()
    }
}
