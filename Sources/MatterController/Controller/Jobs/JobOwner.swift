import Glibc
import MatterState

extension Job.Owner {
    /// This process.
    static func current(_ moment: MachineMoment?) -> Job.Owner {
        var name = [CChar](repeating: 0, count: 256)
        let count = name.count - 1
        let host = gethostname(&name, count) == 0 ? name.withUnsafeBufferPointer { text(of: $0) } : ""
        return Job.Owner(
            host: host.isEmpty ? "localhost" : host, user: "\(geteuid())", process: getpid(), boot: moment?.boot)
    }

    private static func text(of name: UnsafeBufferPointer<CChar>) -> String {
        String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
