import Foundation
import Testing

/// The page of `serve --web` in a headless Chromium (Tests/Lab/page_steps.py).
@Suite("Web page", .enabled(if: Laboratory.isHere), .laboratorySlot) struct WebPageTests {
    /// nginx would start as a service of the machine if it were installed for this test alone.
    private static let hasProxy: Bool = {
        let isHere = ["/usr/sbin/nginx", "/usr/bin/nginx"].contains { FileManager.default.isExecutableFile(atPath: $0) }
        if !isHere {
            Laboratory.say("SKIPPED: no nginx here; docs/proxy/nginx.conf is not tried. See: Tests/Lab/proxy.py")
        }
        return isHere
    }()

    /// The facts that a program printed, by what became of them.
    private func run(
        _ words: [String], by program: String = "page_steps.py", in folder: TemporaryFolder,
        environment: [String: String] = Laboratory.environment
    ) async throws -> (ok: [String], output: String) {
        let steps = try Child(
            Laboratory.python, [Laboratory.scripts.appendingPathComponent(program).path] + words,
            environment: environment, folder: folder)
        let status = await steps.status(within: .seconds(600))
        let output = steps.stdout + steps.stderr
        #expect(status == 0, "\(output)")
        return (
            steps.stdout.split(separator: "\n").filter { $0.hasPrefix("ok ") }.map { String($0.dropFirst(3)) }, output
        )
    }

    @Test("in a house of many kinds of devices the page does all that it should", .timeLimit(.minutes(15)))
    func standIn() async throws {
        let folder = try TemporaryFolder()
        let (facts, output) = try await run(["--mock", "--port", "8462"], in: folder)
        #expect(facts.count == 25, "\(output)")
    }

    @Test(
        "behind nginx with TLS the page works, and no log has the token", .enabled(if: hasProxy),
        .timeLimit(.minutes(20)))
    func proxy() async throws {
        let folder = try TemporaryFolder()
        let (facts, output) = try await run([], by: "proxy.py", in: folder)
        #expect(facts.count == 6, "\(output)")
    }

    @Test(
        "a change of a virtual light is shown; the page switches it, and survives a restart of the server",
        .timeLimit(.minutes(15)))
    func served() async throws {
        let name = "<img src=x onerror=alert(1)>"
        let matterctl = try MatterCtl()
        let light = try await VirtualDevice.start("dimmable-light", isAdvertised: true)
        defer { light.stop() }
        try await matterctl.commission(light, ["--name", name])
        let token = try await matterctl.succeed("serve", "token", "add", "panel", "--role", "control").result
        var environment = matterctl.environment
        environment["MATTERCTL_HOME"] = matterctl.home.path
        environment["XDG_STATE_HOME"] = matterctl.folder.file("xdg-state").path
        environment["MATTERCTL"] = Laboratory.binary.path
        environment["LIGHT"] = name
        let (facts, output) = try await run(
            [
                "--server", "\(Laboratory.binary.path) serve --web --listen 127.0.0.1:8463", "--port", "8463",
                "--token=\(token)",
                "--light", name, "--change", "\"$MATTERCTL\" toggle \"$LIGHT\"", "--is-on",
                "\"$MATTERCTL\" read \"$LIGHT\" 1/on-off/on-off --json",
            ], in: matterctl.folder, environment: environment)
        #expect(facts.count == 12, "\(output)")
        // By the page and beside it: each switching was done once, and nothing else was.
        let values = light.values("OnOff", "OnOff").compactMap(\.bool)
        #expect(values.count >= 8)
        #expect(zip(values, values.dropFirst()).allSatisfy { $0 != $1 }, "\(values)")
    }
}
