import CProcess
import Glibc

/// The service manager that started this process, and what it is told (sd_notify(3)).
struct ServiceManager: Sendable {
    /// The longest state that is sent.
    private static let longest = 2048

    private let address: [UInt8]?
    /// After how long without a word it takes the process for stuck; `nil` if it does not watch.
    let watchdog: Duration?

    /// - Parameter environment: NOTIFY_SOCKET and WATCHDOG_USEC.
    init(environment: [String: String]) {
        let place = environment["NOTIFY_SOCKET"] ?? ""
        // A name that begins with @ is not in the file system.
        address =
            place.hasPrefix("/")
            ? Array(place.utf8) : place.hasPrefix("@") ? [0] + Array(place.utf8.dropFirst()) : nil
        let isMeant = environment["WATCHDOG_PID"].map { $0 == "\(getpid())" } ?? true
        watchdog = isMeant ? environment["WATCHDOG_USEC"].flatMap { Int64($0) }.map { .microseconds($0) } : nil
    }

    /// Whether anybody listens.
    var isThere: Bool { address != nil }

    /// Tells the state: lines such as `READY=1`. What cannot be told is left out.
    func tell(_ state: String...) {
        guard let address else { return }
        var name = sockaddr_un()
        guard address.count < MemoryLayout.size(ofValue: name.sun_path) else { return }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: address) }
        let message = Array(state.joined(separator: "\n").utf8.prefix(Self.longest))
        let length = socklen_t(MemoryLayout<sa_family_t>.size + address.count)
        withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
                _ = sendto(descriptor, message, message.count, flags, address, length)
            }
        }
    }
}

/// Sockets that the service manager has opened for this process (sd_listen_fds(3)).
enum ActivationSockets {
    private static let first: Int32 = 3
    private static let most: Int32 = 16

    /// The descriptors, in order; none for another process.
    static func descriptors(environment: [String: String], process: Int32 = getpid()) -> [Int32] {
        guard environment["LISTEN_PID"] == "\(process)", let count = environment["LISTEN_FDS"].flatMap({ Int32($0) }),
            (1...most).contains(count)
        else { return [] }
        let all = Array(first..<(first + count))
        for descriptor in all { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        return all
    }
}

extension ServiceManager {
    /// The clock that a service manager compares a reload with, in microseconds.
    static func monotonic() -> UInt64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return UInt64(clamping: now.tv_sec) * 1_000_000 + UInt64(clamping: now.tv_nsec) / 1000
    }
}
