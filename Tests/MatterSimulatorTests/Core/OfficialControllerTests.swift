import Foundation
import Testing

/// The official controller against `matterctl simulate`; needs the laboratory (Tests/Lab/lab.sh), the binary and the
/// peers, and is loudly skipped elsewhere.
@Suite("The official controller", .serialized, .enabled(if: OfficialController.isHere))
struct OfficialControllerTests {
    @Test("commissions by discriminator and by code, checks everything, and leaves", .timeLimit(.minutes(5)))
    func life() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sim-official-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("paa"), withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let device = try OfficialController.start(
            folder, "dimmable-light", "--port", "5599", "--discriminator", "2025", "--passcode", "34561234")
        defer { device.terminate() }

        let first = try OfficialController.run(
            folder, "a", "commission", "1", "--discriminator", "2025", "--passcode", "34561234")
        #expect(first.contains("commissioned node 1"))

        let lines = try OfficialController.run(folder, "a", "check", "1").split(separator: "\n")
        #expect(lines.count { $0.hasPrefix("ok ") } == 17)
        // The controller raises the refusal that a proper device answers with; the script calls every exception a failure.
        let failures = lines.filter { $0.hasPrefix("FAIL") }
        #expect(failures.count == 1)
        #expect(failures.first?.contains("UnsupportedEndpoint (0x7f)") == true)

        let window = try OfficialController.run(folder, "a", "window", "1").split(separator: "\n").last ?? ""
        let code = try #require(window.split(separator: " ").first)
        let second = try OfficialController.run(folder, "b", "commission", "2", "--code", String(code))
        #expect(second.contains("commissioned node 2"))
        #expect(try OfficialController.run(folder, "a", "read", "1", "0.0x3e.3").contains("0.0x003e.0x0003 = 2"))
        _ = try OfficialController.run(folder, "b", "unpair", "2")
        #expect(try OfficialController.run(folder, "a", "read", "1", "0.0x3e.3").contains("0.0x003e.0x0003 = 1"))
    }
}

private enum OfficialController {
    private static let environment = ProcessInfo.processInfo.environment
    private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../..").standardizedFileURL
    private static let binary =
        environment["MATTERCTL_BINARY"].map { URL(fileURLWithPath: $0) }
        ?? URL(fileURLWithPath: CommandLine.arguments[0]).standardizedFileURL.deletingLastPathComponent()
        .appendingPathComponent("matterctl")
    private static let python =
        (environment["MATTERCTL_PEERS"].map { URL(fileURLWithPath: $0) }
        ?? tests.appendingPathComponent("../.peers")).standardizedFileURL.appendingPathComponent("bin/python")
    private static let script = tests.appendingPathComponent("Bench/chip_ctrl.py")

    static let isHere: Bool = {
        let missing =
            environment["MATTERCTL_LAB"] != "1"
            ? "no laboratory here (MATTERCTL_LAB is not 1)"
            : [binary, python, script].first { !FileManager.default.fileExists(atPath: $0.path) }.map {
                "no \($0.path)"
            }
        guard let missing else { return true }
        FileHandle.standardError.write(
            Data("\nSKIPPED: \(missing); the official controller does not meet the virtual device.\n\n".utf8))
        return false
    }()

    /// Starts a device that the controller of the same folder trusts.
    static func start(_ folder: URL, _ arguments: String...) throws -> Process {
        let device = Process()
        device.executableURL = binary
        device.arguments =
            ["simulate"] + arguments + [
                "--state", folder.appendingPathComponent("state").path, "--paa-out",
                folder.appendingPathComponent("paa/device.der").path,
            ]
        let output = Pipe()
        device.standardOutput = output
        device.standardInput = FileHandle.nullDevice
        try device.run()
        var printed = ""
        while !printed.contains("ready") {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw CocoaError(.fileReadUnknown) }
            printed += String(decoding: data, as: UTF8.self)
        }
        // What it prints later must not block it.
        output.fileHandleForReading.readabilityHandler = { _ = $0.availableData }
        return device
    }

    static func run(_ folder: URL, _ storage: String, _ arguments: String...) throws -> String {
        let controller = Process()
        controller.executableURL = python
        controller.currentDirectoryURL = folder
        controller.arguments =
            [script.path] + arguments + [
                "--storage", folder.appendingPathComponent(storage).path, "--paa",
                folder.appendingPathComponent("paa").path,
            ]
        let output = Pipe()
        controller.standardOutput = output
        controller.standardError = FileHandle.nullDevice
        try controller.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        controller.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}
