public import MatterModel

/// Lights with a colour (Matter application cluster specification 3.2).
enum ColorKind: DeviceKindDeclaration {
    static let name = "color"
    private typealias Attribute = ColorControl.Attribute

    static var repeatable: [ClusterID: Set<String>] {
        [
            ColorControl.id: [
                "MoveToHue", "MoveToSaturation", "MoveToHueAndSaturation", "MoveToColor", "MoveToColorTemperature",
                "EnhancedMoveToHue", "EnhancedMoveToHueAndSaturation", "StopMoveStep",
            ]
        ]
    }

    /// In mireds, as ColorTemperatureMireds has it (3.2.7.8).
    private static let mireds = ValueForm<UInt16>("", offers: [], as: .mireds, bare: "K", in: 1...65279)
    private static let names = NamedColor.allCases.map(\.rawValue)

    private static let temperature = ValueForm<ColorVerb.Color>(
        "2700K, 370mired, #ff8800 or a name: " + names.joined(separator: ", "),
        offers: names + ["2700K", "4000K", "6500K"]
    ) { words in
        // As people say it: warm white, behind a node.
        if words.count > 2, let name = name(words.suffix(2).joined(separator: "-")) { return (.named(name), 2) }
        guard let word = words.last else { return nil }
        if let name = name(word) { return (.named(name), 1) }
        if let color = RGBColor(word) { return (.mixed(color), 1) }
        return mireds.last([word]).map { (.temperature(mireds: $0.value), 1) }
    }

    private static func name(_ text: String) -> NamedColor? {
        NamedColor(rawValue: text.lowercased().split { " -_".contains($0) }.joined(separator: "-"))
    }

    /// A hue, `0` to `360`, also `120°`; and a saturation.
    private static let hue = ValueForm<ColorVerb.Color>(
        "0–360, and the saturation 0%–100%", offers: ["0", "120", "240"], example: "240 80%"
    ) { words in
        func degrees(_ word: String) -> Double? {
            Double(word.hasSuffix("°") ? String(word.dropLast()) : word).flatMap { (0...360).contains($0) ? $0 : nil }
        }
        guard let last = words.last else { return nil }
        // A saturation without `%` is taken where it cannot be a hue: behind one node and a hue.
        if last.hasSuffix("%") || words.count == 3, let share = ValueForm.share.last([last])?.value,
            let hue = words.dropLast().last.flatMap(degrees)
        {
            return (.hue(hue, saturation: UInt8(clamping: (UInt32(share) * 254 + 5000) / 10000)), 2)
        }
        return degrees(last).map { (.hue($0, saturation: nil), 1) }
    }

    private static let point = ValueForm<ColorVerb.Color>("x and y, each 0–1", offers: [], example: "0.31 0.33") {
        words in
        let numbers = words.suffix(2).compactMap { Double($0) }.filter { (0...1).contains($0) }
        guard numbers.count == 2, let x = numbers.first, let y = numbers.last else { return nil }
        return (.xy(x, y), 2)
    }

    private static let transition = DeviceKind.Option(.transition, "how long the change takes")

    private static func verb(_ color: ColorVerb.Color, _ parameters: DeviceKind.Parameters) -> any DeviceVerb {
        ColorVerb(color, transition: parameters.transition ?? .zero)
    }

    static let kind = DeviceKind(
        name, "The colour of lights.", details: "Of a hue, 0 is red, 120 is green and 240 is blue.",
        example: "desk 2700K --transition 2s", trait: "has colours",
        synonyms: ["colour", "hue", "kelvin"],
        readings: [
            Reading(ColorControl.id, Attribute.colorMode, "mode"),
            Reading(ColorControl.id, Attribute.colorTemperatureMireds, "colour temperature"),
            Reading(ColorControl.id, Attribute.currentHue, "hue"),
            Reading(ColorControl.id, Attribute.currentSaturation, "saturation"),
            Reading(ColorControl.id, Attribute.currentX, "x"), Reading(ColorControl.id, Attribute.currentY, "y"),
        ],
        verbs: [
            .init(
                "temperature", "Set the colour temperature, or a colour by its name.", value: temperature,
                aliases: ["name"], options: [transition], isUsual: true, verb),
            .init(
                "hue", "Set the hue, and the saturation if it is given.", value: hue, options: [transition], verb),
            .init("xy", "Set the colour by its coordinates in CIE 1931.", value: point, options: [transition], verb),
        ])
}

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
        /// A color as screens mix it.
        case mixed(RGBColor)
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

    /// The commands for a device with these facts.
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
        case .mixed(let mixed):
            return try ColorVerb(mixed.color(for: facts), tenths: transition).request(facts)
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
