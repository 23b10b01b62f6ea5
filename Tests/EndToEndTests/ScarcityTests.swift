import Foundation
import Testing

/// A command that gets less from the system than it needs: it ends in time, with a message.
@Suite("Scarcity", .enabled(if: Laboratory.isHere), .waitingSlot) struct ScarcityTests {
    /// Runs a shell script in which `$M` is the program, with a state directory of its own.
    private func shell(_ script: String, _ matterctl: MatterCtl) async throws -> (status: Int32, text: String) {
        var environment = matterctl.environment
        environment["MATTERCTL_HOME"] = matterctl.home.path
        environment["M"] = Laboratory.binary.path
        // The descriptors that it has from this process would count against its limit.
        let closing =
            "for f in /proc/$$/fd/*; do n=${f##*/}; if [ $n -gt 2 ] && [ $n -ne 255 ]; then eval \"exec $n>&-\"; fi; done"
        let child = try Child(
            URL(fileURLWithPath: "/bin/bash"), ["-c", "\(closing); \(script)"], environment: environment,
            folder: matterctl.folder)
        let status = await child.status()
        return (status, child.stdout + child.stderr)
    }

    @Test("without /proc a command says so and does nothing, and what needs no thread works")
    func noProc() async throws {
        let matterctl = try MatterCtl()
        func withoutProc(_ words: String) async throws -> (status: Int32, text: String) {
            try await shell(
                "exec unshare -m sh -c 'mount -t tmpfs none /proc && exec \"$M\" \(words)'", matterctl)
        }
        let remove = try await withoutProc("node remove lamp --yes")
        #expect(remove.status == 11 && remove.text.contains("/proc cannot be read"), "\(remove)")
        #expect(try await withoutProc("--no-such-option").status == 64)
        let version = try await withoutProc("--version")
        #expect(version.status == 0 && version.text.hasPrefix("matterctl "), "\(version)")
    }

    @Test(
        "few descriptors: exit 10 or 11 with a message, or the work is done", arguments: [6, 7, 8, 10, 11, 13, 15, 24])
    func descriptors(count: Int) async throws {
        let device = try await VirtualDevice.start("on-off-light")
        defer { device.stop() }
        let matterctl = try MatterCtl()
        try await matterctl.commission(device, ["--name", "lamp"])
        let words = "toggle lamp --address '\(device.address)' --timeout 8s"
        for words in [words, "discover --timeout 8s", "node ls", "clusters on-off"] {
            let run = try await shell("ulimit -n \(count) && exec \"$M\" \(words)", matterctl)
            #expect([0, 10, 11].contains(run.status), "\(count) \(words): \(run)")
            #expect(run.status == 0 || run.text.contains("error: "), "\(count) \(words): \(run)")
            if count >= 24, words.hasPrefix("toggle") { #expect(run.status == 0, "\(run)") }
        }
        if count >= 24 { try await device.wait(for: "a toggle") { _ in device.switchings == 1 } }
    }

    @Test("little memory for threads: exit 10 with a message, long before the time is over")
    func addressSpace() async throws {
        let matterctl = try MatterCtl()
        var refusals = 0
        for megabytes in stride(from: 70, through: 250, by: 20) {
            let run = try await shell(
                "ulimit -v \(megabytes * 1024) && exec \"$M\" discover --timeout 8s --json", matterctl)
            // Below some limit the dynamic loader itself gives up: 127.
            #expect([0, 10, 11, 127].contains(run.status), "\(megabytes): \(run)")
            if run.text.contains("process.no-resources") { refusals += 1 }
        }
        #expect(refusals > 0)
    }

    @Test("few processes: exit 10 with a message; SIGTERM is never ignored")
    func processes() async throws {
        let matterctl = try MatterCtl()
        for count in [1, 3, 6] {
            let run = try await shell(
                "exec setpriv --reuid=65534 --clear-groups prlimit --nproc=\(count) \"$M\" discover --timeout 8s",
                matterctl)
            // Where the laboratory is a user namespace there is no other user to be.
            if run.text.contains("setpriv") { return Laboratory.say("SKIPPED: no other user here: \(run.text)") }
            #expect(run.status == 10 && run.text.contains("threads"), "\(count): \(run)")
        }
    }

    @Test("core dumps and the memory of a process with keys are closed to other processes of the user")
    func sealed() async throws {
        let device = try await VirtualDevice.start("on-off-light")
        defer { device.stop() }
        let matterctl = try MatterCtl()
        let script = """
            chmod 755 . ; mkdir -m 777 \(matterctl.folder.file("n").path) 2> /dev/null
            setpriv --reuid=65534 --clear-groups env MATTERCTL_HOME=\(matterctl.folder.file("n").path) \
            "$M" discover --watch > /dev/null 2>&1 &
            sleep 1.5
            stat -c %u /proc/$!/environ
            kill $!
            """
        let run = try await shell("cd \(matterctl.folder.file(".").path); chmod 755 .; \(script)", matterctl)
        if run.text.contains("cannot stat") { return Laboratory.say("SKIPPED: no other user here: \(run.text)") }
        #expect(run.text.hasPrefix("0\n"), "\(run)")
    }
}
