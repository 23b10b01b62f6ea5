import Foundation
import Glibc
import Testing

/// The private network in which these tests run: Tests/Lab/lab.sh makes it and `make test` enters it.
enum Laboratory {
    /// Whether we are in one; elsewhere everything here is skipped, loudly.
    static let isHere: Bool = {
        if environment["MATTERCTL_LAB"] == "1" { return true }
        say("SKIPPED: no laboratory here (MATTERCTL_LAB is not 1); the end-to-end tests do not run. See: make test")
        return false
    }()

    static let environment = ProcessInfo.processInfo.environment

    /// The binary under test: `MATTERCTL_BINARY`, as `make test` gives the one that users install, else the one beside these tests.
    static let binary: URL =
        environment["MATTERCTL_BINARY"].flatMap { $0.isEmpty ? nil : URL(fileURLWithPath: $0).standardizedFileURL }
        ?? product("matterctl")

    /// A program that was built together with these tests.
    static func product(_ name: String) -> URL {
        URL(fileURLWithPath: CommandLine.arguments[0]).standardizedFileURL.deletingLastPathComponent()
            .appendingPathComponent(name)
    }

    static let scripts = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../Lab").standardizedFileURL

    /// The Python that has the peers.
    static let python: URL =
        (environment["MATTERCTL_PEERS"].map { URL(fileURLWithPath: $0) }
        ?? scripts.appendingPathComponent("../../.peers")).standardizedFileURL.appendingPathComponent("bin/python")

    /// Runs a command on the far host.
    static let far: [String] = (environment["MATTERCTL_FAR"] ?? "").split(separator: " ").map(String.init)

    static let nearAddress = "fd77::1"

    /// The link-local address of the near host, with its scope.
    static func linkLocalAddress() throws -> String {
        let table = try String(contentsOfFile: "/proc/net/if_inet6", encoding: .utf8)
        for line in table.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count == 6, fields[5] == "mt0", fields[0].hasPrefix("fe80") else { continue }
            let groups = stride(from: 0, to: 32, by: 4).map { fields[0].dropFirst($0).prefix(4) }
            return groups.joined(separator: ":") + "%mt0"
        }
        throw LaboratoryError("mt0 has no link-local address")
    }

    /// Whether programs can run as other users here: not where an ordinary user made the laboratory.
    static let hasOtherUsers: Bool = {
        let map = (try? String(contentsOfFile: "/proc/self/uid_map", encoding: .utf8)) ?? ""
        if isHere, geteuid() == 0, map.split(separator: " ").last.flatMap({ Int($0.dropLast()) }) ?? 0 > 65_534 {
            return true
        }
        say("SKIPPED: only root can be another user; see: sudo make test ONLY=Server")
        return false
    }()

    static func say(_ text: String) { FileHandle.standardError.write(Data("\n\(text)\n\n".utf8)) }
}

struct LaboratoryError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// A folder that goes when it is not needed any more.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("matterctl-e2e-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func file(_ name: String) -> URL { url.appendingPathComponent(name) }
}

/// A folder in memory that goes when it is not needed any more, for `XDG_RUNTIME_DIR`.
final class RuntimeFolder: Sendable {
    let path: String

    init() throws {
        guard let place = Laboratory.environment["XDG_RUNTIME_DIR"] else { throw LaboratoryError("no runtime folder") }
        // The path of a socket is short.
        path = "\(place)/\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// Lets only so many of these tests run at once: the light is slow Python, and the machine may have two cores.
struct LaboratorySlot: SuiteTrait, TestTrait, TestScoping {
    private static let count = Int(Laboratory.environment["MATTERCTL_SLOTS"] ?? "") ?? 7
    fileprivate static let working = Slots(free: count)
    fileprivate static let waiting = Slots(free: 2 * count)

    fileprivate let slots: Slots
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        await slots.take()
        do {
            try await function()
        } catch {
            await slots.giveBack()
            throw error
        }
        await slots.giveBack()
    }
}

extension Trait where Self == LaboratorySlot {
    /// Takes a place in the laboratory for each test.
    static var laboratorySlot: Self { LaboratorySlot(slots: LaboratorySlot.working) }

    /// The same for tests with virtual devices, which mostly wait: there are more of these places.
    static var waitingSlot: Self { LaboratorySlot(slots: LaboratorySlot.waiting) }
}

private actor Slots {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(free: Int) { self.free = free }

    func take() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    func giveBack() {
        if waiting.isEmpty {
            free += 1
        } else {
            waiting.removeFirst().resume()
        }
    }
}
