import Foundation
import Glibc

/// A program on a terminal of its own, whose window can be made another size, and all that it has written there.
final class PseudoTerminal: Sendable {
    /// Runs the program on a terminal of so many rows and columns; SIGUSR1 makes the window that of the second size, other
    /// signals go on to the program.
    private static let script = """
        import fcntl, os, pty, signal, struct, sys, termios
        sizes = [tuple(map(int, word.split("x"))) for word in sys.argv[1:3]]
        child, terminal = pty.fork()
        def fit(descriptor, size):
            fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        if child == 0:
            fit(0, sizes[0])
            os.execv(sys.argv[3], sys.argv[3:])
        signal.signal(signal.SIGUSR1, lambda *_: fit(terminal, sizes[1]))
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda number, _: os.kill(child, number))
        while True:
            try:
                data = os.read(terminal, 65536)
            except OSError:
                break
            if not data:
                break
            os.write(1, data)
        status = os.waitpid(child, 0)[1]
        sys.exit(os.waitstatus_to_exitcode(status) % 256)
        """

    private let child: Child

    /// - Parameters:
    ///   - size: columns and rows.
    ///   - next: those after ``resize()``.
    init(
        _ matterctl: MatterCtl, _ arguments: [String], size: String, next: String, _ variables: [String: String] = [:]
    ) throws {
        var environment = matterctl.environment.merging(variables) { $1 }
        environment["MATTERCTL_HOME"] = matterctl.home.path
        child = try Child(
            Laboratory.python, ["-c", Self.script, size, next, Laboratory.binary.path] + arguments,
            environment: environment, folder: matterctl.folder)
    }

    deinit { child.signal(SIGTERM) }

    var text: String { child.stdout }

    /// The last picture: its lines without what controls the terminal.
    var picture: [String] {
        guard let last = text.components(separatedBy: "\u{1B}[H").last else { return [] }
        return Self.plain(last.components(separatedBy: "\u{1B}[J")[0]).components(separatedBy: "\n")
    }

    /// The lines that follow the end of the pictures.
    var rest: [String] {
        let parts = text.components(separatedBy: "\u{1B}[?1049l")
        guard parts.count > 1 else { return [] }
        return Self.plain(parts.dropFirst().joined()).components(separatedBy: "\n").filter { !$0.isEmpty }
    }

    /// Without control sequences and carriage returns.
    private static func plain(_ text: String) -> String {
        var plain = ""
        var rest = String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\r" }))[...]
        while let character = rest.popFirst() {
            guard character == "\u{1B}" else {
                plain.append(character)
                continue
            }
            rest = rest.drop { !$0.isLetter }.dropFirst()
        }
        return plain
    }

    func resize() { child.signal(SIGUSR1) }

    func signal(_ number: Int32) { child.signal(number) }

    func status() async -> Int32 { await child.status() }
}
