extension LedgerModel.Steps {
    /// The instruction for each bit of a pairing or reset hint; `N` stands in the instruction.
    private static let pairing = [
        "power the device off and on", "see the manufacturer's web site", "use the app that has set it up",
        "see the settings menu of the device", "follow the instruction", "see the manual", "press the reset button",
        "press the reset button while powering on", "press the reset button for N seconds",
        "press the reset button until the light blinks", "press the reset button for N seconds while powering on",
        "press the reset button until the light blinks while powering on", "press the reset button N times",
        "press the setup button", "press the setup button while powering on", "press the setup button for N seconds",
        "press the setup button until the light blinks", "press the setup button for N seconds while powering on",
        "press the setup button until the light blinks while powering on", "press the setup button N times",
        "press and release the setup button N times", "press a button for N seconds until the device indicates it",
        "power the device off and on N times until it indicates it",
    ]

    /// The steps in words.
    public var words: [String] {
        Self.pairing.indices.filter { hint & (1 << UInt32($0)) != 0 }.map { Self.pairing[$0] }
            + (instruction.map { ["instruction: \($0)"] } ?? [])
    }
}
