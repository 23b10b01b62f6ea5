public import MatterState

/// Steps for a person to wake a device up (UserActiveModeTriggerHint, Matter core specification 9.16.6.7).
public enum ActiveModeTrigger {
    /// By bit; the instruction of the device takes the place of the braces. The simplest first.
    private static let words: [(bit: UInt32, text: String)] = [
        (0x01000, "press the setup button"),
        (0x08000, "press the setup button {} times"),
        (0x02000, "hold the setup button for {} seconds"),
        (0x04000, "hold the setup button until the light blinks{ }"),
        (0x00010, "trigger the sensor: open and close it, wave, or press it"),
        (0x00040, "trigger the sensor {} times"),
        (0x00020, "keep the sensor triggered for {} seconds"),
        (0x00080, "trigger the sensor until the light blinks{ }"),
        (0x10000, "press the button that the manufacturer's app or manual names"),
        (0x00004, "{}"),
        (0x00002, "open the settings menu of the device"),
        (0x00001, "switch its power off and on"),
        (0x00100, "press the reset button, and only for a moment"),
        (0x00800, "press the reset button {} times"),
        (0x00400, "hold the reset button for {} seconds, and not longer: it may reset the device"),
        (0x00200, "hold the reset button until the light blinks{ }, and not longer: it may reset the device"),
        (0x00008, "see the manual of the device"),
    ]

    /// The ways to wake a device up, the simplest first. The instruction comes from the device: escape it before it reaches
    /// a terminal.
    public static func ways(_ sleep: ICDRegistration.Sleep) -> [String] {
        words.compactMap { entry -> String? in
            guard sleep.triggers & entry.bit != 0 else { return nil }
            let given = sleep.triggerInstruction.flatMap { $0.isEmpty ? nil : $0 }
            // Without its instruction, such a hint says nothing.
            guard let given else { return entry.text.contains("{}") ? nil : entry.text.replacing("{ }", with: "") }
            return entry.text.replacing("{}", with: given).replacing("{ }", with: " \(given)")
        }
    }
}
