import Synchronization

/// A stream that ends at a deadline, or when the result has no reader any more.
struct Timed<Element: Sendable>: Sendable {
    /// How often to look whether the result is still read: only a line that is written would tell.
    private static var pace: Duration { .milliseconds(500) }

    let stream: AsyncThrowingStream<Element, any Error>

    init(_ source: AsyncThrowingStream<Element, any Error>, until deadline: ContinuousClock.Instant?) {
        self.init(source, until: deadline) { _ in nil }
    }

    /// Counts from the first element that begins the time, which takes no longer than the set-up.
    ///
    /// - Parameter start: the begin of the time, where it is known; it still ends no sooner than the set-up.
    init(
        _ source: AsyncThrowingStream<Element, any Error>, for span: Duration?,
        since start: ContinuousClock.Instant? = nil,
        setUp: Duration, from begins: @escaping @Sendable (Element) -> Bool
    ) {
        let span = span.map { max(.zero, $0 - ServerCall.followedBefore) }
        self.init(source, until: span.map { .now + setUp + $0 }) { element in
            guard let span, begins(element) else { return nil }
            return (start ?? .now) + span
        }
    }

    /// - Parameter sooner: another deadline that an element brings; the soonest counts.
    private init(
        _ source: AsyncThrowingStream<Element, any Error>, until latest: ContinuousClock.Instant?,
        sooner: @escaping @Sendable (Element) -> ContinuousClock.Instant?
    ) {
        Terminal.current.outliveReader()
        stream = AsyncThrowingStream { continuation in
            let deadline = Deadline(latest)
            let reader = Task {
                do {
                    for try await element in source {
                        if let sooner = sooner(element) { deadline.advance(to: sooner) }
                        continuation.yield(element)
                    }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            let clock = Task {
                while !Terminal.current.isUnheard, !deadline.isOver {
                    let next = deadline.sooner(than: .now + Self.pace)
                    guard (try? await Task.sleep(until: next, clock: .continuous)) != nil else { return }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in
                reader.cancel()
                clock.cancel()
            }
        }
    }
}

/// A point in time that can come sooner.
private final class Deadline: Sendable {
    private let time: Mutex<ContinuousClock.Instant?>

    init(_ time: ContinuousClock.Instant?) { self.time = Mutex(time) }

    var isOver: Bool { time.withLock { $0.map { .now >= $0 } ?? false } }

    func advance(to sooner: ContinuousClock.Instant) { time.withLock { $0 = min($0 ?? sooner, sooner) } }

    func sooner(than other: ContinuousClock.Instant) -> ContinuousClock.Instant {
        time.withLock { $0.map { min($0, other) } ?? other }
    }
}
