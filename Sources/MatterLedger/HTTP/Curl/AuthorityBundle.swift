import CCurl
import Glibc
import MatterBase

/// The system's certificate authorities and those of a file of the user's, as one file in memory.
///
/// libcurl takes one file; a folder that it was built to use counts as well. Only some of its flavours take certificates from
/// memory, but all of them open a file that has no name.
final class AuthorityBundle: Sendable {
    private static let largest = 8 << 20
    private static let mark = Array("-----BEGIN ".utf8)

    private let descriptor: Int32

    /// The file, for as long as this lives, and for this process only.
    var path: String { "/proc/self/fd/\(descriptor)" }

    /// - Parameters:
    ///   - file: certificates in PEM form.
    ///   - system: the system's own, which may be missing.
    /// - Throws: ``HTTPError`` with `invalidSettings`, if `file` cannot be read or is something else.
    init(file: String, system: String?) throws(HTTPError) {
        guard let own = Self.contents(of: file), own.firstRange(of: Self.mark) != nil else {
            throw Self.unusable(file)
        }
        descriptor = ccurl_unnamed_file()
        let all = own + Array("\n".utf8) + (system.flatMap(Self.contents) ?? [])
        guard descriptor >= 0, Self.write(all, to: descriptor) else {
            throw HTTPError(
                .invalidSettings,
                "the certificate authorities cannot be put together: \(String(cString: strerror(errno)))")
        }
    }

    // Also where the initializer has thrown after it was set.
    deinit { close(descriptor) }

    static func unusable(_ file: String) -> HTTPError {
        HTTPError(
            .invalidSettings, "\(file) cannot be read as a file of certificates",
            hint: "it must hold certificate authorities in PEM form")
    }

    private static func contents(of path: String) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= largest {
            let count = read(file, &part, part.count)
            if count == 0 { return bytes }
            if count < 0 && errno != EINTR { return nil }
            bytes += part.prefix(max(0, count))
        }
        return nil
    }

    private static func write(_ bytes: [UInt8], to file: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0 && errno != EINTR { return false }
            rest = rest.dropFirst(max(0, count))
        }
        return true
    }
}
