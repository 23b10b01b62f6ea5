import Foundation
import Logging
import Synchronization
import TestSupport
import Testing

@testable import HouseServer

/// The post for commands of shells, over its real socket, with commands that a test plays.
@Suite("Commands of shells", .timed) struct ShellPostTests {
    /// Plays what its first argument says, until it is cancelled or unheard.
    private final class Desk: ShellCommands {
        private let ends = Mutex<[String]>([])
        /// How the commands have ended.
        var ended: [String] { ends.withLock { $0 } }

        func refusal(of caller: ShellCaller) async -> String? { caller.fabric == "other" ? "another fabric" : nil }

        func run(
            _ call: ShellCall, isUnheard: @escaping @Sendable () -> Bool,
            print: @escaping @Sendable (Bool, [UInt8]) -> Void
        ) async -> Int32? {
            guard call.arguments.first != "ask" else { return nil }
            print(false, Array("first\n".utf8))
            print(true, Array("beside\n".utf8))
            let flood = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
            while !Task.isCancelled, !isUnheard() {
                if call.arguments.first == "flood" { print(false, flood) }
                // It stands for a node that says nothing.
                try? await Task.sleep(for: .milliseconds(5))
            }
            ends.withLock { $0.append(isUnheard() ? "unheard" : "cancelled") }
            return isUnheard() ? 7 : 9
        }
    }

    /// A post with its socket in a folder of its own.
    private static func with(
        pace: Duration = .seconds(5), _ test: (Desk, String) async throws -> Void
    ) async throws {
        let folder = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent(
            "mhs-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        let (desk, path) = (Desk(), folder.appendingPathComponent("shell.sock").path)
        let post = ShellPost(desk, pace: pace, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await post.start(at: path)
        do { try await test(desk, "unix://" + path) } catch {
            await post.stop()
            throw error
        }
        await post.stop()
    }

    /// A shell whose command is under way.
    private static func begun(_ address: String, _ words: String...) async throws -> RawClient {
        let client = try await RawClient.connect(address)
        await client.send(ShellCaller(program: "test", state: "1:2", fabric: nil).line)
        try await awaitEvent("the command is taken") { client.bytes.first == UInt8(ascii: "a") }
        await client.send(ShellCall(arguments: words, environment: [:], terminals: []).line)
        return client
    }

    @Test("each line of a command that goes on comes at once, and its end after a reader that is gone")
    func unheard() async throws {
        try await Self.with { desk, address in
            let client = try await Self.begun(address, "follow")
            var frames: [ShellFrame] = []
            try await awaitEvent("the lines") {
                frames = Self.frames(client.bytes)
                return frames.count == 3
            }
            #expect(frames == [.accepted, .output(Array("first\n".utf8)), .error(Array("beside\n".utf8))])
            #expect(desk.ended.isEmpty)
            await client.send(ShellCall.unheard)
            try await awaitEvent("the end") { client.hasEnded }
            #expect(Self.frames(client.bytes).last == .end(7))
            #expect(desk.ended == ["unheard"])
        }
    }

    @Test("a reader that is gone at once, so that both lines come together, ends the command")
    func unheardAtOnce() async throws {
        try await Self.with { desk, address in
            let client = try await RawClient.connect(address)
            await client.send(ShellCaller(program: "test", state: "1:2", fabric: nil).line)
            try await awaitEvent("the command is taken") { client.bytes.first == UInt8(ascii: "a") }
            let call = ShellCall(arguments: ["follow"], environment: [:], terminals: [])
            await client.send(call.line + ShellCall.unheard)
            try await awaitEvent("the end") { client.hasEnded }
            #expect(desk.ended == ["unheard"])
        }
    }

    @Test("a command that goes on and says nothing is told to do so again and again")
    func working() async throws {
        try await Self.with(pace: .milliseconds(20)) { desk, address in
            let client = try await Self.begun(address, "follow")
            try await awaitEvent("the third time") { Self.frames(client.bytes).count { $0 == .working } >= 3 }
            await client.send(ShellCall.unheard)
            try await awaitEvent("the end") { client.hasEnded }
            #expect(Self.frames(client.bytes).last == .end(7))
        }
    }

    @Test("a command that has to ask a person is given back, with nothing printed and no exit code")
    func question() async throws {
        try await Self.with { _, address in
            let client = try await Self.begun(address, "ask")
            try await awaitEvent("the end") { client.hasEnded }
            #expect(Self.frames(client.bytes) == [.accepted, .declined("a person has to be asked")])
        }
    }

    @Test("a call is read as it was written, with the beginning of its process, and one that is malformed is none")
    func calls() throws {
        var call = ShellCall(arguments: ["acl", "ls"], environment: ["TERM": "dumb"], terminals: ["output"])
        #expect(ShellCall(line: call.line) == call && ShellCall(line: call.line)?.start == nil)
        call.start = ShellCall.Start(made: 1_767_225_600_000, taken: 1_767_225_600_017)
        #expect(ShellCall(line: call.line) == call)
        for start in ["1", "[1]", "[1,-2]", "[1,2,3]", "[\"1\",2]"] {
            let line = "{\"run\":[],\"environment\":{},\"terminals\":[],\"start\":\(start)}"
            #expect(ShellCall(line: Array(line.utf8)) == nil, "\(start)")
        }
    }

    @Test("a shell that is gone ends its command")
    func gone() async throws {
        try await Self.with { desk, address in
            let client = try await Self.begun(address, "follow")
            try await awaitEvent("the lines") { Self.frames(client.bytes).count == 3 }
            await client.close()
            try await awaitEvent("the end of the command") { desk.ended == ["cancelled"] }
        }
    }

    @Test("a shell that does not read is let go, and its command ends")
    func deaf() async throws {
        try await Self.with { desk, address in
            let client = try await Self.begun(address, "flood")
            try await client.read(false)
            try await awaitEvent("the end of the command") { desk.ended == ["cancelled"] }
            await client.close()
        }
    }

    @Test("a command for another fabric is declined with the reason")
    func declined() async throws {
        try await Self.with { _, address in
            let client = try await RawClient.connect(address)
            await client.send(ShellCaller(program: "test", state: "1:2", fabric: "other").line)
            try await awaitEvent("the end") { client.hasEnded }
            #expect(Self.frames(client.bytes) == [.declined("another fabric")])
        }
    }

    private static func frames(_ bytes: [UInt8]) -> [ShellFrame] {
        var (rest, frames) = (bytes, [ShellFrame]())
        while let frame = try? ShellFrame.take(from: &rest) { frames.append(frame) }
        return frames
    }
}
