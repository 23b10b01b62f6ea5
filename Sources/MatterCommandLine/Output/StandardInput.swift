import Glibc

/// stdin, read in a way that notices when the command is interrupted: a plain read would go on waiting.
public enum StandardInput {
    /// How long an interruption may go unnoticed, in milliseconds.
    private static let interval: Int32 = 50
    private static let longestLine = 65_536

    /// Returns when there is something to read, or nothing will ever come.
    ///
    /// - Throws: `CancellationError` if the user interrupts.
    static func wait() throws {
        var input = pollfd(fd: Terminal.current.input, events: Int16(POLLIN), revents: 0)
        while true {
            let ready = poll(&input, 1, interval)
            if ready == 0 { Interruption.takeNotice() }
            try Task.checkCancellation()
            guard ready == 0 || (ready < 0 && errno == EINTR) else { return }
        }
    }

    /// A setup code that the user gave: `-` for the next line.
    static func payload(_ given: String) throws -> String {
        guard given == "-" else { return given }
        guard let line = try line() else { throw CommandLineError(.usageNoPayload, "stdin has no payload") }
        return line
    }

    /// The next line, as ``line()`` has it, for a command with other work to do meanwhile: no thread waits.
    public static func awaitedLine() async throws -> String? {
        var input = pollfd(fd: Terminal.current.input, events: Int16(POLLIN), revents: 0)
        while poll(&input, 1, 0) == 0 { try await Task.sleep(for: .milliseconds(Int64(interval))) }
        return try line()
    }

    /// The next line, without its end; `nil` if there is none.
    ///
    /// - Throws: `CancellationError` if the user interrupts.
    static func line() throws -> String? {
        var line: [UInt8] = []
        var octet: UInt8 = 0
        while line.count < longestLine {
            try wait()
            let count = read(Terminal.current.input, &octet, 1)
            if count < 0, errno == EINTR { continue }
            if count <= 0, line.isEmpty { return nil }
            guard count == 1, octet != UInt8(ascii: "\n") else { break }
            line.append(octet)
        }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return String(decoding: line, as: UTF8.self)
    }
}
