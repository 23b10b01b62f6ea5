import MatterState

/// The operations on a fabric: one part of it, over the context that all parts share.
protocol FabricService: Sendable {
    /// The fabric in use.
    nonisolated var context: FabricContext { get }
}

extension FabricService {
    /// How the controller works.
    nonisolated var options: Controller.Options { context.options }
    /// The fabrics that are kept.
    nonisolated var fabrics: FabricStore { context.fabrics }
}
