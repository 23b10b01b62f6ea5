import ArgumentParser
import Glibc
import MatterController

/// The commands that may run, where the administrator of this machine has said so: for assistants and scripts that are to
/// look and not to touch. What it does not list is refused, and so is a command that a later version adds.
///
/// The file belongs to root, so that a program that runs as the user cannot change it. The variable `MATTERCTL_READONLY`
/// is a reminder: a program that can set it can unset it.
struct CommandPolicy: Equatable {
    /// Where the administrator puts it.
    static let path = "/etc/matterctl/policy.json"
    /// The variable by which a user, or a script, keeps to commands that only look.
    static let variable = "MATTERCTL_READONLY"
    private static let largest = 1 << 16

    /// The commands, as they are typed: `node ls`.
    let allowed: Set<String>
    /// Those that may run for some nodes alone.
    var limited: [String: [NodeLimit]] = [:]

    /// The commands that change no device and no record. Sessions, counters and caches are written all the same.
    static let reading = CommandPolicy(allowed: [
        "acl ls", "attest", "battery", "button", "clusters", "color", "conform", "cover", "dcl certified",
        "dcl model", "dcl pki", "dcl vendor", "dcl versions", "decode", "describe", "discover", "doctor", "door-lock",
        "door-lock codes", "energy",
        "events", "fabric ls", "fabric show", "fan", "group ls", "icd ls", "job ls", "job show", "map", "media", "mode",
        "motion", "net status", "network credentials ls", "node fabrics ls",
        "node ls", "node show", "payload parse", "ping", "read", "room ls", "scene", "sensor", "serve shares",
        "serve token ls",
        "session ls",
        "smoke-alarm", "status", "subscribe", "supports", "thermostat", "thread dataset show", "tlv", "trust ls",
        "trust show", "vacuum", "valve", "wait", "who", "window status",
    ])

    init(allowed: Set<String>) { self.allowed = allowed }

    /// - Throws: `policy.malformed` for a file that cannot be understood as a whole: a rule that is not known may be one
    ///   that forbids.
    init(parsing contents: [UInt8]) throws(CommandLineError) {
        guard let json = try? JSONValue(parsing: contents), case .object(let object) = json else {
            throw Self.malformed("it is not a JSON object")
        }
        if let other = object.members.first(where: { !["version", "allow", "comment"].contains($0.key) }) {
            throw Self.malformed("the member '\(other.key)' is not known")
        }
        guard object["version"] == .int(1) else { throw Self.malformed("its version is not 1") }
        guard case .array(let entries)? = object["allow"] else { throw Self.malformed("'allow' is not a list") }
        var allowed: Set<String> = []
        for entry in entries {
            switch entry {
            case .string(let name): allowed.insert(Self.words(name))
            case .object(let object):
                guard case .string(let name)? = object["command"] else {
                    throw Self.malformed("an entry of 'allow' has no command")
                }
                limited[Self.words(name), default: []].append(try NodeLimit(object, fault: Self.malformed))
            default: throw Self.malformed("an entry of 'allow' is neither a text nor an object")
            }
        }
        self.allowed = allowed
    }

    private static func words(_ name: String) -> String { name.split(separator: " ").joined(separator: " ") }

    private static func malformed(_ reason: String) -> CommandLineError {
        CommandLineError(.policyMalformed, "\(path) is not valid: \(reason)", hint: .step("policy.see"))
    }

    // MARK: The file

    /// The administrator's policy; `nil` if there is none.
    ///
    /// - Throws: `policy.malformed` for a file that cannot be read, or that others than root may change.
    static func ofMachine() throws(CommandLineError) -> CommandPolicy? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw malformed(String(cString: strerror(errno)).lowercased())
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw malformed("it is not a file")
        }
        guard status.st_uid == 0, status.st_mode & 0o022 == 0 else {
            throw malformed("it has to belong to root, and no one else may write to it")
        }
        var contents: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        while contents.count <= largest {
            let count = read(descriptor, &part, part.count)
            guard count > 0 else {
                guard count == 0 else { throw malformed(String(cString: strerror(errno)).lowercased()) }
                return try CommandPolicy(parsing: contents)
            }
            contents += part.prefix(count)
        }
        throw malformed("it is larger than \(largest) bytes")
    }

    // MARK: The command

    /// Lets a command run, or refuses it.
    ///
    /// - Returns: the nodes that it has to keep to; `nil` if it may reach all.
    /// - Throws: `policy.refused`, or `policy.malformed`: then no command runs. ``CommandFailure`` if it is limited, and what it names
    ///   cannot be found.
    static func check(_ command: any ParsableCommand) throws -> NodeLimits? {
        var limits: NodeLimits?
        if let policy = try ofMachine() {
            limits = try policy.limits(of: command, by: path)
            if let limits { try policy.check(command, within: limits) }
        }
        if let value = Terminal.current.variable(variable), value != "0" {
            _ = try reading.limits(of: command, by: variable)
        }
        return limits
    }

    /// - Throws: `policy.refused` for a command that is not listed.
    func limits(of command: any ParsableCommand, by rule: String) throws(CommandLineError) -> NodeLimits? {
        let names = Self.names(of: command)
        guard refuses(names) else { return nil }
        let found = names.flatMap { limited[$0] ?? [] }
        if !found.isEmpty { return NodeLimits(command: names.last ?? "", limits: found) }
        throw CommandLineError(
            .policyRefused, "'\(names.last ?? "")' is not allowed here by \(rule)",
            hint: .step(rule == Self.path ? "policy.see" : "policy.unset"))
    }

    /// Whether a command with these names is on no list that lets it reach everything. Pages of help are the parser's own and have no
    /// name.
    func refuses(_ names: [String]) -> Bool { !names.isEmpty && !names.contains(where: allowed.contains) }

    /// A command as it may be typed, with the verb of a kind of device. Some stand in two places.
    static func names(of command: any ParsableCommand) -> [String] {
        let naming = command as? any VerbNaming
        let places = places(of: type(of: command), below: MatterCtl.self)
        let names =
            (naming?.otherNames ?? [])
            + places.map { ($0 + (naming?.verbName.map { [$0] } ?? [])).joined(separator: " ") }
        return OldSpellings.names(names)
    }

    /// The words that lead to a command. Some stand in two places.
    static func places(
        of type: any ParsableCommand.Type, below root: any ParsableCommand.Type
    ) -> [[String]] {
        root.configuration.subcommands.flatMap { next in
            // That of a group has the name of the group.
            let name = (next as? any KindOfDeviceCommand.Type)?.isOfGroup ?? false ? [] : [next._commandName]
            return (next == type ? [name] : []) + places(of: type, below: next).map { name + $0 }
        }
    }
}

/// A command whose arguments say what it does.
protocol VerbNaming {
    /// The word for it; `nil` if it only looks.
    var verbName: String? { get }
    /// Other names of the same command, in full, which a policy may have.
    var otherNames: [String] { get }
}

extension KindLineCommand {
    /// The verb that a line means.
    var verb: DeviceKind.Verb? { verbName.flatMap(Self.kind.verb) }

    /// `unlock` for `door-lock unlock`; for what shows a state also `door-lock show`, and what earlier versions said.
    var otherNames: [String] {
        guard let verb else { return (["show"] + Self.kind.showAliases).map { "\(Self.kind.name) \($0)" } }
        return verb.isShort ? [verb.name] : []
    }
}
