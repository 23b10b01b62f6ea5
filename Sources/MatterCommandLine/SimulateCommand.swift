/// A command that plays devices.
public protocol SimulateCommand: LocalCommand, SendableMetatype {
    /// The words for what it can be.
    static var deviceTypes: [String] { get }
    /// The words for the faults that it can play, each with what it does; one that ends with a colon takes more.
    static var faults: [(word: String, help: String)] { get }
}

/// Which command plays devices. It is made for those who ask for it: a generic type with many fields.
public struct SimulateCommandChoice: Sendable {
    private let make: @Sendable () -> any SimulateCommand.Type

    /// - Parameter make: makes the type of the command.
    public init(_ make: @escaping @Sendable () -> any SimulateCommand.Type) { self.make = make }

    /// That of the run under way; a program without it has none.
    static var current: (any SimulateCommand.Type)? { Installation.current.simulate?.make() }
}
