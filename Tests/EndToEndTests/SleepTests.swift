import Foundation
import Glibc
import Testing

/// A virtual light that sleeps, and the commands that wait for it.
@Suite("A device that sleeps", .enabled(if: Laboratory.isHere), .laboratorySlot) struct SleepTests {
    private static func device(_ idle: String = "6s") async throws -> VirtualDevice {
        try await VirtualDevice.start("on-off-light", options: ["--icd", idle], isAdvertised: true)
    }

    private static func sleeps(_ device: VirtualDevice, _ times: Int = 1) async throws {
        try await device.wait(for: "that it sleeps") { events in
            events.count { $0["text"]?.string == "asleep" } >= times
        }
    }

    /// The lines of a listener.
    private static func checkIns(_ listener: Child) -> [JSON] {
        listener.stdout.split(separator: "\n").compactMap { try? JSON(parsing: String($0)) }
    }

    private static func listen(_ matterctl: MatterCtl) async throws -> Child {
        let listener = try matterctl.start(["icd", "listen", "--json"])
        try await eventually("the listener to be ready: \(listener.stderr)") {
            listener.stderr.contains("listening for check-ins")
        }
        return listener
    }

    @Test(
        "it is registered with while it is commissioned, checks in, and is listed; a killed listener forgets no counter"
    )
    func checkIn() async throws {
        let matterctl = try MatterCtl()
        let device = try await Self.device()
        let commissioned = try await matterctl.commission(device, ["--name", "lamp"])
        #expect(commissioned.stderr.contains("sleeps for up to 6 s at a time"))
        let before = try #require(try await matterctl.succeed("icd", "ls", "--json").json().elements.first)
        #expect(before["name"]?.string == "lamp" && before["idleSeconds"]?.int == 6)
        #expect(before["confirmed"]?.bool == true && before["lastCheckIn"] == nil)
        #expect(before["wakeUp"]?[0]?.string == "press the setup button")

        let first = try await Self.listen(matterctl)
        let second = try await matterctl("icd", "listen", "--json")
        #expect(second.status == 10)
        #expect(try second.error()["id"]?.string == "icd.listening")
        try await eventually("a check-in: \(first.stderr)") { !Self.checkIns(first).isEmpty }
        first.signal(SIGKILL)
        let counter = try #require(Self.checkIns(first).last?["counter"]?.int)
        let after = try #require(try await matterctl.succeed("icd", "ls", "--json").json().elements.first)
        #expect(try #require(after["counter"]?.int) >= counter && after["nextBy"]?.string != nil)

        let third = try await Self.listen(matterctl)
        try await eventually("another check-in: \(third.stderr)") {
            !Self.checkIns(third).isEmpty
        }
        let next = try #require(Self.checkIns(third).first)
        #expect(try #require(next["counter"]?.int) > counter && next["activeThresholdMs"]?.int == 5000)
        third.signal(SIGTERM)
        #expect(await third.status() == 0)
    }

    @Test("a command says how long it may sleep; with --wait it waits for the check-in, and then it is carried out")
    func wait() async throws {
        let matterctl = try MatterCtl()
        let device = try await Self.device()
        try await matterctl.commission(device, ["--name", "lamp"])
        try await Self.sleeps(device)
        let lost = try await matterctl("toggle", "lamp", "--timeout", "1s")
        #expect(lost.status == 4 && lost.stderr.contains("its next check-in may take up to 6 s"), "\(lost)")
        #expect(lost.stderr.contains("add --wait") && lost.stderr.contains("press the setup button"), "\(lost)")
        let waited = try await matterctl("toggle", "lamp", "--wait")
        #expect(waited.status == 0 && waited.stderr.contains("waiting"), "\(waited)")
        #expect(device.switchings == 1)
        // It has promised to stay awake: the next command neither waits nor says that it might.
        let again = try await matterctl("toggle", "lamp", "--wait")
        #expect(again.status == 0 && again.stderr.isEmpty && device.switchings == 2, "\(again)")
        try await matterctl.succeed("icd", "unregister", "lamp")
        #expect(try await matterctl.succeed("icd", "ls", "--json").json().elements.isEmpty)
        #expect(try await matterctl("toggle", "lamp", "--wait", "--json").error()["id"]?.string == "icd.not-registered")
        // No client is registered, so it does not sleep any more.
        try await matterctl.succeed("toggle", "lamp")
        let registered = try await matterctl.succeed("icd", "register", "lamp", "--json").json()
        #expect(registered["confirmed"]?.bool == true)
        try await matterctl.succeed("node", "remove", "lamp", "--yes")
        #expect(try await matterctl.succeed("icd", "ls", "--json").json().elements.isEmpty)
    }

    /// The states of a subscription, and the values that it told.
    private static func story(_ follower: Child) -> [String] {
        follower.stdout.split(separator: "\n").compactMap { line in
            guard let line = try? JSON(parsing: String(line)) else { return nil }
            return line["subscription"]?.string ?? line["value"].map { "\($0.bool == true)" }
        }
    }

    @Test(
        "a subscription waits for the check-in, and again after a power cut; meanwhile its reports tell that it is awake"
    )
    func subscribed() async throws {
        let matterctl = try MatterCtl()
        let device = try await Self.device()
        try await matterctl.commission(device, ["--name", "lamp"])
        try await Self.sleeps(device)
        let follower = try matterctl.start(["subscribe", "lamp", "1/on-off/on-off", "--json"])
        try await eventually("a subscription: \(follower.stdout) \(follower.stderr)") {
            Self.story(follower) == ["established", "false"]
        }
        #expect(follower.stderr.contains("waiting for its next check-in, up to 6 s"), "\(follower.stderr)")
        try await Self.sleeps(device, 2)
        let toggled = try await matterctl("toggle", "lamp", "--wait")
        #expect(toggled.status == 0, "\(toggled)")
        try await eventually("the change: \(follower.stdout)") {
            Self.story(follower).last == "true"
        }
        try await device.restart(SIGKILL)
        try await eventually("another subscription: \(follower.stdout) \(follower.stderr)") {
            Self.story(follower).filter { $0 == "established" }.count == 2
        }
        #expect(Self.story(follower).contains("lost"), "\(follower.stdout)")
        follower.signal(SIGINT)
        #expect(await follower.status() == 0)
        // Nothing comes from a device that is off.
        await device.end()
        let alone = try await matterctl("subscribe", "lamp", "1/on-off/on-off", "--timeout", "2s", "--json")
        #expect(alone.status == 4, "\(alone)")
    }

    @Test("after kill -9 of a subscriber, the next one reaches the device when it owes a report, without a check-in")
    func killed() async throws {
        let matterctl = try MatterCtl()
        let device = try await Self.device("15s")
        try await matterctl.commission(device, ["--name", "lamp"])
        let first = try matterctl.start(["subscribe", "lamp", "1/on-off/on-off", "--json"])
        try await eventually("a subscription: \(first.stdout) \(first.stderr)") {
            Self.story(first) == ["established", "false"]
        }
        first.signal(SIGKILL)
        _ = await first.status()
        let naps = device.events.count { $0["text"]?.string == "asleep" }
        try await Self.sleeps(device, naps + 1)
        func checkIns() -> Int { device.events.count { $0["step"]?.string == "checked-in" } }
        let before = checkIns()
        let second = try matterctl.start(["subscribe", "lamp", "1/on-off/on-off", "--json"])
        try await eventually("another one: \(second.stdout) \(second.stderr)") {
            Self.story(second) == ["established", "false"]
        }
        #expect(checkIns() == before)
        #expect(second.stderr.contains("a subscription from here may still hold"), "\(second.stderr)")
        second.signal(SIGINT)
        #expect(await second.status() == 0)
    }

    @Test("a key whose counters are used up is replaced by the process that listens")
    func newKey() async throws {
        let matterctl = try MatterCtl()
        let device = try await Self.device()
        try await matterctl.commission(device, ["--name", "lamp"])
        let listener = try await Self.listen(matterctl)
        try await device.restart(input: "0 icd-management counter 2147500000\n")
        func all() -> [(counter: Int, isNew: Bool)] {
            Self.checkIns(listener).map { ($0["counter"]?.int ?? 0, $0["newKey"]?.bool == true) }
        }
        try await eventually("a new key: \(listener.stdout) \(listener.stderr)") {
            all().contains { $0.counter == 2_147_500_001 && $0.isNew }
        }
        try await eventually("the next check-in: \(listener.stdout)") {
            all().contains { $0.counter == 2_147_500_002 && !$0.isNew }
        }
        listener.signal(SIGTERM)
        #expect(await listener.status() == 0)
    }

    @Test(
        "a check-in that is recorded on the wire and played again, whole or damaged, does not count, nor one that is made up"
    )
    func forged() async throws {
        let matterctl = try MatterCtl()
        let device = try await Self.device()
        try await matterctl.commission(device, ["--name", "lamp"])
        let listener = try await Self.listen(matterctl)
        let port = try #require(listener.stderr.split(separator: " ").last.map { $0.filter(\.isNumber) })
        let thief = try Child(
            Laboratory.python,
            [
                Laboratory.scripts.appendingPathComponent("check_in_thief.py").path, "--interface", "lo", "--port",
                port,
                "--to", Laboratory.nearAddress,
            ], folder: matterctl.folder)
        try await eventually("a theft: \(thief.stdout) \(thief.stderr)") {
            thief.stdout.contains("played 8")
        }
        let before = Self.checkIns(listener).count
        try await eventually("a check-in after it: \(listener.stdout)") {
            Self.checkIns(listener).count > before
        }
        let counters = Self.checkIns(listener).compactMap { $0["counter"]?.int }
        #expect(counters == Array(Set(counters)).sorted() && counters.count == before + 1, "\(counters)")
        // The printed code is the one that the device has sent.
        let sent = device.events.count { $0["step"]?.string == "checked-in" }
        #expect(counters.count <= sent && before <= 2, "\(counters) of \(sent)")
        listener.signal(SIGKILL)
    }
}
