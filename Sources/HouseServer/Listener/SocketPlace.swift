import Glibc
import MatterController
import NIOCore

/// A socket that is listened on, until someone takes its descriptor.
struct SocketPlace: Sendable {
    /// The descriptor; it is not closed here.
    let descriptor: Int32
    let isUnix: Bool
    /// Our own file of a Unix socket, to be removed at the end.
    var file: SocketFile?

    private static let backlog: Int32 = 128

    /// Opens a place.
    ///
    /// - Throws: ``ServerError``.
    static func open(_ place: ListenerSettings.Place, isBehindProxy: Bool) throws(ServerError) -> SocketPlace {
        switch place {
        case .unix(let path): try unix(path)
        case .tcp(let address, let port): try tcp(address, port, isBehindProxy)
        case .descriptor(let descriptor): try passed(descriptor, isBehindProxy)
        }
    }

    // MARK: Unix

    private static func unix(_ path: String) throws(ServerError) -> SocketPlace {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard path.hasPrefix("/"), path.utf8.count < room, !path.utf8.contains(0), let slash = path.lastIndex(of: "/"),
            slash != path.startIndex
        else {
            throw ServerError(.address, "'\(path)' cannot be the path of a socket: it begins with '/', and is short")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        // Only one server at a time looks whether another one answers, and takes its place.
        let folder = try privateFolder(String(path[..<slash]))
        defer { close(folder) }
        guard isAlone(in: folder) else {
            throw ServerError(.running, "another server is just starting at \(path)")
        }
        try removeStale(path, address)
        let descriptor = try socket(AF_UNIX)
        do throws(ServerError) {
            guard bind(descriptor, &address, MemoryLayout<sockaddr_un>.size) == 0, chmod(path, 0o600) == 0,
                listen(descriptor, backlog) == 0
            else { throw failure("listen on \(path)") }
            return SocketPlace(descriptor: descriptor, isUnix: true, file: SocketFile(path))
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Waits a second at most for the folder: servers of other houses that start at the same moment share it.
    private static func isAlone(in folder: Int32) -> Bool {
        for _ in 0..<200 {
            if flock(folder, LOCK_EX | LOCK_NB) == 0 { return true }
            usleep(5000)
        }
        return false
    }

    /// Opens the folder of a socket, which is made if it is missing, and has to be ours alone.
    private static func privateFolder(_ path: String) throws(ServerError) -> Int32 {
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw failure("make the folder \(path)") }
        let folder = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
        guard folder >= 0 else { throw failure("open the folder \(path)") }
        var status = stat()
        guard fstat(folder, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
            close(folder)
            throw ServerError(
                .folder, "other users can use the folder \(path)", hint: "its owner has to be this user, its mode 0700")
        }
        return folder
    }

    /// Removes the file of a server that is gone.
    private static func removeStale(_ path: String, _ address: sockaddr_un) throws(ServerError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw ServerError(.address, "\(path) is there, and is not a socket")
        }
        let probe = try socket(AF_UNIX)
        defer { close(probe) }
        var address = address
        // It does not wait: one whose queue is full lives all the same.
        guard connect(probe, &address, MemoryLayout<sockaddr_un>.size) != 0, errno == ECONNREFUSED else {
            throw ServerError(.running, "another server listens on \(path)")
        }
        if unlink(path) != 0, errno != ENOENT { throw failure("remove \(path)") }
    }

    // MARK: TCP

    private static func tcp(
        _ address: String, _ port: UInt16, _ isBehindProxy: Bool
    ) throws(ServerError) -> SocketPlace {
        guard let parsed = IPAddress(address), let name = try? SocketAddress(ipAddress: address, port: Int(port)) else {
            throw ServerError(.address, "'\(address)' is not an address in numbers")
        }
        try check(parsed, address, isBehindProxy)
        let descriptor = try socket(parsed.isFour ? AF_INET : AF_INET6)
        do throws(ServerError) {
            var on: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
            if !parsed.isFour {
                setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &on, socklen_t(MemoryLayout<Int32>.size))
            }
            let isBound = name.withSockAddr { Glibc.bind(descriptor, $0, socklen_t($1)) == 0 }
            guard isBound, listen(descriptor, backlog) == 0 else {
                if errno == EADDRINUSE {
                    throw ServerError(.running, "another program listens on port \(port) of \(address)")
                }
                throw failure("listen on port \(port) of \(address)")
            }
            return SocketPlace(descriptor: descriptor, isUnix: false)
        } catch {
            close(descriptor)
            throw error
        }
    }

    private static func check(_ address: IPAddress, _ text: String, _ isBehindProxy: Bool) throws(ServerError) {
        guard !address.isLoopback, !isBehindProxy else { return }
        throw ServerError(
            .notLoopback, "\(text) can be reached from other machines, and nothing would encrypt what they say",
            hint: .step("serve.proxy"))
    }

    // MARK: Passed by the service manager

    private static func passed(_ descriptor: Int32, _ isBehindProxy: Bool) throws(ServerError) -> SocketPlace {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let named = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) == 0 }
        }
        var (accepts, length) = (0 as Int32, socklen_t(MemoryLayout<Int32>.size))
        guard named, getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &length) == 0, accepts != 0 else {
            throw ServerError(.address, "descriptor \(descriptor) is not a socket that is listened on")
        }
        let isUnix = Int32(storage.ss_family) == AF_UNIX
        if !isUnix {
            guard let address = text(of: storage, size), let parsed = IPAddress(address) else {
                throw ServerError(.address, "descriptor \(descriptor) is neither a Unix nor a TCP socket")
            }
            try check(parsed, address, isBehindProxy)
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return SocketPlace(descriptor: descriptor, isUnix: isUnix)
    }

    private static func text(of storage: sockaddr_storage, _ size: socklen_t) -> String? {
        var storage = storage
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let status = withUnsafePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getnameinfo($0, size, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
            }
        }
        return status == 0
            ? String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }

    // MARK: System

    private static func socket(_ family: Int32) throws(ServerError) -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = Glibc.socket(family, type, 0)
        guard descriptor >= 0 else { throw failure("open a socket") }
        return descriptor
    }

    private static func failure(_ action: String) -> ServerError {
        let reason = String(cString: strerror(errno)).lowercased()
        return ServerError(.address, "cannot \(action): \(reason)")
    }

    private static func bind<Address>(_ descriptor: Int32, _ address: inout Address, _ size: Int) -> Int32 {
        withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.bind(descriptor, $0, socklen_t(size)) }
        }
    }

    private static func connect<Address>(_ descriptor: Int32, _ address: inout Address, _ size: Int) -> Int32 {
        withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, socklen_t(size)) }
        }
    }
}

/// The file of a Unix socket of ours.
struct SocketFile: Sendable {
    let path: String
    private let device: dev_t
    private let inode: ino_t

    /// - Returns: `nil` if it is gone already.
    init?(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        (self.path, device, inode) = (path, status.st_dev, status.st_ino)
    }

    /// Removes it, unless another server has put its own there.
    func remove() {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_dev == device, status.st_ino == inode else { return }
        unlink(path)
    }
}
