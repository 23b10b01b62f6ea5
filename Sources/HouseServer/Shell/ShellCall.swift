import JSON

/// A command that a shell hands to the server.
public struct ShellCall: Sendable, Equatable {
    /// The line that says, of a command under way, that its result has no reader any more.
    public static let unheard = Array("unheard\n".utf8)

    /// The arguments, without the name of the program.
    public var arguments: [String]
    /// Variables of the shell's environment.
    public var environment: [String: String]
    /// The streams of the shell that a person sits at: `input`, `output`, `error`.
    public var terminals: Set<String>
    /// The beginning of the shell's process; `nil` where it does not matter.
    public var start: Start?

    /// When a process began, in milliseconds since 1970.
    public struct Start: Sendable, Equatable {
        /// When it was made, at the earliest.
        public var made: UInt64
        /// When it took its arguments.
        public var taken: UInt64

        /// A process that was made at one time, and took its arguments at another one.
        public init(made: UInt64, taken: UInt64) {
            self.made = made
            self.taken = taken
        }
    }

    /// A command with what it needs to know of its shell.
    public init(arguments: [String], environment: [String: String], terminals: Set<String>) {
        self.arguments = arguments
        self.environment = environment
        self.terminals = terminals
    }

    /// The line that asks for it.
    public var line: [UInt8] {
        var variables = JSONObject()
        for (name, value) in environment.sorted(by: { $0.key < $1.key }) { variables[name] = .string(value) }
        var object: JSONObject = [
            "run": .array(arguments.map { .string($0) }), "environment": .object(variables),
            "terminals": .array(terminals.sorted().map { .string($0) }),
        ]
        if let start { object["start"] = .array([start.made, start.taken].map { .int(Int64(clamping: $0)) }) }
        return JSONValue.object(object).utf8() + [UInt8(ascii: "\n")]
    }

    /// - Returns: `nil` for what is no such line.
    public init?(line: [UInt8]) {
        guard let json = try? JSONValue(parsing: line), case .object(let object) = json,
            let arguments = Self.texts(object["run"]), case .object(let variables)? = object["environment"],
            let terminals = Self.texts(object["terminals"])
        else { return nil }
        self.arguments = arguments
        self.terminals = Set(terminals)
        environment = [:]
        for member in variables.members {
            guard case .string(let value) = member.value else { return nil }
            environment[member.key] = value
        }
        guard let times = object["start"] else { return }
        guard case .array(let items) = times, items.count == 2, case .int(let made) = items[0],
            case .int(let taken) = items[1], made >= 0, taken >= 0
        else { return nil }
        start = Start(made: UInt64(made), taken: UInt64(taken))
    }

    static func texts(_ value: JSONValue?) -> [String]? {
        guard case .array(let items)? = value else { return nil }
        let texts = items.compactMap { if case .string(let text) = $0 { text } else { nil } }
        return texts.count == items.count ? texts : nil
    }
}

/// A program that asks the server to run a command, by what has to be the same on both sides.
public struct ShellCaller: Sendable, Equatable {
    /// The version of the protocol between both.
    public static let version: Int64 = 1

    /// The version and the commit of the program.
    public var program: String
    /// The state directory, by its device and inode: `2049:131`.
    public var state: String
    /// The fabric that was named; `nil` for the usual one.
    public var fabric: String?

    /// A program with its state.
    public init(program: String, state: String, fabric: String?) {
        self.program = program
        self.state = state
        self.fabric = fabric
    }

    /// The line by which it makes itself known.
    public var line: [UInt8] {
        var object: JSONObject = [
            "shell": .int(Self.version), "program": .string(program), "state": .string(state),
        ]
        if let fabric { object["fabric"] = .string(fabric) }
        return JSONValue.object(object).utf8() + [UInt8(ascii: "\n")]
    }

    /// - Returns: `nil` for what is no such line, or of another version.
    public init?(line: [UInt8]) {
        guard let json = try? JSONValue(parsing: line), case .object(let object) = json,
            object["shell"] == .int(Self.version), case .string(let program)? = object["program"],
            case .string(let state)? = object["state"]
        else { return nil }
        self.program = program
        self.state = state
        if case .string(let fabric)? = object["fabric"] { self.fabric = fabric }
    }
}

/// A piece of the server's answer: a letter, four bytes of length, and the content.
public enum ShellFrame: Sendable, Equatable {
    /// The server takes the command.
    case accepted
    /// The server does not, or it has to ask a person; the command can go its own way. With the reason.
    case declined(String)
    /// Text for stdout.
    case output([UInt8])
    /// Text for stderr.
    case error([UInt8])
    /// The command goes on, and says nothing yet.
    case working
    /// The command has ended with this exit code.
    case end(UInt8)

    /// The largest content.
    public static let largest = 1 << 20
    static let headLength = 5

    /// The bytes.
    public var encoded: [UInt8] {
        let (letter, content): (UInt8, [UInt8]) =
            switch self {
            case .accepted: (UInt8(ascii: "a"), [])
            case .declined(let reason): (UInt8(ascii: "d"), Array(reason.utf8))
            case .output(let text): (UInt8(ascii: "o"), text)
            case .error(let text): (UInt8(ascii: "e"), text)
            case .working: (UInt8(ascii: "w"), [])
            case .end(let status): (UInt8(ascii: "x"), [status])
            }
        let length = UInt32(content.count)
        return [letter] + (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) } + content
    }

    /// Takes the first whole frame from bytes that have come.
    ///
    /// - Returns: `nil` if there is none yet.
    /// - Throws: ``ShellFrameError`` for what is no frame.
    public static func take(from octets: inout [UInt8]) throws(ShellFrameError) -> ShellFrame? {
        guard octets.count >= headLength else { return nil }
        let length = octets[1..<headLength].reduce(0) { $0 << 8 | Int($1) }
        guard length <= largest else { throw ShellFrameError() }
        guard octets.count >= headLength + length else { return nil }
        let content = Array(octets[headLength..<(headLength + length)])
        let letter = octets[0]
        octets.removeFirst(headLength + length)
        switch letter {
        case UInt8(ascii: "a"): return .accepted
        case UInt8(ascii: "d"): return .declined(String(decoding: content, as: UTF8.self))
        case UInt8(ascii: "o"): return .output(content)
        case UInt8(ascii: "e"): return .error(content)
        case UInt8(ascii: "w"): return .working
        case UInt8(ascii: "x"):
            guard let status = content.first, content.count == 1 else { throw ShellFrameError() }
            return .end(status)
        default: throw ShellFrameError()
        }
    }
}

/// Bytes that are no frame.
public struct ShellFrameError: Error, Sendable {}
