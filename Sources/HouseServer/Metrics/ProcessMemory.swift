import Glibc

/// The memory of this process.
enum ProcessMemory {
    /// The bytes that lie in memory (proc(5), VmRSS of `status`).
    static func resident() -> UInt64? {
        guard let file = fopen("/proc/self/status", "re") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard text.hasPrefix("VmRSS:") else { continue }
            return text.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { UInt64($0) }.map { $0 * 1024 }
        }
        return nil
    }
}
