import CProcess
import Glibc
import MatterNetwork

/// Runs a program with something on its stdin and takes what it prints.
enum ChildProcess {
    private static let largestOutput = 1 << 18
    private static let largestMessage = 1 << 12
    /// The bytes that are read from a pipe before the others get their turn.
    private static let largestTurn = 1 << 16
    /// How long a program that has ended is listened to while something that it left behind keeps its pipes open.
    private static let linger = Duration.seconds(1)

    /// - Parameter withheld: the beginnings of further variables that the program does not get.
    /// - Returns: what it printed on stdout.
    /// - Throws: ``ControllerError`` if it cannot be started, fails, takes too long or prints too much.
    static func run(
        _ command: String, input: [UInt8], timeout: Duration, withheld: [String]
    ) async throws -> [UInt8] {
        let process = try start(command, withheld)
        var run = Run(process: process, input: input[...])
        defer { run.end() }
        let deadline = ContinuousClock.now + timeout
        var lastHeard = ContinuousClock.now
        while true {
            let isBusy = run.exchange()
            let now = ContinuousClock.now
            if isBusy { lastHeard = now }
            guard run.output.count <= largestOutput else { throw ExecIssuer.failure("it prints too much") }
            if let status = run.exitStatus(), run.isOver || now - lastHeard > linger {
                guard status == 0 else { throw ExecIssuer.failure(run.account(of: status)) }
                return run.output
            }
            guard now < deadline else { throw ExecIssuer.failure("it takes longer than \(timeout)") }
            try Task.checkCancellation()
            if !isBusy { try await run.isReady(by: min(deadline, run.hasEnded ? lastHeard + linger : deadline)) }
        }
    }

    /// A started process and our ends of its pipes.
    private struct Started {
        var child: CProcessChild
        var input: Int32
        var output: Int32
        var errors: Int32
    }

    private static func start(_ command: String, _ withheld: [String]) throws -> Started {
        var pipes: [[Int32]] = []
        func close(_ descriptors: [Int32]) { for descriptor in descriptors { Glibc.close(descriptor) } }
        for _ in 0..<3 {
            var ends: [Int32] = [-1, -1]
            let failure = cprocess_pipe(&ends)
            guard failure == 0 else {
                close(pipes.flatMap { $0 })
                throw ExecIssuer.failure("no pipe: \(String(cString: strerror(failure)))")
            }
            pipes.append(ends)
        }
        var variables: [UnsafeMutablePointer<CChar>?] = environment(without: withheld).map { strdup($0) } + [nil]
        defer { for variable in variables { free(variable) } }
        var child = CProcessChild()
        let failure = cprocess_spawn(command, &variables, pipes[0][0], pipes[1][1], pipes[2][1], &child)
        close([pipes[0][0], pipes[1][1], pipes[2][1]])
        let started = Started(child: child, input: pipes[0][1], output: pipes[1][0], errors: pipes[2][0])
        guard failure == 0 else {
            close([started.input, started.output, started.errors])
            throw ExecIssuer.failure("it cannot be started: \(String(cString: strerror(failure)))")
        }
        for descriptor in [started.input, started.output, started.errors, started.child.control] {
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        }
        return started
    }

    /// The variables of ours that tell another matterctl what to work with; passwords are not among them.
    private static let handedOn: Set<Substring> = [
        "MATTERCTL_HOME", "MATTERCTL_FABRIC", "MATTERCTL_CLOUD", "MATTERCTL_CLOUD_USER", "MATTERCTL_CA_FILE",
    ]

    private static func environment(without withheld: [String]) -> [String] {
        var variables: [String] = []
        var next = environ
        while let variable = next.pointee {
            variables.append(String(cString: variable))
            next += 1
        }
        return variables.filter { variable in
            guard (["MATTERCTL_"] + withheld).contains(where: variable.hasPrefix) else { return true }
            return handedOn.contains(variable.prefix { $0 != "=" })
        }
    }

    /// The exchange with a process.
    private struct Run {
        let process: Started
        var input: ArraySlice<UInt8>
        var output: [UInt8] = []
        /// The last of what it wrote on stderr.
        var errors: [UInt8] = []
        private var isInputOpen = true
        private var isOutputOpen = true
        private var areErrorsOpen = true
        private var status: Int32?

        init(process: Started, input: ArraySlice<UInt8>) {
            self.process = process
            self.input = input
        }

        /// True if everything that it will ever print is here.
        var isOver: Bool { !isOutputOpen && !areErrorsOpen }

        /// True if the program has ended.
        var hasEnded: Bool { status != nil }

        /// Waits until there is something to move, or the program ends.
        func isReady(by end: Instant) async throws {
            let reading =
                (isOutputOpen ? [process.output] : []) + (areErrorsOpen ? [process.errors] : [])
                + (hasEnded ? [] : [process.child.control])
            let writing = isInputOpen ? [process.input] : []
            do {
                _ = try await KernelWait.ready(reading: reading, writing: writing).happens(until: end, of: SystemTime())
            } catch let error as KernelWaitError {
                throw ExecIssuer.failure("no wait for it: \(String(cString: strerror(error.number)))")
            }
        }

        /// Moves what can be moved.
        /// - Returns: whether there was anything.
        mutating func exchange() -> Bool {
            let before = input.count
            feed()
            var moved = before - input.count
            if isOutputOpen {
                let part: [UInt8]
                (part, isOutputOpen) = Self.read(process.output)
                output += part.prefix(max(0, largestOutput + 1 - output.count))
                moved += part.count
            }
            if areErrorsOpen {
                let part: [UInt8]
                (part, areErrorsOpen) = Self.read(process.errors)
                // The end is what counts.
                errors = Array((errors + part).suffix(largestMessage))
                moved += part.count
            }
            return moved > 0
        }

        private mutating func feed() {
            guard isInputOpen else { return }
            while !input.isEmpty {
                let count = ChildProcess.write(input, to: process.input)
                if count > 0 {
                    input = input.dropFirst(count)
                    continue
                }
                // A program that does not read is no error.
                if count < 0, errno == EAGAIN || errno == EINTR { return }
                break
            }
            Glibc.close(process.input)
            isInputOpen = false
        }

        /// - Returns: what is there, up to a limit, and whether there may be more.
        private static func read(_ descriptor: Int32) -> (octets: [UInt8], isOpen: Bool) {
            var octets: [UInt8] = []
            var part = [UInt8](repeating: 0, count: 4096)
            while octets.count < largestTurn {
                let count = Glibc.read(descriptor, &part, part.count)
                guard count > 0 else { return (octets, count < 0 && (errno == EAGAIN || errno == EINTR)) }
                octets += part.prefix(count)
            }
            return (octets, true)
        }

        /// The exit status, 128 and more for a signal; `nil` while it runs.
        mutating func exitStatus() -> Int32? {
            if let status { return status }
            var octet: UInt8 = 0
            let count = Glibc.read(process.child.control, &octet, 1)
            if count < 0, errno == EAGAIN || errno == EINTR { return nil }
            // Where its guard has gone, it has gone too.
            status = count == 1 ? Int32(octet) : 128 + SIGKILL
            return status
        }

        /// The program's own words: the last line that it wrote.
        func account(of status: Int32) -> String {
            let text = String(decoding: errors, as: UTF8.self)
            let last = text.split(separator: "\n").last.map { ": \($0.prefix(300))" } ?? ""
            return "it ended with status \(status)\(last)"
        }

        /// Ends the program and all that it has started.
        mutating func end() {
            Glibc.close(process.child.control)
            var raw: Int32 = 0
            while waitpid(process.child.guard, &raw, 0) < 0, errno == EINTR {}
            if isInputOpen { Glibc.close(process.input) }
            Glibc.close(process.output)
            Glibc.close(process.errors)
        }
    }

    /// Writes without the signal that a closed pipe raises.
    private static func write(_ octets: ArraySlice<UInt8>, to descriptor: Int32) -> Int {
        var mask = sigset_t()
        var old = sigset_t()
        sigemptyset(&mask)
        sigaddset(&mask, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &mask, &old)
        let count = octets.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        let number = errno
        if count < 0, number == EPIPE {
            var none = timespec()
            _ = sigtimedwait(&mask, nil, &none)
        }
        pthread_sigmask(SIG_SETMASK, &old, nil)
        errno = number
        return count
    }
}
