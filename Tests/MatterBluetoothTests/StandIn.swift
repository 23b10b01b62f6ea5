import Foundation
import Synchronization
import TestSupport
import Testing

@testable import MatterNetwork

/// A running `Tests/Lab/bluez_standin.py` on the system bus of the laboratory.
final class StandIn: Sendable {
    private let process = Mutex<Process?>(nil)
    /// Its contents.
    private let log = FileManager.default.temporaryDirectory.appendingPathComponent("stand-in-\(UUID().uuidString)")

    static let isInLaboratory = ProcessInfo.processInfo.environment["DBUS_SYSTEM_BUS_ADDRESS"] != nil

    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Starts it, and waits until it owns the daemon's name.
    init(_ arguments: String...) async throws {
        let process = Process()
        process.executableURL = Self.root.appendingPathComponent(".peers/bin/python")
        process.arguments = [Self.root.appendingPathComponent("Tests/Lab/bluez_standin.py").path] + arguments
        try Data().write(to: log)
        process.standardOutput = try FileHandle(forWritingTo: log)
        try process.run()
        self.process.withLock { $0 = process }
        try await until("the stand-in is ready") { self.lines.contains("ready") }
    }

    /// The whole lines until now.
    var lines: [String] {
        let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    func count(_ line: String) -> Int { lines.count { $0 == line } }

    /// Requests that a good client does not make.
    var complaints: [String] { lines.filter { $0.hasPrefix("unexpected") } }

    /// Ends it and waits for its end, so that the next one can have the name.
    func stop() async throws {
        guard
            let process = process.withLock({ process in
                defer { process = nil }
                return process
            })
        else { return }
        // A test runner's children may have other signals blocked.
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        try await until("the stand-in has ended") { !process.isRunning }
        try? FileManager.default.removeItem(at: log)
    }

    private func until(_ what: Comment, _ isDone: () -> Bool) async throws {
        try await awaitEvent("\(what)") { isDone() }
    }
}

/// Events on a connection, as it comes.
final class Events: Sendable {
    private let events = Mutex<[String]>([])

    var all: [String] { events.withLock { $0 } }

    func take(_ event: GATTEvent) {
        events.withLock { events in
            switch event {
            case .value(let value): events.append(value.map { String(format: "%02x", $0) }.joined())
            case .disconnected(let reason): events.append("end: \(reason)")
            }
        }
    }

    /// Waits until there are so many.
    func wait(for count: Int) async throws -> [String] {
        try await awaitEvent("event \(count) after \(all)") { all.count >= count }
        return all
    }
}
