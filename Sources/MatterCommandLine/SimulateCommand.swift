/// A command that plays devices.
public protocol SimulateCommand: LocalCommand, SendableMetatype {
    /// The words for what it can be.
    static var deviceTypes: [String] { get }
}

/// Which command plays devices; a program without it has none.
enum SimulateCommandChoice {
    /// That of the run under way.
    @TaskLocal static var current: (any SimulateCommand.Type)?
}
