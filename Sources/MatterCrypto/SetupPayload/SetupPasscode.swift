/// The setup passcode of a device: 1…99999998 without the trivial ones (Matter core specification, 5.1.7.1).
///
/// It does not show itself when printed, interpolated, dumped or mirrored; ask for ``value`` where it is needed.
public struct SetupPasscode: Hashable, Sendable {
    /// The number that the device's label spells.
    public let value: UInt32

    /// The passcodes that devices must not use.
    package static let forbidden: Set<UInt32> = [
        11_111_111, 22_222_222, 33_333_333, 44_444_444, 55_555_555, 66_666_666, 77_777_777, 88_888_888,
        12_345_678, 87_654_321,
    ]

    /// - Throws: ``SetupPayloadError`` with code ``SetupPayloadError/Code/passcode``.
    public init(_ value: UInt32) throws(SetupPayloadError) {
        guard 1...99_999_998 ~= value else {
            throw SetupPayloadError(.passcode, "a passcode is a number from 1 to 99999998")
        }
        guard !Self.forbidden.contains(value) else {
            throw SetupPayloadError(
                .passcode, "Matter forbids this trivial passcode, like 11111111 or 12345678")
        }
        self.value = value
    }
}

extension SetupPasscode: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The value as text, as messages and logs show it.
    public var description: String { "(passcode)" }
    /// The value as text, without the secret.
    public var debugDescription: String { description }
    /// The text for debuggers: nothing of the secret.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
