import MatterModel

extension Node {
    /// Follows an attribute: its value now, and then each new one, until the loop ends or the controller is closed.
    ///
    /// A subscription that is lost is set up again. The node need not have a session free for it: one is set aside.
    ///
    /// - Parameters:
    ///   - most: the longest time until the node says that it is alive; it may choose a longer one.
    ///   - time: the time for the first set-up; its failure ends the sequence with a ``MatterError``.
    public func subscribe<Value>(
        _ attribute: TypedAttribute<Value>, at endpoint: EndpointID? = nil, every most: Duration = .seconds(60),
        within time: Duration? = nil
    ) -> AttributeUpdates<Value> {
        AttributeUpdates { [self] in
            let (place, path) = try await place(of: attribute, endpoint, Budget(time))
            let request = SubscribeRequest(
                minIntervalFloor: 0, maxIntervalCeiling: UInt16(clamping: most.components.seconds),
                attributePaths: [AttributePath(path)])
            let events = controller.follow(request, of: place.node, setUp: time ?? Budget.standard)
            return (events, { [self] in try value(of: attribute, $0) }, path)
        }
    }
}

/// The values of an attribute, as the node reports them.
public struct AttributeUpdates<Value: AttributeValue>: AsyncSequence, Sendable {
    /// A value of the attribute.
    public typealias Element = Value

    typealias Source = (
        events: AsyncThrowingStream<SubscriptionEvent, any Error>, value: @Sendable (AttributeReport) throws -> Value,
        path: ConcreteAttributePath
    )

    private let open: @Sendable () async throws -> Source

    init(_ open: @escaping @Sendable () async throws -> Source) { self.open = open }

    /// Begins to follow; the subscription is set up with the first value.
    public func makeAsyncIterator() -> Iterator { Iterator(open) }

    /// Follows the attribute.
    public struct Iterator: AsyncIteratorProtocol {
        private let open: @Sendable () async throws -> Source
        private var source: (Source, AsyncThrowingStream<SubscriptionEvent, any Error>.Iterator)?

        init(_ open: @escaping @Sendable () async throws -> Source) { self.open = open }

        /// The next value; `nil` once the task is cancelled or the controller is closed.
        ///
        /// - Throws: ``MatterError``.
        public mutating func next() async throws -> Value? {
            do {
                if source == nil {
                    let opened = try await open()
                    source = (opened, opened.events.makeAsyncIterator())
                }
                while let event = try await source?.1.next() {
                    guard let source else { return nil }
                    let result: ReadResult
                    switch event {
                    case .established(_, _, let reported), .report(let reported): result = reported
                    case .lost: continue
                    }
                    guard let report = result.attribute(source.0.path) else { continue }
                    return try source.0.value(report)
                }
                return nil
            } catch is CancellationError {
                return nil
            } catch {
                throw MatterError(error)
            }
        }
    }
}
