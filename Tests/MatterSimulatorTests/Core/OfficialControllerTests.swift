import Foundation
import MatterBase
import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterModel
@testable import MatterNetwork
@testable import MatterSimulator

/// The official controller against `matterctl simulate`; needs the laboratory (Tests/Lab/lab.sh), the binary and the
/// peers, and is loudly skipped elsewhere.
@Suite("The official controller", .beside, .serialized, .enabled(if: OfficialController.isHere))
struct OfficialControllerTests {
    @Test("commissions by discriminator and by code, checks everything, and leaves", .timeLimit(.minutes(5)))
    func life() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sim-official-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("paa"), withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let device = try OfficialController.start(
            folder, "dimmable-light", "--port", "5599", "--discriminator", "2025", "--passcode", "34561234")
        defer { OfficialController.end(device) }

        let first = try OfficialController.run(
            folder, "a", "commission", "1", "--discriminator", "2025", "--passcode", "34561234")
        #expect(first.contains("commissioned node 1"))

        let lines = try OfficialController.run(folder, "a", "check", "1").split(separator: "\n")
        #expect(lines.count { $0.hasPrefix("ok ") } == 18)
        #expect(lines.filter { $0.hasPrefix("FAIL") } == [])
        #expect(lines.contains { $0.hasPrefix("ok   write read-only") && $0.contains("UnsupportedWrite") })

        let window = try OfficialController.run(folder, "a", "window", "1").split(separator: "\n").last ?? ""
        let code = try #require(window.split(separator: " ").first)
        let second = try OfficialController.run(folder, "b", "commission", "2", "--code", String(code))
        #expect(second.contains("commissioned node 2"))
        #expect(try OfficialController.run(folder, "a", "read", "1", "0.0x3e.3").contains("0.0x003e.0x0003 = 2"))
        _ = try OfficialController.run(folder, "b", "unpair", "2")
        #expect(try OfficialController.run(folder, "a", "read", "1", "0.0x3e.3").contains("0.0x003e.0x0003 = 1"))
    }

    @Test("accepts the terms that a device asks for, and fails without", .timeLimit(.minutes(5)))
    func terms() throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("sim-official-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        for (port, options) in [(5595, []), (5596, ["--terms", "3:7"])] {
            let folder = root.appendingPathComponent("\(port)")
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent("paa"), withIntermediateDirectories: true)
            let code = ["--discriminator", "\(port % 4096)", "--passcode", "34561237"]
            let device = try OfficialController.start(
                folder, ["on-off-light", "--port", "\(port)", "--terms", "2:0x3"] + code)
            defer { OfficialController.end(device) }
            let run = try OfficialController.run(folder, "a", ["commission", "1"] + code + options)
            #expect(run.contains("commissioned node 1") == !options.isEmpty, "\(run)")
            guard !options.isEmpty else { continue }
            for (attribute, value) in [(5, "3"), (7, "7"), (8, "False")] {
                let read = try OfficialController.run(folder, "a", "read", "1", "0.0x30.\(attribute)")
                #expect(read.contains("0.0x0030.0x000\(attribute) = \(value)"), "\(read)")
            }
        }
    }

    @Test("registers with a device that sleeps, and hears each of its check-ins", .timeLimit(.minutes(5)))
    func sleep() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sim-official-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("paa"), withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let code = ["--discriminator", "2031", "--passcode", "34561240"]
        let device = try OfficialController.start(
            folder, ["on-off-light", "--port", "5592", "--icd", "4s"] + code)
        defer { OfficialController.end(device) }
        let run = try OfficialController.run(folder, "a", ["icd", "1", "--count", "2"] + code)
        #expect(run.contains("commissioned node 1"), "\(run)")
        #expect(run.split(separator: "\n").count { $0.hasPrefix("active for ") } == 2, "\(run)")
    }

    @Test("decodes every attribute of every kind of device", .timeLimit(.minutes(5)), arguments: ["ethernet", "wifi"])
    func survey(_ network: String) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sim-official-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("paa"), withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let kinds = SimulatedType.all.map(\.name)
        let device = try OfficialController.start(
            folder, kinds.joined(separator: ","), "--port", "5597", "--discriminator", "2027", "--passcode", "34561236",
            "--network", network, "--rainmaker")
        defer { OfficialController.end(device) }
        let commissioned = try OfficialController.run(
            folder, "a", "commission", "1", "--discriminator", "2027", "--passcode", "34561236")
        #expect(commissioned.contains("commissioned node 1"))
        let lines = try OfficialController.run(folder, "a", "survey", "1").split(separator: "\n")
        #expect(lines.filter { $0.hasPrefix("UNDECODABLE") } == [])
        #expect(lines.count { $0.hasPrefix("attribute ") } > 600)
        // The bridge has its lights on endpoints of their own.
        let descriptors = lines.filter { $0.contains(".Descriptor.DeviceTypeList = ") }
        #expect(descriptors.count == SimulatedType.plans(SimulatedType.all).count + 1)
    }

    /// A test group of the SDK, whose controllers know the key, and take the first counter on trust: that of others they
    /// want synchronized.
    private static let group = (id: UInt16(0x0103), key: SecretBytes([UInt8](0xD0...0xDF)))
    private static let counter: UInt32 = 0x00C0_FFEE

    @Test("sends to a group by multicast, and the device carries out each message", .timeLimit(.minutes(5)))
    func group() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sim-official-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("paa"), withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let device = try OfficialController.start(
            folder, "on-off-light", "--port", "5594", "--discriminator", "2028", "--passcode", "34561238")
        defer { OfficialController.end(device) }
        let commissioned = try OfficialController.run(
            folder, "a", "commission", "1", "--discriminator", "2028", "--passcode", "34561238")
        #expect(commissioned.contains("commissioned node 1"))
        let sent = try OfficialController.run(folder, "a", "group", "1", "--count", "3")
        #expect(sent.contains("added with status 0") && sent.contains("sent 3"), "\(sent)")
        #expect(try OfficialController.run(folder, "a", "read", "1", "1.6.0").contains("1.0x0006.0x0000 = True"))
    }

    @Test("decrypts what we send to a group, with its header obscured", .timeLimit(.minutes(5)))
    func hearsGroup() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sim-official-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("paa"), withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let device = try OfficialController.start(
            folder, "on-off-light", "--port", "5593", "--discriminator", "2029", "--passcode", "34561239")
        defer { OfficialController.end(device) }
        _ = try OfficialController.run(
            folder, "a", "commission", "1", "--discriminator", "2029", "--passcode", "34561239")
        let (listener, output) = try OfficialController.begin(
            folder, "a", "listen", "1", "--count", "120", "--log", "3")
        // It sleeps through anything less.
        defer { kill(listener.processIdentifier, SIGKILL) }
        var printed = LineReader(output)
        func words(_ first: String) throws -> [Substring] {
            while true {
                let words = try printed.next().split(separator: " ")
                if words.first == first[...] { return Array(words.dropFirst()) }
            }
        }
        let fabric = try words("fabric")
        let identity = try FabricIdentity(
            rootPublicKey: P256PublicKey(x963: hex(String(fabric[0]))), fabricID: #require(FabricID(hex: fabric[1])))
        let key = try GroupKey(epochKey: Self.group.key, compressedFabricID: identity.compressedFabricID)
        let security = GroupMessageSecurity(
            sessionID: key.sessionID, key: key.operationalKey, privacyKey: try key.privacyKey())
        let request = InvokeRequest(
            suppressesResponse: true,
            commands: [
                CommandDataIB(
                    path: CommandPath(endpoint: nil, cluster: OnOff.id, command: OnOff.Command.toggle),
                    fields: .structure([]))
            ])
        let sender = try ExchangeManager(random: SystemRandom()) { _, _, _ in false }
        // It listens at a port of its own, which no multicast reaches.
        for port in try words("listening") {
            _ = try await sender.multicast(
                OutgoingGroupMessage(
                    request.encoded(), opcode: InvokeRequest.opcode.rawValue, protocolID: .interactionModel,
                    group: Self.group.id, source: 0x0BAD_CAFE, counter: Self.counter, security: security,
                    address: PeerAddress(parsing: "[fd77::1]:\(port)")))
        }
        let heard = try words("heard").joined(separator: " ")
        await sender.shutDown()
        #expect(heard.contains("000000000BADCAFE"), "\(heard)")
        #expect(heard.contains("M:\(Self.counter)") && heard.contains("0001:08 (IM:InvokeCommandRequest)"), "\(heard)")
    }

    @Test("subscribes to everything and sees every change, by whomever it was made", .timeLimit(.minutes(5)))
    func subscription() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sim-official-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("paa"), withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let hand = Pipe()
        let device = try OfficialController.start(
            folder, "dimmable-light,contact-sensor", "--port", "5598", "--discriminator", "2026", "--passcode",
            "34561235",
            input: hand)
        defer { OfficialController.end(device) }
        let commissioned = try OfficialController.run(
            folder, "a", "commission", "1", "--discriminator", "2026", "--passcode", "34561235")
        #expect(commissioned.contains("commissioned node 1"))

        let changes: [(typed: String, reports: Set<String>)] = [
            ("1 on-off on", ["1.OnOff.OnOff = True"]),
            ("2 boolean-state open", ["2.BooleanState.StateValue = False"]),
            ("1 on-off off", ["1.OnOff.OnOff = False"]),
            ("2 boolean-state closed", ["2.BooleanState.StateValue = True"]),
        ]
        let (watcher, output) = try OfficialController.begin(folder, "a", "watch", "1", "--count", "1000")
        defer { OfficialController.end(watcher) }
        var printed = LineReader(output)
        while try printed.next() != "subscribed" {}
        for (typed, reports) in changes {
            try hand.fileHandleForWriting.write(contentsOf: Data("\(typed)\n".utf8))
            var missing = reports
            while !missing.isEmpty {
                let line = try printed.next()
                if line.hasPrefix("change ") { missing.remove(String(line.dropFirst("change ".count))) }
            }
        }
    }
}

/// Lines as they come.
private struct LineReader {
    private let file: FileHandle
    private var rest = ""

    init(_ pipe: Pipe) { file = pipe.fileHandleForReading }

    /// - Throws: at the end of the file.
    mutating func next() throws -> String {
        while true {
            if let end = rest.firstIndex(of: "\n") {
                defer { rest = String(rest[rest.index(after: end)...]) }
                return String(rest[..<end])
            }
            let data = file.availableData
            guard !data.isEmpty else { throw CocoaError(.fileReadUnknown) }
            rest += String(decoding: data, as: UTF8.self)
        }
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
    private static let script = tests.appendingPathComponent("Bench/chip_ctrl.py")

    static let isHere: Bool = {
        let missing =
            environment["MATTERCTL_LAB"] != "1"
            ? "no laboratory here (MATTERCTL_LAB is not 1)"
            : [binary, PeerPython.path, script].first { !FileManager.default.fileExists(atPath: $0.path) }.map {
                "no \($0.path)"
            } ?? (PeerPython.hasController ? nil : "no official controller")
        guard let missing else { return true }
        FileHandle.standardError.write(
            Data("\nSKIPPED: \(missing); the official controller does not meet the virtual device.\n\n".utf8))
        return false
    }()

    /// Starts a device that the controller of the same folder trusts.
    ///
    /// - Parameter input: what is typed at it.
    static func start(_ folder: URL, _ arguments: String..., input: Pipe? = nil) throws -> Process {
        try start(folder, arguments, input: input)
    }

    static func start(_ folder: URL, _ arguments: [String], input: Pipe? = nil) throws -> Process {
        let device = Process()
        device.executableURL = binary
        device.arguments =
            ["simulate"] + arguments + [
                "--state", folder.appendingPathComponent("state").path, "--paa-out",
                folder.appendingPathComponent("paa/device.der").path,
            ]
        let output = Pipe()
        device.standardOutput = output
        if let input { device.standardInput = input } else { device.standardInput = FileHandle.nullDevice }
        try device.run()
        var printed = ""
        while !printed.contains("ready") {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw CocoaError(.fileReadUnknown) }
            printed += String(decoding: data, as: UTF8.self)
        }
        // Later output must not block it.
        output.fileHandleForReading.readabilityHandler = { _ = $0.availableData }
        return device
    }

    /// Ends a process and waits for it: the next one may want the same port.
    static func end(_ process: Process) {
        process.terminate()
        process.waitUntilExit()
    }

    /// Runs a command to its end.
    static func run(_ folder: URL, _ storage: String, _ arguments: String...) throws -> String {
        try run(folder, storage, arguments)
    }

    static func run(_ folder: URL, _ storage: String, _ arguments: [String]) throws -> String {
        let (controller, output) = try begin(folder, storage, arguments)
        let data = output.fileHandleForReading.readDataToEndOfFile()
        controller.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }

    /// Starts a command and does not wait.
    static func begin(_ folder: URL, _ storage: String, _ arguments: String...) throws -> (Process, Pipe) {
        try begin(folder, storage, arguments)
    }

    private static func begin(_ folder: URL, _ storage: String, _ arguments: [String]) throws -> (Process, Pipe) {
        let controller = Process()
        controller.executableURL = PeerPython.path
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
        return (controller, output)
    }
}
