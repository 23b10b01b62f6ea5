import Foundation
import Glibc
import Synchronization
import TestSupport

/// A child process whose output goes to files, so that nothing that it prints can block or be lost.
///
/// Not Foundation's `Process`: that hands on the signal mask of the thread it is called on, and the threads on which tests
/// run block most signals.
final class Child: Sendable {
    let pid: Int32
    private let exit = Exit()
    private let arguments: [String]
    private let output: URL
    private let errors: URL

    /// - Parameter input: what it reads; nothing by default.
    init(
        _ executable: URL, _ arguments: [String], environment: [String: String] = Laboratory.environment,
        input: String = "", folder: TemporaryFolder
    ) throws {
        let id = UUID().uuidString
        self.arguments = executable == Laboratory.binary ? arguments : []
        output = folder.file("\(id).out")
        errors = folder.file("\(id).err")
        let source = folder.file("\(id).in")
        for (file, text) in [(output, ""), (errors, ""), (source, input)] {
            try Data(text.utf8).write(to: file)
        }
        pid = try Self.spawn(
            [executable.path] + arguments, environment.map { "\($0.key)=\($0.value)" },
            descriptors: [(source.path, O_RDONLY), (output.path, O_WRONLY), (errors.path, O_WRONLY)])
        // One thread for each: it has nothing to do but to wait.
        Thread.detachNewThread { [pid, exit] in
            var status: Int32 = 0
            while waitpid(pid, &status, 0) < 0, errno == EINTR {}
            // As a shell counts: a signal is 128 and its number.
            exit.happen(status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + status & 0x7F)
        }
    }

    deinit { signal(SIGKILL) }

    private static func spawn(
        _ arguments: [String], _ environment: [String], descriptors: [(path: String, flags: Int32)]
    ) throws -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, file) in descriptors.enumerated() {
            posix_spawn_file_actions_addopen(&actions, Int32(number), file.path, file.flags, 0)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var words = arguments.map { strdup($0) } + [nil]
        var variables = environment.map { strdup($0) } + [nil]
        defer { for text in words + variables { free(text) } }
        var pid: pid_t = 0
        let failure = posix_spawn(&pid, arguments[0], &actions, &attributes, &words, &variables)
        guard failure == 0 else {
            throw LaboratoryError("cannot start \(arguments[0]): \(String(cString: strerror(failure)))")
        }
        return pid
    }

    /// Everything it has printed so far.
    var stdout: String { read(output) }
    var stderr: String { read(errors) }

    var isRunning: Bool { !exit.hasHappened }

    /// Once it has ended its number may be another's.
    func signal(_ number: Int32) { if isRunning { kill(pid, number) } }

    /// Waits for its end; one that takes longer than the limit is killed, and the status is 137.
    func status(within limit: Duration = patience) async -> Int32 {
        let watchdog = Task {
            // The limit itself.
            try await Task.sleep(for: limit)
            signal(SIGKILL)
        }
        defer { watchdog.cancel() }
        let status = await exit.status()
        // A result printed with `--json` has the form that docs/schemas describes.
        ReportSchemas.check(arguments, stdout: stdout, stderr: stderr)
        return status
    }

    private func read(_ file: URL) -> String {
        ((try? Data(contentsOf: file)) ?? Data()).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}

/// The end of a process, for callers that ask before or after it.
private final class Exit: Sendable {
    private struct State {
        var status: Int32?
        var waiting: [CheckedContinuation<Int32, Never>] = []
    }

    private let state = Mutex(State())

    func happen(_ status: Int32) {
        let waiting = state.withLock { state in
            state.status = status
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: status) }
    }

    var hasHappened: Bool { state.withLock { $0.status != nil } }

    func status() async -> Int32 {
        await withCheckedContinuation { continuation in
            let known = state.withLock { state in
                if state.status == nil { state.waiting.append(continuation) }
                return state.status
            }
            if let known { continuation.resume(returning: known) }
        }
    }
}

/// Waits until something is so.
func eventually(
    _ what: @autoclosure () -> String, within limit: Duration = patience, _ condition: () throws -> Bool
) async throws {
    try await awaitEvent(what(), within: limit, condition)
}
