@testable import MatterState

extension StateDirectory {
    /// Changes a record as commands do: under the lock of its name, and after reading it again.
    ///
    /// - Parameter change: gets the contents, `nil` if there is no such record; `nil` afterwards deletes it.
    @discardableResult
    func update<Value>(
        _ name: String, timeout: Duration = StateDirectory.lockTimeout, isolation: isolated (any Actor)? = #isolation,
        _ change: (inout [UInt8]?) throws -> Value
    ) async throws -> Value {
        try await withLock(name, timeout: timeout) {
            let before = try read(name)
            var contents = before
            let value = try change(&contents)
            if let contents {
                if contents != before { try write(name, contents) }
            } else if before != nil {
                try delete(name)
            }
            return value
        }
    }
}
