import CProcess
import Dispatch
import Glibc
import Synchronization

/// stdin, read in a way that notices when the command is interrupted: a plain read would go on waiting.
public enum StandardInput {
    private static let longestLine = 65_536
    /// Rings when a question may have to be given up; -1 before the first question, and where there is none to be had.
    private static let alarm = Mutex<Int32>(-1)

    /// Returns when there is something to read, or nothing will ever come.
    ///
    /// - Throws: `CancellationError` if the user interrupts.
    static func wait() throws {
        let alarm = alarm.withLock { alarm in
            if alarm < 0 {
                alarm = cprocess_alarm()
                if alarm >= 0 { cprocess_listen_too(alarm) }
            }
            return alarm
        }
        // A signal that came before there was an alarm.
        Interruption.takeNotice()
        var awaited = [Terminal.current.input, alarm].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while true {
            try Task.checkCancellation()
            let count = poll(&awaited, nfds_t(awaited.count), -1)
            guard count > 0 || errno == EINTR else { return }
            if count > 0, awaited.last?.revents != 0 { cprocess_alarm_quiet(alarm) }
            Interruption.takeNotice()
            try Task.checkCancellation()
            if count > 0, awaited.first?.revents != 0 { return }
        }
    }

    /// Lets a question see that its command has been cancelled.
    static func look() {
        let alarm = alarm.withLock(\.self)
        if alarm >= 0 { cprocess_alarm_ring(alarm) }
    }

    /// A setup code that the user gave: `-` for the next line.
    static func payload(_ given: String) throws -> String {
        guard given == "-" else { return given }
        guard let line = try line() else { throw CommandLineError(.usageNoPayload, "stdin has no payload") }
        return line
    }

    /// The next line, as ``line()`` has it, for a command with other work to do meanwhile: no thread waits.
    public static func awaitedLine() async throws -> String? {
        let descriptor = Terminal.current.input
        var input = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // A descriptor that can always be read, such as a file, cannot be waited for.
        if poll(&input, 1, 0) == 0 {
            let (ready, send) = AsyncStream.makeStream(of: Void.self)
            let source = DispatchSource.makeReadSource(fileDescriptor: descriptor)
            source.setEventHandler { send.finish() }
            source.activate()
            defer { source.cancel() }
            for await _ in ready {}
            try Task.checkCancellation()
        }
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
