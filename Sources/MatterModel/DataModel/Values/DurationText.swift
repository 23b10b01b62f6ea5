/// A duration as people type it: `10` or `10s`, `500ms`, `2min` or `2m`, `1h`, `1m30s`.
///
/// Fields of commands take the same words; only a number without a unit is there in the field's own unit.
public enum DurationText {
    /// Some thirty years.
    private static let longest = Duration.seconds(1_000_000_000)

    /// - Returns: `nil` if the text is no duration, is negative or is longer than some thirty years.
    public static func parse(_ text: String) -> Duration? {
        let isBare = text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
        guard !text.utf8.contains(where: { [UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: " ")].contains($0) }),
            let steps = Quantity.parse(isBare ? text + "s" : text, as: .microseconds)
        else { return nil }
        let duration = Duration.microseconds(steps.number)
        return duration <= longest ? duration : nil
    }

    /// The duration in the largest unit that needs no fraction: `1 ms`, `90 s`, `2 min`.
    public static func format(_ duration: Duration) -> String {
        let (seconds, rest) = duration.components
        guard rest == 0 else { return "\(Int64(duration / .milliseconds(1))) ms" }
        if seconds > 0, seconds % 3600 == 0 { return "\(seconds / 3600) h" }
        return seconds > 0 && seconds % 60 == 0 ? "\(seconds / 60) min" : "\(seconds) s"
    }
}
