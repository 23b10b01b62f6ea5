import CProcess
import Glibc
import HouseServer
import MatterController
import Synchronization

/// A command that the server of the house carries out, where one runs: over its sessions, and without another handshake.
///
/// Until the command is handed over, anything that is not as it should be lets the command go its own way. From then on it never
/// does, unless it only reads.
struct ServerCall {
    /// How long the server may take to say whether it takes a command, in milliseconds.
    private static let greeting: Int32 = 1000
    /// How long it may take to say what came of a command that is interrupted, in milliseconds.
    private static let farewell: Int32 = 10_000
    /// How long it may say nothing beyond the time of the command, in milliseconds. A server that works says so.
    private static let overtime: Int64 = 30_000
    /// How often a command that goes on looks whether its result is still read, in milliseconds.
    private static let pace: Int64 = 500
    /// Since when the command of this process was followed by a server that was lost then.
    private static let lostSince = Mutex<ContinuousClock.Instant?>(nil)
    /// The variables of a shell that matter to what a command prints.
    static let variables = [
        "COLUMNS", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "LINES", "MATTERCTL_FABRIC", "MATTERCTL_HOME",
        "MATTERCTL_READONLY",
        "NO_COLOR", "TERM", "TZ", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME",
    ]

    /// Options that name a file of the shell, which the server would look for in another folder.
    static let fileOptions = ["--cluster-defs", "--json-fields"]

    private let arguments: [String]
    private let options: NetworkOptions
    private let mayRepeat: Bool
    private let goesOn: Bool
    private let dependsOnStart: Bool
    private let patience: Int64

    /// - Returns: `nil` for a command that goes its own way.
    init?(_ command: any NetworkCommand, _ arguments: [String]) {
        let options = command.options
        if command.isOfServer {
            guard let handedOver = try? command.handedOver(arguments) else { return nil }
            self.arguments = handedOver
        } else {
            guard !options.direct, options.mayBeServed, command.isServed,
                !arguments.contains(where: Self.needsShell)
            else { return nil }
            self.arguments = arguments
        }
        self.options = options
        mayRepeat = command.onlyReads
        goesOn = command.goesOn
        dependsOnStart = command.dependsOnStart
        patience = Int64((command.longestRun ?? Budget.standard) / .milliseconds(1)) + Self.overtime
    }

    /// Whether an argument means something that only the shell's own process has: its stdin, or a file.
    ///
    /// It looks at bytes: the library's search would cost the first caller in a process a million instructions.
    private static func needsShell(_ argument: String) -> Bool {
        var last = UInt8(ascii: "=")
        for octet in argument.utf8 {
            if last == UInt8(ascii: "="), octet == UInt8(ascii: "@") { return true }
            last = octet
        }
        return argument == "-" || fileOptions.contains { isGiven($0.utf8, argument.utf8) }
    }

    /// Whether an argument is an option, with or without its value.
    private static func isGiven(_ option: String.UTF8View, _ argument: String.UTF8View) -> Bool {
        guard argument.starts(with: option) else { return false }
        return argument.dropFirst(option.count).first.map { $0 == UInt8(ascii: "=") } ?? true
    }

    /// The socket of a state directory's server, by the directory's place on the disk.
    static func name(of state: String) -> String {
        var octets = Array(state.utf8)
        for index in octets.indices where octets[index] == UInt8(ascii: ":") { octets[index] = UInt8(ascii: "-") }
        return "shell-\(String(decoding: octets, as: UTF8.self)).sock"
    }

    /// A state directory by its device and inode; `nil` if it is not there.
    static func identity(of path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return "\(status.st_dev):\(status.st_ino)"
    }

    /// The version of this program, as both sides have to have it.
    static var program: String { "\(Version.number) \(Version.commit ?? "")" }

    /// Hands the command over, prints what it prints, and waits for its end.
    ///
    /// - Returns: the exit code; `nil` if the command has to go its own way.
    func run() -> Int32? {
        guard let state = try? options.state.state(), state.path.hasPrefix("/"),
            let identity = Self.identity(of: state.path)
        else { return nil }
        let places = SocketFolder(state, environment: Environment.all).presumedPlaces(of: Self.name(of: identity))
        var connected: ShellConnection?
        for place in places where connected == nil { connected = ShellConnection(place) }
        guard let connection = connected else { return nil }
        let caller = ShellCaller(program: Self.program, state: identity, fabric: options.state.fabricName)
        guard connection.send(caller.line), case .frame(.accepted) = connection.next(within: Self.greeting) else {
            return nil
        }
        var environment: [String: String] = [:]
        for name in Self.variables { environment[name] = Environment.variable(name) }
        let terminal = Terminal.current
        environment["COLUMNS"] = "\(terminal.width)"
        var terminals: Set<String> = []
        if terminal.isTerminal(.input) { terminals.insert("input") }
        if terminal.isTerminal(.output) { terminals.insert("output") }
        if terminal.isTerminal(.error) { terminals.insert("error") }
        var call = ShellCall(arguments: arguments, environment: environment, terminals: terminals)
        if dependsOnStart {
            let start = CommandStart.ofThisProcess()
            call.start = ShellCall.Start(made: start.made, taken: start.taken)
        }
        guard connection.send(call.line) else { return lost(since: .now, isInterrupted: false, hasResult: false) }
        return follow(connection)
    }

    /// How long the server followed for this command before it was lost; zero for a command that no server had.
    static var followedBefore: Duration { lostSince.withLock { $0.map { .now - $0 } ?? .zero } }

    private func follow(_ connection: ShellConnection) -> Int32? {
        let start = ContinuousClock.now
        let terminal = Terminal.current
        if goesOn { terminal.outliveReader() }
        var end = start + .milliseconds(patience)
        var (isInterrupted, isAlone, hasResult) = (false, false, false)
        while true {
            switch connection.next(within: Int32(clamping: wait(until: end, isInterrupted: isInterrupted))) {
            case .frame(.output(let text)):
                hasResult = true
                terminal.part(String(decoding: text, as: UTF8.self))
            case .frame(.error(let text)): terminal.error(String(decoding: text, as: UTF8.self))
            case .frame(.working): break
            case .frame(.end(let status)): return Int32(status)
            case .late where goesOn && !isInterrupted:
                // Only a line that is written would tell.
                if terminal.isUnheard, !isAlone {
                    isAlone = true
                    _ = connection.send(ShellCall.unheard)
                }
                continue
            // It has to ask a person, and has changed nothing.
            case .frame(.declined) where !isInterrupted: return nil
            case .frame(.accepted), .frame(.declined), .lost, .late:
                return lost(since: start, isInterrupted: isInterrupted, hasResult: hasResult)
            case .interrupted:
                isInterrupted = true
                connection.hangUp()
            }
            end = .now + .milliseconds(isInterrupted ? Int64(Self.farewell) : patience)
        }
    }

    /// How long to wait for the next frame, in milliseconds.
    private func wait(until end: ContinuousClock.Instant, isInterrupted: Bool) -> Int64 {
        goesOn && !isInterrupted ? Self.pace : Int64(((end - .now) / .milliseconds(1)).rounded(.up))
    }

    /// The end of a command whose server is gone.
    private func lost(since start: ContinuousClock.Instant, isInterrupted: Bool, hasResult: Bool) -> Int32? {
        if goesOn || mayRepeat, isInterrupted { return report(CancellationError()) }
        guard goesOn else { return lost() }
        guard !hasResult || !arguments.contains(where: { $0 == "--count" || $0.hasPrefix("--count=") }) else {
            return report(
                ServerError(.lost, "the server of the house was lost, and with it how many lines are to come"))
        }
        Self.lostSince.withLock { $0 = start }
        if hasResult { Terminal.current.message("the server of the house was lost; going on without it") }
        return nil
    }

    private func lost() -> Int32? {
        guard !mayRepeat else { return nil }
        return report(
            ControllerError(
                .outcomeUnknown,
                "the command was handed to the server of the house, and the server was lost: it may have run",
                hint: .step("command.see-state")))
    }

    private func report(_ error: any Error) -> Int32 {
        CommandFailure(error: error, target: nil, isJSON: options.state.json).report()
    }
}

extension NetworkOptions {
    /// Whether nothing is asked for that only a process of its own can do.
    var mayBeServed: Bool {
        address == nil && !fresh && !noKeep && !trace && traceTo == nil && !traceSecrets && !wait && patience == nil
            && progress == .auto && state.logFile == nil && state.verbose == 0
            && (state.home?.hasPrefix("/") ?? true)
    }
}

/// The connection of one command to the server. It blocks: nothing else is to be done meanwhile.
private final class ShellConnection {
    enum Event {
        case frame(ShellFrame)
        case interrupted
        /// The server is gone, or sends what is no frame.
        case lost
        case late
    }

    /// How long the server may leave no room for a line, in milliseconds.
    private static let slowest: Int32 = 1000

    private let descriptor: Int32
    /// Signals ring the bell, and the alarm can be read then.
    private let alarm: Int32
    private let bell: Int32
    private var octets: [UInt8] = []

    /// - Returns: `nil` if no server of this user listens there.
    init?(_ path: String) {
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: name.sun_path) else { return nil }
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
        // A server that stands still takes no more connections at some time: that is no reason to wait for it.
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { return nil }
        let connected = withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        var peer = Peer()
        var size = socklen_t(MemoryLayout<Peer>.size)
        guard connected == 0, getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0, peer.user == geteuid()
        else {
            Glibc.close(descriptor)
            return nil
        }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            Glibc.close(descriptor)
            return nil
        }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        self.descriptor = descriptor
        (alarm, bell) = (ends[0], ends[1])
        cprocess_listen(bell)
    }

    deinit {
        Glibc.close(descriptor)
        cprocess_listen(-1)
        Glibc.close(alarm)
        Glibc.close(bell)
    }

    /// The process at the other side, as the kernel knows it (unix(7), SO_PEERCRED).
    private struct Peer {
        var process: Int32 = 0
        var user: UInt32 = .max
        var group: UInt32 = .max
    }

    func send(_ octets: [UInt8]) -> Bool {
        var rest = octets[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                guard poll(&room, 1, Self.slowest) > 0 else { return false }
                continue
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Tells the server that the command is not wanted any more.
    func hangUp() { shutdown(descriptor, Int32(SHUT_WR)) }

    func next(within milliseconds: Int32) -> Event {
        let end = ContinuousClock.now + .milliseconds(Int64(milliseconds))
        while true {
            do throws(ShellFrameError) {
                if let frame = try ShellFrame.take(from: &octets) { return .frame(frame) }
            } catch { return .lost }
            let left = (end - .now) / .milliseconds(1)
            guard left > 0 else { return .late }
            var waits = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: alarm, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&waits, 2, Int32(left.rounded(.up))) > 0 else { continue }
            if waits[1].revents != 0 {
                var rung: UInt64 = 0
                _ = read(alarm, &rung, MemoryLayout<UInt64>.size)
                cprocess_acknowledge()
                if cprocess_signal_came() { return .interrupted }
            }
            guard waits[0].revents != 0 else { continue }
            var buffer = [UInt8](repeating: 0, count: 16_384)
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { return .lost }
            octets += buffer[..<count]
        }
    }
}
