import Foundation
import TestSupport
import Testing

/// The program, as a user runs it, with a state directory of its own.
struct MatterCtl: Sendable {
    /// The outcome of one run.
    struct Outcome: Sendable, CustomStringConvertible {
        var arguments: [String]
        var status: Int32
        var stdout: String
        var stderr: String
        var duration: Duration

        /// The result without its line end.
        var result: String { stdout.hasSuffix("\n") ? String(stdout.dropLast()) : stdout }

        /// The lines of stderr.
        var messages: [String] { stderr.split(separator: "\n").map(String.init) }

        /// The result as JSON.
        func json() throws -> JSON { try JSON(parsing: stdout) }

        /// The error of a run with `--json`.
        func error() throws -> JSON {
            let lines = try messages.map { try JSON(parsing: $0) }
            for line in lines { #expect(line.keys == ["error"] || line.keys == ["progress"], "\(line)") }
            return try #require(lines.last { $0.keys == ["error"] }?["error"], "no error in: \(stderr)")
        }

        var description: String {
            "matterctl \(arguments.joined(separator: " ")) → \(status) after \(duration)\nstdout: \(stdout)\nstderr: \(stderr)"
        }
    }

    let folder: TemporaryFolder
    var environment = Laboratory.environment

    /// - Parameter keepsSessions: false without a folder in memory, as in many containers.
    init(keepsSessions: Bool = true) throws {
        folder = try TemporaryFolder()
        if !keepsSessions { environment["XDG_RUNTIME_DIR"] = nil }
    }

    /// Where its state is.
    var home: URL { folder.file("home") }

    /// Runs a command to its end.
    @discardableResult
    func callAsFunction(
        _ arguments: String..., input: String = "", within limit: Duration = patience
    ) async throws -> Outcome {
        try await run(arguments, input: input, within: limit)
    }

    func run(_ arguments: [String], input: String = "", within limit: Duration = patience) async throws -> Outcome {
        let began = ContinuousClock.now
        let child = try start(arguments, input: input)
        let status = await child.status(within: limit)
        return Outcome(
            arguments: arguments, status: status, stdout: child.stdout, stderr: child.stderr,
            duration: .now - began)
    }

    /// Starts a command and does not wait.
    func start(_ arguments: [String], input: String = "") throws -> Child {
        var environment = environment
        environment["MATTERCTL_HOME"] = home.path
        if environment["XDG_STATE_HOME"] == nil { environment["XDG_STATE_HOME"] = folder.file("xdg-state").path }
        return try Child(Laboratory.binary, arguments, environment: environment, input: input, folder: folder)
    }

    /// Runs a command that must succeed, and gives its result.
    @discardableResult
    func succeed(_ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation) async throws -> Outcome {
        try await succeed(arguments, sourceLocation: sourceLocation)
    }

    @discardableResult
    func succeed(_ arguments: [String], sourceLocation: SourceLocation = #_sourceLocation) async throws -> Outcome {
        let outcome = try await run(arguments)
        try #require(outcome.status == 0, "\(outcome)", sourceLocation: sourceLocation)
        return outcome
    }

    /// Runs a command that must fail with that exit code and print nothing on stdout.
    @discardableResult
    func fail(
        _ status: Int32, _ arguments: String..., input: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Outcome {
        let outcome = try await run(arguments, input: input)
        #expect(outcome.status == status, "\(outcome)", sourceLocation: sourceLocation)
        #expect(outcome.stdout.isEmpty, "\(outcome)", sourceLocation: sourceLocation)
        return outcome
    }

    /// Commissions a light at its address, or at another.
    @discardableResult
    func commission(
        _ light: Light, _ address: String? = nil, _ options: [String] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Outcome {
        let outcome = try await run(
            ["commission", light.qrCode, "--address", address ?? light.address, "--allow-test-devices"] + options)
        try #require(outcome.status == 0, "\(outcome)\n\(light.lines)\n\(light.errors)", sourceLocation: sourceLocation)
        return outcome
    }

    /// The ids of the nodes and of the pending ones.
    func nodes() async throws -> Nodes {
        let list = try await succeed("node", "ls", "--json").json().elements
        func ids(_ state: String) -> [Int] {
            list.filter { $0["state"]?.string == state }.compactMap { $0["node"]?.int }
        }
        return Nodes(commissioned: ids("commissioned"), pending: ids("pending"))
    }
}

/// The nodes that `node ls` shows.
struct Nodes: Equatable {
    var commissioned: [Int] = []
    var pending: [Int] = []
}

extension MatterCtl {
    /// The words that commission a virtual device.
    func words(_ device: VirtualDevice, _ options: [String] = []) -> [String] {
        [
            "commission", device.qrCode, "--address", device.address, "--trust", device.trust, "--allow-test-devices",
        ] + options
    }

    /// Commissions a virtual device at its address.
    @discardableResult
    func commission(
        _ device: VirtualDevice, _ options: [String] = [], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Outcome {
        let outcome = try await run(words(device, options))
        try #require(
            outcome.status == 0, "\(outcome)\n\(device.events)\n\(device.errors)", sourceLocation: sourceLocation)
        return outcome
    }
}
