public import MatterModel

/// Gives a light a colour (Matter application cluster specification 3.2.8), also while it is off.
public struct ColorVerb: DeviceVerb {
    /// A color, in one of the ways that devices know it.
    public enum Color: Sendable, Hashable {
        /// A million divided by the kelvins.
        case temperature(mireds: UInt16)
        /// Hue in degrees, 0 to 360; saturation 0 to 254, `nil` to keep the present one.
        case hue(Double, saturation: UInt8?)
        /// CIE 1931 coordinates, 0 to 1.
        case xy(Double, Double)
        /// A color by its name.
        case named(NamedColor)
    }

    /// The cluster that is controlled.
    public let cluster = ColorControl.id
    private let color: Color
    /// In tenths of a second.
    private let transition: UInt16

    /// - Parameter transition: how long the change takes, at most 6553 s.
    public init(_ color: Color, transition: Duration = .zero) {
        self.color = color
        self.transition = UInt16(clamping: Int64(transition / .milliseconds(100)))
    }

    private init(_ color: Color, tenths: UInt16) {
        self.color = color
        transition = tenths
    }

    /// What is sent to a device of which these facts are known.
    ///
    /// - Throws: ``ControllerError`` if the device cannot do it.
    public func request(_ facts: DeviceFacts) throws(ControllerError) -> DeviceRequest {
        // Without it, a light that is off would ignore the command and say nothing.
        let options = ColorControl.Options.executeIfOff
        func request(
            _ command: some ClusterCommand, _ attribute: AttributeID, goal: TLVValue,
            and further: DeviceRequest.Aim? = nil
        ) -> DeviceRequest {
            var request = DeviceRequest(
                command, attribute: attribute, goal: goal,
                transition: .milliseconds(100) * Int(transition))
            if let further { request.further = [further] }
            return request
        }
        switch color {
        case .named(let name):
            return try ColorVerb(name.color(for: facts), tenths: transition).request(facts)
        case .temperature(let mireds):
            try facts.require(ColorControl.Feature.colorTemperature, "colour temperature")
            try check(mireds, facts)
            return request(
                ColorControl.MoveToColorTemperature(
                    colorTemperatureMireds: mireds, transitionTime: transition, optionsMask: options,
                    optionsOverride: options), ColorControl.Attribute.colorTemperatureMireds, goal: mireds.tlv)
        case .xy(let x, let y):
            try facts.require(ColorControl.Feature.xy, "colours by x and y")
            let point = (x: Self.coordinate(x), y: Self.coordinate(y))
            return request(
                ColorControl.MoveToColor(
                    colorX: point.x, colorY: point.y, transitionTime: transition, optionsMask: options,
                    optionsOverride: options), ColorControl.Attribute.currentX, goal: point.x.tlv,
                and: DeviceRequest.Aim(attribute: ColorControl.Attribute.currentY, goal: point.y.tlv))
        case .hue(let degrees, let saturation):
            try facts.require(ColorControl.Feature.hueAndSaturation, "hue and saturation")
            let further = saturation.map {
                DeviceRequest.Aim(attribute: ColorControl.Attribute.currentSaturation, goal: $0.tlv)
            }
            guard facts.has(ColorControl.Feature.enhancedHue) else {
                let hue = UInt8((degrees * 254 / 360).rounded())
                let attribute = ColorControl.Attribute.currentHue
                return saturation.map {
                    request(
                        ColorControl.MoveToHueAndSaturation(
                            hue: hue, saturation: $0, transitionTime: transition, optionsMask: options,
                            optionsOverride: options), attribute, goal: hue.tlv, and: further)
                }
                    ?? request(
                        ColorControl.MoveToHue(
                            hue: hue, direction: .shortest, transitionTime: transition, optionsMask: options,
                            optionsOverride: options), attribute, goal: hue.tlv)
            }
            let hue = UInt16(truncatingIfNeeded: Int((degrees * 65536 / 360).rounded()))
            let attribute = ColorControl.Attribute.enhancedCurrentHue
            return saturation.map {
                request(
                    ColorControl.EnhancedMoveToHueAndSaturation(
                        enhancedHue: hue, saturation: $0, transitionTime: transition, optionsMask: options,
                        optionsOverride: options), attribute, goal: hue.tlv, and: further)
            }
                ?? request(
                    ColorControl.EnhancedMoveToHue(
                        enhancedHue: hue, direction: .shortest, transitionTime: transition, optionsMask: options,
                        optionsOverride: options), attribute, goal: hue.tlv)
        }
    }

    private func check(_ mireds: UInt16, _ facts: DeviceFacts) throws(ControllerError) {
        // A device that tells only one of its limits, or none, decides by itself.
        guard let coldest = facts.value(ColorControl.colorTempPhysicalMinMireds), coldest > 0,
            let warmest = facts.value(ColorControl.colorTempPhysicalMaxMireds), warmest > 0,
            mireds < coldest || mireds > warmest
        else { return }
        // Whole kelvins inside of the limits, so that the ends themselves are taken.
        let (low, high) = ((1_000_000 + UInt32(warmest) - 1) / UInt32(warmest), 1_000_000 / UInt32(coldest))
        throw ControllerError(.outOfLimits, "the colour temperature of \(facts.title) is \(low) K … \(high) K")
    }

    /// In steps of 1/65536, up to the most that the specification has: 0xFEFF.
    private static func coordinate(_ value: Double) -> UInt16 { UInt16(min(value * 65536, 65279).rounded()) }
}
