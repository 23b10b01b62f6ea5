public import ArgumentParser
public import MatterController

/// A time as users write it: `10`, `10s`, `500ms`, `1m30s`, `2min`, `1h`.
public struct TimeSpan: ExpressibleByArgument, Sendable {
    /// The time.
    public var duration: Duration

    /// A time.
    public static var defaultCompletionKind: CompletionKind { .kind(.duration) }

    /// The time that a word means; `nil` if it means none.
    public init?(argument: String) {
        guard let duration = DurationText.parse(argument) else { return nil }
        self.duration = duration
    }
}

extension TimeSpan: CustomStringConvertible {
    init(_ duration: Duration) { self.duration = duration }

    /// The time, as it can be typed.
    public var description: String { DurationText.format(duration) }

    /// Refuses a time of zero.
    public func requireSome(_ option: String = "--timeout") throws {
        guard duration > .zero else { throw ValidationError("\(option) must be longer than zero") }
    }
}

/// `NODE` or `NODE/EP`.
public struct NodeArgument: ExpressibleByArgument, Sendable {
    /// The node, as it was typed.
    public var node: String
    /// The endpoint; `nil` if none was typed.
    public var endpoint: EndpointID?

    init(_ node: String) { self.node = node }

    /// A node, or an endpoint of one.
    public static var defaultCompletionKind: CompletionKind { .kind(.endpoint) }

    /// The word that means it.
    var text: String { endpoint.map { "\(node)/\($0)" } ?? node }

    /// The node that a word means; `nil` if it means none.
    public init?(argument: String) {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
        guard let name = parts.first, !name.isEmpty, parts.count <= 2 else { return nil }
        node = String(name)
        if parts.count == 2 {
            guard let number = NameRule.parseNumber(String(parts[1])), let endpoint = UInt16(exactly: number) else {
                return nil
            }
            self.endpoint = EndpointID(endpoint)
        }
    }
}

extension NodeArgument {
    /// For commands whose path names the endpoint, or that are about the whole node.
    public func requireBare() throws {
        guard let endpoint else { return }
        throw ValidationError("name the node alone here: \(node), not \(node)/\(endpoint)")
    }
}

/// A number as decimal or `0x…`.
public struct NumberArgument<Number: FixedWidthInteger & UnsignedInteger & Sendable>: ExpressibleByArgument, Sendable {
    /// The number.
    public var value: Number

    /// A number.
    public init(_ value: Number) { self.value = value }

    /// A number, as users write ids.
    public static var defaultCompletionKind: CompletionKind { .kind(.number) }

    /// The number that a word means; `nil` if it means none.
    public init?(argument: String) {
        guard let number = NameRule.parseNumber(argument), let value = Number(exactly: number) else { return nil }
        self.value = value
    }

    /// The number, as help shows it.
    public var defaultValueDescription: String { "0x" + String(value, radix: 16, uppercase: true) }
}

/// `VERSION:MASK`, each decimal or hexadecimal.
extension TermsAcknowledgement: @retroactive ExpressibleByArgument {
    /// The answer that a word means; `nil` if it means none.
    public init?(argument: String) {
        let parts = argument.split(separator: ":", omittingEmptySubsequences: false).map {
            NumberArgument<UInt16>(argument: String($0))?.value
        }
        guard parts.count == 2, let version = parts[0], version > 0, let response = parts[1] else { return nil }
        self.init(version: version, response: response)
    }
}

/// How progress is shown on stderr.
enum ProgressStyle: String, ExpressibleByArgument, CaseIterable {
    case auto, plain, json, none

    /// Where none is said.
    static let usual = ProgressStyle.auto
}
