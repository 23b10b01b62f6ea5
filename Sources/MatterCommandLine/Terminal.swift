import Glibc
import MatterController
import Synchronization

/// The streams and the environment that a run of the command line has. A process has one; tests make their own.
public final class Terminal: Sendable {
    /// A standard stream.
    public enum Stream: Sendable {
        case input, output, error
    }

    /// The terminal of the run under way.
    @TaskLocal public static var current = Terminal.process

    /// The streams and the environment of this process.
    public static let process = Terminal(
        input: STDIN_FILENO,
        environment: { name in getenv(name).map { String(cString: $0) } },
        isTerminal: { isatty($0 == .input ? STDIN_FILENO : $0 == .output ? STDOUT_FILENO : STDERR_FILENO) == 1 },
        write: { Terminal.write($0, to: $1 == .output ? STDOUT_FILENO : STDERR_FILENO) })

    /// The descriptor that replaces stdin.
    let input: Int32
    private let environment: @Sendable (String) -> String?
    private let isTerminal: @Sendable (Stream) -> Bool
    /// The wall clock, in seconds since 1970.
    let unixTime: @Sendable () -> Int64
    private let sink: @Sendable (String, Stream) -> Int32
    private let hasNoReader: @Sendable () -> Bool
    /// `errno` of a part of the result that could not be written; 0 while all of it could be.
    private let failure = Atomic<Int32>(0)
    /// Whether a run goes on until it is stopped, be it by the reader of the result.
    private let isPatient = Atomic<Bool>(false)
    /// Whether a line of such a run could not be delivered.
    private let isAlone = Atomic<Bool>(false)
    /// The one that was used first, mostly the only one: its folders stay open for all who work in them, until the process
    /// ends.
    private let directory = AtomicLazyReference<UsedDirectory>()

    /// The line on stderr until something else is written.
    private let passing = Mutex(Passing())
    private let presentation = Mutex(Presentation([String]()))
    /// Whether characters beside those of ASCII can be shown. It is asked for rarely.
    private var isUnicode: Bool {
        PlainCharacters.isUnicode { name in environment(name).flatMap { $0.isEmpty ? nil : $0 } }
    }

    private struct Passing {
        /// The lines that are shown.
        var lines: [String] = []
        /// Whether the last line of stderr is to go on.
        var isOpen = false
        /// Whether the result ends within a line.
        var isResultOpen = false
        /// Whether a picture has the whole terminal.
        var isDrawing = false
        /// Text for stderr that waits for the end of the picture.
        var held = ""
    }

    /// - Parameters:
    ///   - input: an open descriptor.
    ///   - environment: the value of a variable.
    ///   - isTerminal: whether a person sits at a stream.
    ///   - unixTime: the wall clock, in seconds since 1970.
    ///   - isUnheard: whether the result has no reader any more, where that is not seen at stdout of this process.
    ///   - write: takes a text for a stream, and returns `errno` if not all of it could be written, otherwise 0.
    public init(
        input: Int32, environment: @escaping @Sendable (String) -> String?,
        isTerminal: @escaping @Sendable (Stream) -> Bool,
        unixTime: @escaping @Sendable () -> Int64 = WallClock.unixTime,
        isUnheard: @escaping @Sendable () -> Bool = { false },
        write: @escaping @Sendable (String, Stream) -> Int32
    ) {
        self.input = input
        self.environment = environment
        self.isTerminal = isTerminal
        self.unixTime = unixTime
        sink = write
        hasNoReader = isUnheard
    }

    // MARK: Looks

    /// How the run that begins now is shown.
    func present(_ presentation: Presentation) { self.presentation.withLock { $0 = presentation } }

    /// The columns that a table may have; `nil` for any number.
    var tableWidth: Int? { presentation.withLock(\.isWide) ? nil : width }

    /// The mark for the rest of a text.
    var ellipsis: String { drawsPlain(.output) ? "..." : "…" }

    /// Whether something drawn has to do with ASCII.
    func drawsPlain(_ stream: Stream) -> Bool { isTerminal(stream) && !isUnicode }

    /// Whether lines can be taken back.
    var isDumb: Bool { variable("TERM") == "dumb" }

    /// Whether a stream shows colours.
    func hasColors(_ stream: Stream) -> Bool {
        let presentation = presentation.withLock { $0 }
        return switch presentation.color {
        case .always: true
        case .never: false
        case .auto: isTerminal(stream) && !presentation.isJSON && variable("NO_COLOR") == nil && !isDumb
        }
    }

    /// A text as the stream can show it.
    private func shown(_ text: String, _ stream: Stream) -> String {
        guard isTerminal(stream), PlainCharacters.isNeeded(for: text), !isUnicode else { return text }
        return PlainCharacters.text(text, isJSON: presentation.withLock(\.isJSON))
    }

    // MARK: Text

    /// The state directory at a path.
    ///
    /// - Parameters:
    ///   - witness: see ``StateDirectory/witness``.
    ///   - origin: see ``StateDirectory/origin``.
    func stateDirectory(_ path: String, witness: String, origin: String? = nil) -> StateDirectory {
        var wanted = StateDirectory(path: path, witness: witness)
        wanted.origin = origin
        let used = (directory.load() ?? directory.storeIfNil(UsedDirectory(wanted))).directory
        return used.path == path && used.witness == witness && used.origin == origin ? used : wanted
    }

    private final class UsedDirectory: Sendable {
        let directory: StateDirectory

        init(_ directory: StateDirectory) { self.directory = directory }
    }

    /// A variable of the environment; `nil` if it is empty, too.
    func variable(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }

    func isTerminal(_ stream: Stream) -> Bool { isTerminal(stream) }

    /// One line of a result.
    func result(_ line: String) { part(line + "\n") }

    /// A part of a result, as it is.
    func part(_ text: String) {
        let number = passing.withLock { passing in
            clear(&passing)
            passing.isResultOpen = !text.hasSuffix("\n")
            return sink(shown(text, .output), .output)
        }
        if number == EPIPE, self === Self.process {
            guard isPatient.load(ordering: .relaxed) else { Self.endAsUnheard() }
            return isAlone.store(true, ordering: .relaxed)
        }
        if number != 0 { failure.store(number, ordering: .relaxed) }
    }

    /// One line beside the result.
    func message(_ line: String) { error((hasColors(.error) ? Self.labelled(line) : line) + "\n") }

    private static func labelled(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { TextStyle.labelled(String($0)) }
            .joined(separator: "\n")
    }

    /// Text on stderr, as it is.
    func error(_ text: String) {
        passing.withLock { passing in
            guard !passing.isDrawing || !isTerminal(.error) else { return passing.held += text }
            clear(&passing)
            passing.isOpen = !text.hasSuffix("\n")
            _ = sink(shown(text, .error), .error)
        }
    }

    /// Shows lines on stderr, for a person, until something else is written or shown. Nothing is shown within a line that is to
    /// go on.
    ///
    /// - Parameter lines: without line ends; none to take away what is shown.
    func pass(_ lines: [String]) {
        passing.withLock { passing in
            guard passing.lines != lines, !passing.isDrawing else { return }
            clear(&passing)
            guard !lines.isEmpty, !passing.isOpen, !passing.isResultOpen else { return }
            let widest = max(width - 1, 1)
            passing.lines = lines.map { TableLayout.cut(shown($0, .error), to: widest, "") }
            _ = sink(passing.lines.joined(separator: "\n"), .error)
        }
    }

    /// Takes away what is shown: from its last line up to its first, and erases from there on.
    private func clear(_ passing: inout Passing) {
        guard !passing.lines.isEmpty else { return }
        let up = passing.lines.count > 1 ? "\u{1B}[\(passing.lines.count - 1)A" : ""
        _ = sink("\r\(up)\u{1B}[J", .error)
        passing.lines = []
    }

    // MARK: Pictures

    /// Shows a picture in place of all else, until it is ended: on the second screen that terminals have, without a cursor
    /// (xterm control sequences, DECSET 1049 and 25). What is told meanwhile on the same terminal follows it.
    ///
    /// - Parameter lines: no more, and none longer, than the terminal has room for.
    func draw(_ lines: [String]) {
        passing.withLock { passing in
            clear(&passing)
            let start = passing.isDrawing ? "" : "\u{1B}[?1049h\u{1B}[?25l"
            passing.isDrawing = true
            // A line is erased before it is written: behind a full one, the last character would go.
            let picture = lines.map { "\u{1B}[2K" + $0 }.joined(separator: "\r\n")
            _ = sink(start + "\u{1B}[H" + shown(picture, .output) + "\u{1B}[J", .output)
        }
    }

    /// Gives the terminal back as it was.
    func endDrawing() {
        passing.withLock { passing in
            guard passing.isDrawing else { return }
            passing.isDrawing = false
            _ = sink("\u{1B}[?25h\u{1B}[?1049l", .output)
            if !passing.held.isEmpty { _ = sink(shown(passing.held, .error), .error) }
            passing.held = ""
        }
    }

    /// - Throws: ``CommandLineError`` if a part of the result was lost, so that the rest is not taken for all of it.
    func checkResult() throws(CommandLineError) {
        let number = failure.load(ordering: .relaxed)
        guard number != 0 else { return }
        throw CommandLineError(
            .outputFailed, "the result could not be written to stdout: \(String(cString: strerror(number)))")
    }

    /// From here on a result that has no reader any more ends a run that goes on, and not the process.
    func outliveReader() { isPatient.store(true, ordering: .relaxed) }

    /// Whether the result goes to a pipe without a reader.
    var isUnheard: Bool {
        guard self === Self.process else { return hasNoReader() }
        if isAlone.load(ordering: .relaxed) { return true }
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        return poll(&output, 1, 0) > 0 && Int32(output.revents) & POLLERR != 0
    }

    /// The columns of the terminal, or those that `COLUMNS` says; 80 where none of them does.
    var width: Int {
        if let columns = variable("COLUMNS").flatMap({ Int($0) }), columns > 0 { return columns }
        var size = winsize()
        guard self === Self.process, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return 80
        }
        return Int(size.ws_col)
    }

    /// The lines of the terminal; 24 where it does not say.
    var height: Int { height(of: .error) }

    /// The lines of the terminal at a stream; 24 where it does not say.
    func height(of stream: Stream) -> Int {
        var size = winsize()
        let descriptor = stream == .output ? STDOUT_FILENO : STDERR_FILENO
        guard self === Self.process, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else {
            return 24
        }
        return Int(size.ws_row)
    }

    /// The reader of the result has closed it: ends as a program does whose output goes nowhere.
    private static func endAsUnheard() -> Never {
        signal(SIGPIPE, SIG_DFL)
        kill(getpid(), SIGPIPE)
        // For the case that this thread does not take the signal.
        _exit(128 + SIGPIPE)
    }

    /// - Returns: `errno` if not everything could be written, otherwise 0.
    static func write(_ text: String, to descriptor: Int32) -> Int32 {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0 {
                guard errno == EINTR else { return errno }
                continue
            }
            rest = rest.dropFirst(written)
        }
        return 0
    }
}
