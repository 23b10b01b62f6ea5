public import MatterModel

extension Node {
    /// Follows an attribute: its value now, and then each new one, until the loop ends or the controller is closed.
    ///
    /// A subscription that is lost is set up again. To be told of that, follow ``changes(_:silentForAtMost:waitsForNode:)``.
    ///
    /// - Parameters:
    ///   - most: the longest silence of the node; it may choose a longer one.
    ///   - time: the time in which the endpoint of the attribute is found.
    public func values<Value>(
        of attribute: TypedAttribute<Value>, at endpoint: EndpointID? = nil,
        silentForAtMost most: Duration = .seconds(60), within time: Duration? = nil
    ) -> AttributeUpdates<Value> {
        AttributeUpdates { [self] in
            let (_, path) = try await place(of: attribute, endpoint, Budget(time))
            let updates = follow([.attribute(attribute, at: path.endpoint)], silentForAtMost: most)
            return (updates.makeAsyncIterator(), { [self] in try value(of: attribute, $0) })
        }
    }
}

/// The values of an attribute, as the node reports them.
public struct AttributeUpdates<Value: AttributeValue>: AsyncSequence, Sendable {
    /// A value of the attribute.
    public typealias Element = Value

    typealias Source = (updates: NodeUpdates.Iterator, value: @Sendable (AttributeReport) throws -> Value)

    private let open: @Sendable () async throws -> Source

    init(_ open: @escaping @Sendable () async throws -> Source) { self.open = open }

    /// Begins to follow; the subscription is set up with the first value.
    public func makeAsyncIterator() -> Iterator { Iterator(open) }

    /// Follows the attribute.
    public struct Iterator: AsyncIteratorProtocol {
        private let open: @Sendable () async throws -> Source
        private var source: Source?

        init(_ open: @escaping @Sendable () async throws -> Source) { self.open = open }

        /// The next value; `nil` once the task is cancelled or the controller is closed.
        ///
        /// - Throws: ``MatterError``.
        public mutating func next() async throws -> Value? {
            do {
                if source == nil { source = try await open() }
                while let update = try await source?.updates.next() {
                    if case .change(let change) = update { return try source?.value(change.report) }
                }
                return nil
            } catch is CancellationError {
                return nil
            } catch {
                throw error as? MatterError ?? MatterError(error)
            }
        }
    }
}
