import Foundation
import Glibc
import TestSupport

@testable import MatterNetwork

/// The laboratory: a private network with its own D-Bus and avahi-daemon, in which the end-to-end harness runs these
/// tests with `MATTERCTL_LAB=1`. Elsewhere the tests that need it are skipped, loudly.
enum Lab {
    static let isHere: Bool = {
        if ProcessInfo.processInfo.environment["MATTERCTL_LAB"] == "1" { return true }
        say("SKIPPED: no laboratory here (MATTERCTL_LAB is not 1); the tests against a real avahi-daemon do not run.")
        return false
    }()

    /// The directory with the pid files and the configuration of the laboratory's daemons.
    static let directory: String? = {
        let address = ProcessInfo.processInfo.environment["DBUS_SYSTEM_BUS_ADDRESS"] ?? ""
        guard isHere, address.hasPrefix("unix:path="), address.hasSuffix("/bus") else { return nil }
        let directory = String(address.dropFirst("unix:path=".count).dropLast("/bus".count))
        if FileManager.default.fileExists(atPath: directory + "/avahi.pid") { return directory }
        say("SKIPPED: this laboratory's avahi-daemon cannot be restarted from here; the tests of that do not run.")
        return nil
    }()

    /// Whether the Avahi client library is installed at all.
    static let hasLibrary: Bool = {
        if (try? AvahiLibrary(.system)) != nil { return true }
        say("SKIPPED: no libavahi-client here; the tests of a missing D-Bus do not run.")
        return false
    }()

    private static func say(_ text: String) { FileHandle.standardError.write(Data("\n\(text)\n\n".utf8)) }

    /// Starts a shell command that goes on until ``stop(_:)``.
    ///
    /// Foundation's `Process` would hand on this thread's signal mask, with which daemons cannot be terminated.
    static func start(_ command: String) throws -> pid_t {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        // It must not hold on to this process's output either: the caller of the tests waits for the end of that.
        let words = ["/bin/sh", "-c", "exec < /dev/null > /dev/null 2>&1; \(command)"]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }
        var pid: pid_t = 0
        let error = posix_spawn(&pid, "/bin/sh", nil, &attributes, &arguments, environ)
        guard error == 0 else { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EINVAL) }
        return pid
    }

    static func stop(_ pid: pid_t) {
        kill(pid, SIGKILL)
        var status: Int32 = 0
        waitpid(pid, &status, 0)
    }

    /// Ends the laboratory's avahi-daemon and waits until it is gone.
    static func stopDaemon() async throws {
        guard let directory else { return }
        let text = try String(contentsOfFile: directory + "/avahi.pid", encoding: .utf8)
        guard let pid = Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)) else { return }
        kill(pid, SIGTERM)
        try await awaitEvent("the daemon's end") { hasEnded(pid) }
    }

    /// A child of this process is taken leave of: the thread of Swift Testing that waits for the children of exit tests would see it again
    /// and again, and never the child after it.
    private static func hasEnded(_ pid: pid_t) -> Bool {
        var status: Int32 = 0
        switch waitpid(pid, &status, WNOHANG) {
        case pid: return true
        case 0: return false
        default: return kill(pid, 0) != 0 || isZombie(pid)
        }
    }

    private static func isZombie(_ pid: pid_t) -> Bool {
        let status = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
        return status?.contains(") Z ") ?? true
    }

    /// Starts it again as the laboratory's `avahi-up.sh` does, and leaves its pid where the laboratory looks for it.
    static func startDaemon() throws {
        guard let directory else { return }
        let pid = try start(
            """
            exec unshare -m sh -c '
            mount -t tmpfs tmpfs /run && mkdir /run/avahi-daemon
            mount --bind "$0/passwd" /etc/passwd && mount --bind "$0/group" /etc/group
            exec avahi-daemon -f "$0/avahi.conf" --no-drop-root --no-chroot --no-rlimits --no-proc-title
            ' '\(directory)' 2>> '\(directory)/avahi.log'
            """)
        try "\(pid)\n".write(toFile: directory + "/avahi.pid", atomically: true, encoding: .utf8)
    }

    /// The text of `/proc/self/maps`, which Foundation cannot read in one piece when it is long.
    static func mappedFiles() -> String {
        var octets: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let descriptor = open("/proc/self/maps", O_RDONLY)
        while case let count = read(descriptor, &chunk, chunk.count), count > 0 { octets += chunk[..<count] }
        close(descriptor)
        return String(decoding: octets, as: UTF8.self)
    }

    /// How many threads of this process have that name.
    static func threads(named name: String) -> Int {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return tasks.filter { task in
            (try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)) == name + "\n"
        }.count
    }
}

/// A wait that took too long.
struct TimedOut: Error {}

/// Runs an operation and gives up on it after that time.
func within<Result: Sendable>(
    _ limit: Duration, _ operation: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try await withThrowingTaskGroup(of: Result.self) { group in
        group.addTask(operation: operation)
        group.addTask {
            // The limit itself.
            try await Task.sleep(for: limit)
            throw TimedOut()
        }
        defer { group.cancelAll() }
        guard let result = try await group.next() else { throw TimedOut() }
        return result
    }
}

/// The first element for which the function has a value.
func first<Element: Sendable, Result: Sendable>(
    _ stream: AsyncThrowingStream<Element, any Error>, within limit: Duration = patience,
    _ select: @escaping @Sendable (Element) -> Result?
) async throws -> Result {
    try await within(limit) {
        for try await element in stream {
            if let result = select(element) { return result }
        }
        throw TimedOut()
    }
}
