import Foundation
import Testing

/// Interactive shells with the completion script, at which a person presses the tabulator.
@Suite("Completion in shells", .enabled(if: Laboratory.isHere), .laboratorySlot) struct CompletionTests {
    @Test(
        "a line becomes what the house suggests; names with blanks and quotes survive",
        arguments: ["bash", "zsh", "fish"])
    func completed(_ shell: String) async throws {
        let matterctl = try MatterCtl()
        let device = try await VirtualDevice.start("dimmable-light,robot-vacuum")
        defer { device.stop() }
        try await matterctl.succeed(
            "commission", device.manualCode, "--address", device.address, "--attestation", "skip", "--name",
            "Desk lamp",
            "--room", "Guest's \"room\"")
        try await matterctl.succeed("acl", "ls", "1")
        try await matterctl.succeed("mode", "1")
        let script = matterctl.folder.file("completion")
        try Data(try await matterctl.succeed("--generate-completion-script", shell).stdout.utf8).write(to: script)
        let programs = matterctl.folder.file("programs")
        try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            at: programs.appendingPathComponent("matterctl"), withDestinationURL: Laboratory.binary)
        try Data("1234".utf8).write(to: matterctl.folder.file("my code.pin"))

        // bash closes a quote without a blank behind it.
        let after = shell == "bash" ? "" : " "
        let lines = [
            ("matterctl togg", "matterctl toggle "),
            ("matterctl toggle De", #"matterctl toggle Desk\ lamp "#),
            ("matterctl toggle 'De", "matterctl toggle 'Desk lamp'" + after),
            (#"matterctl toggle "De"#, #"matterctl toggle "Desk lamp""# + after),
            ("matterctl on --room Gu", #"matterctl on --room Guest\'s\ \"room\" "#),
            ("matterctl on --room=Gu", #"matterctl on --room=Guest\'s\ \"room\" "#),
            ("matterctl invoke 'Desk lamp' 1/on", "matterctl invoke 'Desk lamp' 1/on-off/"),
            (#"matterctl invoke Desk\ lamp 1/on-off/tog"#, #"matterctl invoke Desk\ lamp 1/on-off/toggle "#),
            (
                "matterctl invoke 1 1/on-off/off-with-effect effect-identifier=dy",
                "matterctl invoke 1 1/on-off/off-with-effect effect-identifier=dying-light "
            ),
            ("matterctl wait 1 1/on-off/on-off=tr", "matterctl wait 1 1/on-off/on-off=true "),
            ("matterctl lock 1 --pin @my", #"matterctl lock 1 --pin @my\ code.pin "#),
            ("matterctl cover til", "matterctl cover tilt "), ("matterctl fan 1 med", "matterctl fan 1 medium "),
            ("matterctl mode 1 Dee", #"matterctl mode 1 Deep\ clean "#),
            ("matterctl mode set 1 'Dee", "matterctl mode set 1 'Deep clean'" + after),
            ("matterctl door-lock unl", "matterctl door-lock unlock "),
            ("matterctl lock unl", "matterctl lock unlock "),
            ("matterctl scene rec", "matterctl scene recall "),
            ("matterctl on 1/", "matterctl on 1/1 "),
            ("matterctl door-lock config 1 --volume si", "matterctl door-lock config 1 --volume silent "),
            ("matterctl acl revoke 1 en", "matterctl acl revoke 1 entry:1 "),
            ("matterctl thermostat mode 1 fan", "matterctl thermostat mode 1 fan-only "),
            ("matterctl valve open garden --le", "matterctl valve open garden --level "),
            ("matterctl trust add my", #"matterctl trust add my\ code.pin "#),
        ]
        var environment = matterctl.environment
        environment["MATTERCTL_HOME"] = matterctl.home.path
        environment["PATH"] = programs.path + ":" + (environment["PATH"] ?? "")
        environment["HOME"] = matterctl.folder.file("home-of-\(shell)").path
        let asked = lines.map(\.0) + ["matterctl invoke 1 1/\n"]
        let child = try Child(
            Laboratory.python,
            [Laboratory.scripts.appendingPathComponent("complete_in_shell.py").path, shell, script.path] + asked,
            environment: environment, folder: matterctl.folder)
        #expect(await child.status() == 0, "\(child.stdout)\(child.stderr)")
        let answers = try child.stdout.split(separator: "\n").map { try JSON(parsing: String($0)) }
        try #require(answers.count == asked.count, "\(child.stdout)\(child.stderr)")
        for ((line, wanted), answer) in zip(lines, answers) { #expect(answer.string == wanted, "\(line)") }
        let last = try #require(answers.last)
        let listed = last.elements.compactMap { $0.string }
        #expect(listed.contains("1/level-control/") && !listed.contains("1/door-lock/"), "\(listed)")
    }
}
