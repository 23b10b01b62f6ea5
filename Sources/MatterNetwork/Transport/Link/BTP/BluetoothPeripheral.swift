/// The actions of a central with a device of our own, told in order.
package enum GATTServerEvent: Sendable {
    /// A value written to C1.
    case written([UInt8])
    /// The central has subscribed to the indications of C2.
    case subscribed
    /// The end of the connection or of the subscription, with the reason as far as it is known.
    case disconnected(String)
}

/// The GATT server's side of one connection with a central (Matter core specification 4.20.2).
package protocol GATTServerConnection: Sendable {
    /// How people know the central: its address.
    var name: String { get }
    /// The ATT MTU in bytes; nil if it is not known.
    var attMTU: UInt16? { get }
    /// Sends an indication of C2; returns when the central has confirmed it.
    func indicate(_ value: [UInt8]) async throws(TransportError)
    /// Has the events of the connection told, those from before the call too, in order, on any thread. Called once.
    func receive(_ handler: @escaping @Sendable (GATTServerEvent) -> Void)
    /// Ends the connection; harmless if it has ended.
    func disconnect() async
}

/// Offers the Matter service over Bluetooth, for a device of our own.
package protocol BluetoothPeripheral: Sendable {
    /// Registers the service with C1 and C2. A connection is handed over when its central first does something with them.
    ///
    /// - Throws: an error with the cure in its hint.
    func offer(_ accept: @escaping @Sendable (any GATTServerConnection) -> Void) async throws
    /// Advertises the device from now on with this service data; `nil` ends the advertising, and leaves connections alone.
    func advertise(_ advertisement: BLEAdvertisement?) async throws
    /// Takes everything back and ends all connections.
    func stop() async
}
