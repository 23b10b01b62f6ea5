import Foundation

/// How much is tried by tests that go through many inputs.
package enum Effort {
    /// Whether all of it is: in CI, and with `make test CI=1`. Else a part, so that `make test` is soon over.
    package static let isWhole = !(ProcessInfo.processInfo.environment["CI"] ?? "").isEmpty

    /// How many of so many inputs are tried.
    package static func inputs(_ count: Int) -> Int { isWhole ? count : count / 10 }
}
