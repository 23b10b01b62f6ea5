import Glibc
public import MatterState

/// A file for who is asked for help: the checks, and the facts about this machine and the nodes that they rest on. It
/// holds no key, no certificate, no setup code and no password.
public struct DoctorBundle: Sendable {
    /// The contents.
    public let json: JSONValue

    /// Writes it to a new file that its owner alone may read.
    ///
    /// - Throws: ``StoreError`` if there is such a file already, or it cannot be written.
    public func write(to path: String) throws {
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { path[..<$0] }.map { $0.isEmpty ? "/" : String($0) } ?? "."
        let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
        try PrivateFile.create(name, json.utf8() + Array("\n".utf8), in: folder)
    }
}

extension DoctorService {
    /// All that a maintainer needs to know.
    ///
    /// - Parameters:
    ///   - version: the program's, in words.
    ///   - checkups: the checks by their subject: empty for this machine, else the label of a node.
    ///   - cure: puts the next step into words.
    ///   - isAnonymous: whether names and addresses are replaced.
    /// - Throws: `CancellationError`.
    public func bundle(
        version: String, _ checkups: [(subject: String, checkup: Checkup)], isAnonymous: Bool,
        cure: (Hint) -> String
    ) async throws -> DoctorBundle {
        let reader = HostReader()
        let nodes = (try? context.nodes().sound().nodes) ?? []
        let seen = checkups.flatMap { $0.checkup.checks.flatMap(\.names) }
        var anonymizer: Anonymizer? = isAnonymous ? Anonymizer(names(nodes) + seen) : nil
        func text(_ text: String) -> JSONValue { .string(anonymizer?.text(text) ?? text) }
        var all: [JSONValue] = []
        for (subject, checkup) in checkups {
            for check in checkup.checks {
                var item: JSONObject = [
                    "check": .string(check.subject.rawValue), "verdict": .string(check.verdict.rawValue),
                    "seen": text(check.seen),
                ]
                if !subject.isEmpty { item["node"] = text(subject) }
                if let hint = check.cure { item["cure"] = text(cure(hint)) }
                all.append(.object(item))
            }
        }
        let release = reader.text("/etc/os-release")?.split(whereSeparator: \.isNewline)
            .first { $0.hasPrefix("PRETTY_NAME=") }.map { String($0.dropFirst("PRETTY_NAME=".count)) }
        var object: JSONObject = [
            "version": .int(1), "program": .string(version), "madeAt": .string(X509Time.text(options.unixTime())),
            "kernel": .string(Self.kernel), "checks": .array(all),
            "nodes": .array(nodes.map { node in .object(Self.facts(node, text)) }),
        ]
        if let release { object["system"] = .string(release.filter { $0 != "\"" }) }
        if isAnonymous { object["anonymous"] = .bool(true) }
        return DoctorBundle(json: .object(object))
    }

    private static func facts(_ node: NodeRecord, _ text: (String) -> JSONValue) -> JSONObject {
        var object: JSONObject = ["node": text(node.label)]
        if let vendor = node.vendorID { object["vendorId"] = .int(Int64(vendor)) }
        if let product = node.productID { object["productId"] = .int(Int64(product)) }
        if let name = node.vendorName { object["vendor"] = text(name) }
        if let name = node.productName { object["product"] = text(name) }
        if let firmware = node.firmware { object["firmware"] = text(firmware) }
        object["addresses"] = .array(node.addresses.map { text("\($0)") })
        object["deviceTypes"] = .array(node.endpoints.flatMap(\.deviceTypes).map { .int(Int64($0)) })
        return object
    }

    /// The names that people gave, and those by which they may be known.
    private func names(_ nodes: [NodeRecord]) -> [String] {
        var names = nodes.flatMap { [$0.name, $0.room, $0.serialNumber].compactMap { $0 } }
        names += nodes.map { "\($0.nodeID)" }
        names += nodes.flatMap(\.bridged).map(\.device).flatMap { [$0.name, $0.label, $0.room].compactMap { $0 } }
        if let (fabrics, faults) = try? fabrics.sound() {
            names += fabrics.map(\.name) + fabrics.map { "\($0.compressedFabricID)" } + faults.map(\.name)
        }
        if let groups = try? context.groups().sound().groups { names += groups.map(\.name) }
        names.append(options.state.path)
        var host = [CChar](repeating: 0, count: 256)
        if gethostname(&host, host.count) == 0 {
            names.append(String(decoding: host.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
        }
        if let home = getenv("HOME").map({ String(cString: $0) }), home.count > 1 { names.append(home) }
        if let user = getenv("USER").map({ String(cString: $0) }), user != "root" { names.append(user) }
        return names
    }

    private static var kernel: String {
        var name = utsname()
        guard uname(&name) == 0 else { return "?" }
        func text<Field>(_ field: Field) -> String {
            withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
        return "\(text(name.sysname)) \(text(name.release)) \(text(name.machine))"
    }
}
