/// The parts that a program adds to the command line. One value for the run: each generic type is made at its first use, in every
/// process.
struct Installation: Sendable {
    /// The vendors whose commands there are.
    var modules: [VendorModule] = []
    /// The command that plays devices; `nil` for none.
    var simulate: SimulateCommandChoice?

    /// Those of the run under way.
    @TaskLocal static var current = Installation()
}
