/// The events of a run, in one number: runs with the same one are taken for equal (FNV-1a, 64 bits).
struct Trace: Hashable, Sendable {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325
    /// All of it, where it is to be read.
    private(set) var lines: [String]?

    init(isReadable: Bool = false) { lines = isReadable ? [] : nil }

    /// - Parameter remark: what does not count in a comparison, such as the time.
    mutating func add(_ line: String, _ remark: @autoclosure () -> String = "") {
        lines?.append("\(remark()) \(line)")
        for byte in line.utf8 { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
        value = (value ^ 10) &* 0x100_0000_01B3
    }
}
