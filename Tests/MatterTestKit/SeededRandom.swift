package import MatterCrypto
import Synchronization
import TestSupport

/// The same bytes on every run.
package final class SeededRandom: RandomSource {
    private let generator: Mutex<SeededGenerator>

    package init(_ seed: UInt64) { generator = Mutex(SeededGenerator(seed: seed)) }

    package func bytes(_ count: Int) throws(CryptoError) -> [UInt8] {
        generator.withLock { generator in (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) } }
    }
}
