public import MatterNetwork

/// A lamp, a plug or a switch: what goes on and off, and perhaps has a level and a colour (Matter application
/// cluster specification).
public struct LightDevice: DevicePart {
    /// OnOff.
    public static let cluster = OnOff.id
    /// The node.
    public let node: Node
    /// The endpoint.
    public let endpoint: EndpointID?

    /// The light on an endpoint.
    public init(_ node: Node, at endpoint: EndpointID?) {
        self.node = node
        self.endpoint = endpoint
    }

    /// Whether it is on.
    ///
    /// - Throws: ``MatterError``.
    public func isOn(within time: Duration? = nil) async throws -> Bool {
        try await node.read(OnOff.onOff, at: endpoint, within: time)
    }

    /// Switches on.
    ///
    /// - Throws: ``MatterError``.
    public func on(within time: Duration? = nil) async throws { try await perform(Verb.on, time) }

    /// Switches off.
    ///
    /// - Throws: ``MatterError``.
    public func off(within time: Duration? = nil) async throws { try await perform(Verb.off, time) }

    /// Switches on what is off, and off what is on; at most once.
    ///
    /// - Throws: ``MatterError`` `outcomeUnknown` if no answer came and it may have happened.
    public func toggle(within time: Duration? = nil) async throws { try await perform(Verb.toggle, time) }

    /// Dims to a level. A light that is off comes on, and level 0 switches it off.
    ///
    /// - Parameters:
    ///   - level: 0 to 254.
    ///   - transition: how long the change takes, at most 6553 s; the device chooses by default.
    /// - Throws: ``MatterError``.
    public func set(level: UInt8, over transition: Duration? = nil, within time: Duration? = nil) async throws {
        try await node.level(level, over: transition, at: endpoint, within: time)
    }

    /// Gives it a white, also while it is off.
    ///
    /// - Parameter kelvins: the colour temperature in kelvin, such as 2700 for a warm white.
    /// - Throws: ``MatterError``.
    public func set(kelvins: Double, over transition: Duration = .zero, within time: Duration? = nil) async throws {
        guard kelvins.isFinite, kelvins >= 16 else {
            throw MatterError(InteractionError(.invalidRequest, "a colour temperature is at least 16 K"))
        }
        let mireds = UInt16(clamping: Int((1_000_000 / kelvins).rounded()))
        try await perform(ColorVerb(.temperature(mireds: mireds), transition: transition), time)
    }

    /// Gives it a colour, also while it is off.
    ///
    /// - Parameters:
    ///   - hue: in degrees, 0 to 360.
    ///   - saturation: 0 for white to 254 for the full colour; stays as it is by default.
    /// - Throws: ``MatterError``.
    public func set(
        hue: Double, saturation: UInt8? = nil, over transition: Duration = .zero, within time: Duration? = nil
    ) async throws {
        guard (0...360).contains(hue) else {
            throw MatterError(InteractionError(.invalidRequest, "a hue is 0 to 360 degrees"))
        }
        try await perform(ColorVerb(.hue(hue, saturation: saturation), transition: transition), time)
    }

    /// Shows which one it is, by blinking or otherwise, for a time.
    ///
    /// - Parameter span: at most 65,535 s; zero ends it.
    /// - Throws: ``MatterError``.
    public func identify(for span: Duration = .seconds(10), within time: Duration? = nil) async throws {
        try await perform(Verb.identify(seconds: UInt16(clamping: span.components.seconds)), time)
    }
}

extension ColorControl {
    /// Moves to a white: ``MoveToColorTemperature`` with the options that a light takes while it is off.
    ///
    /// - Parameters:
    ///   - mireds: a million divided by the kelvins.
    ///   - tenths: how long the change takes, in tenths of a second.
    public static func moveToColorTemperature(mireds: UInt16, tenths: UInt16 = 0) -> MoveToColorTemperature {
        MoveToColorTemperature(
            colorTemperatureMireds: mireds, transitionTime: tenths, optionsMask: .executeIfOff,
            optionsOverride: .executeIfOff)
    }
}
