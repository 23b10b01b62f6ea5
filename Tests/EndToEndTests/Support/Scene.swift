import Testing

/// A light, and a matterctl that has commissioned it: where most tests begin.
struct Scene: Sendable {
    let light: Light
    let matterctl: MatterCtl

    /// - Parameter options: of cm_device.py.
    static func commissioned(
        named name: String? = "kitchen", _ options: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Scene {
        let scene = try await fresh(options)
        try await scene.matterctl.commission(
            scene.light, nil, (name.map { ["--name", $0] } ?? []), sourceLocation: sourceLocation)
        return scene
    }

    /// A light that is on no fabric.
    static func fresh(_ options: [String] = []) async throws -> Scene {
        Scene(light: try await Light.start(options), matterctl: try MatterCtl())
    }

    func end() { light.stop() }
}
