import MatterCrypto
import Synchronization

/// A random source that gives known octets, one string after the other, the last one for ever.
final class ScriptedRandom: RandomSource {
    private let script: Mutex<[[UInt8]]>

    init(_ script: [[UInt8]]) {
        self.script = Mutex(script)
    }

    func bytes(_ count: Int) throws(CryptoError) -> [UInt8] {
        let next = script.withLock { script in
            script.count > 1 ? script.removeFirst() : script.first
        }
        guard let next else { throw CryptoError(.randomFailed, "the script is empty") }
        return next
    }
}

/// The code of the error that an operation throws; `nil` when it throws none.
func code(of operation: () throws -> Void) -> CryptoError.Code? {
    do {
        try operation()
        return nil
    } catch {
        return (error as? CryptoError)?.code
    }
}
