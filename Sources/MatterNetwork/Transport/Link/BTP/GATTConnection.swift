/// Events on a GATT connection, told in order (Matter core specification, 4.20).
public enum GATTEvent: Sendable {
    /// An indication of C2.
    case value([UInt8])
    /// The end of the connection, with the reason as far as it is known.
    case disconnected(String)
}

/// The GATT client's side of one connection to a device that offers BTP (Matter core specification 4.20.2).
public protocol GATTConnection: Sendable {
    /// How people know the device: its address and the adapter.
    var name: String { get }
    /// The ATT MTU in bytes; nil if it is not known.
    var attMTU: UInt16? { get }
    /// Writes a value to C1 with response; returns when the device has confirmed it.
    ///
    /// - Throws: ``TransportError``.
    func write(_ value: [UInt8]) async throws(TransportError)
    /// Subscribes to the indications of C2. They, and the end of the connection, arrive at `receive`, in order, on any thread.
    ///
    /// - Throws: ``TransportError``.
    func subscribe(_ receive: @escaping @Sendable (GATTEvent) -> Void) async throws(TransportError)
    /// Ends the subscription and the connection; harmless if it has ended.
    func disconnect() async
}
