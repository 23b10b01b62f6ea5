import MatterState

/// The configuration of avahi-daemon, as far as it keeps devices from being found.
struct AvahiConfiguration {
    private var values: [String: String] = [:]

    init(_ text: String) {
        for line in text.split(whereSeparator: \.isNewline) {
            guard !line.hasPrefix("#"), !line.hasPrefix(";"), let equals = line.firstIndex(of: "=") else { continue }
            let key = Self.trimmed(line[..<equals])
            values[key] = Self.trimmed(line[line.index(after: equals)...])
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }

    private func isSet(_ key: String, usually: Bool) -> Bool {
        values[key].map { ["yes", "true", "1", "on"].contains($0.lowercased()) } ?? usually
    }

    private func names(_ key: String) -> [String]? {
        values[key].map { $0.split(separator: ",").map { Self.trimmed($0) } }
    }

    var usesIPv6: Bool { isSet("use-ipv6", usually: true) }
    var hasBus: Bool { isSet("enable-dbus", usually: true) || values["enable-dbus"]?.lowercased() == "warn" }
    var reflects: Bool { isSet("enable-reflector", usually: false) }
    /// The only interfaces that are used; `nil` for all.
    var allowed: [String]? { names("allow-interfaces") }
    var denied: [String] { names("deny-interfaces") ?? [] }
    var cache: Int? { values["cache-entries-max"].flatMap { Int($0) } }
    var objects: Int? { values["objects-per-client-max"].flatMap { Int($0) } }
}

/// The rules of a firewall, in the words of `nft list ruleset`, as far as they drop the answers of devices.
struct FirewallRules {
    /// A chain that what comes in or goes out goes through.
    fileprivate struct Chain {
        var policy = "accept"
        var rules: [Substring] = []
    }

    private let input: [Chain]
    private let output: [Chain]
    private let text: String

    init(_ text: String) {
        self.text = text
        var chains: [Chain] = []
        var current: Chain?
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.drop(while: \.isWhitespace)
            if line.hasPrefix("chain ") {
                current = Chain()
            } else if line == "}" {
                if let chain = current, chain.isInput || chain.isOutput { chains.append(chain) }
                current = nil
            } else {
                current?.rules.append(line)
            }
        }
        chains = chains.map { chain in
            var chain = chain
            if chain.rules.contains(where: { $0.contains("policy drop") }) { chain.policy = "drop" }
            return chain
        }
        input = chains.filter(\.isInput)
        output = chains.filter(\.isOutput)
    }

    /// Whether what is not allowed is dropped.
    var drops: Bool { input.contains { chain in chain.policy == "drop" || chain.rejectsRest } }

    var summary: String {
        guard !input.isEmpty else { return "no rule is about what comes in" }
        return drops
            ? "multicast DNS, ICMPv6 and the answers of devices are let in" : "what comes in is accepted"
    }

    /// The rule or the lack of one by which devices are not found; `nil` if there is none.
    var fault: String? {
        for chain in input {
            if let rule = chain.rules.first(where: { Self.isAbout5353($0) && Self.isRefusal($0) }) {
                return "a rule drops multicast DNS: \(rule)"
            }
        }
        for rule in (input + output).flatMap(\.rules) where Self.isAbout5540(rule) && Self.isRefusal(rule) {
            return "a rule drops messages from or to devices (UDP port 5540): \(rule)"
        }
        guard drops else { return nil }
        // Rules may stand in chains that are jumped to.
        if !text.contains("5353") && !text.contains("mdns") {
            return "what comes in is dropped, and no rule lets multicast DNS (UDP port 5353) in"
        }
        if !text.contains("icmpv6") && !text.contains("ipv6-icmp") && !text.contains("nexthdr 58") {
            return "what comes in is dropped, and no rule lets ICMPv6 in"
        }
        if !text.contains("established"), !text.contains("5540") {
            return "what comes in is dropped, and no rule lets the answers of devices (UDP port 5540) in"
        }
        return nil
    }

    private static func isAbout5540(_ rule: Substring) -> Bool { rule.contains("5540") }

    private static func isAbout5353(_ rule: Substring) -> Bool { rule.contains("5353") || rule.contains("mdns") }

    fileprivate static func isRefusal(_ rule: Substring) -> Bool {
        rule.hasSuffix(" drop") || rule.contains(" reject") || rule == "drop" || rule.hasPrefix("reject")
    }
}

extension FirewallRules.Chain {
    fileprivate var isInput: Bool { rules.contains { $0.contains("hook input") } }
    fileprivate var isOutput: Bool { rules.contains { $0.contains("hook output") } }
    /// Whether its last rule refuses all that came so far.
    fileprivate var rejectsRest: Bool {
        guard let last = rules.last else { return false }
        return last == "drop" || last.hasPrefix("reject")
            || last.hasPrefix("counter") && FirewallRules.isRefusal(last)
    }
}

/// Times in what a check has seen.
enum DayText {
    static func day(_ unix: Int64) -> String { String(X509Time.text(unix).prefix("2026-07-15".count)) }

    static func minute(_ unix: Int64) -> String {
        let text = X509Time.text(unix)
        return String(text.prefix("2026-07-15T12:30".count).replacing("T", with: " "))
    }
}
