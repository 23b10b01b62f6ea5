import CCurl
import MatterBase

/// libcurl, opened at run time, so that hosts without it can do everything but talk to a service.
final class CurlLibrary: Sendable {
    /// The flavours of Debian's packages libcurl4 and libcurl3-gnutls, by file name.
    private static let names = ["libcurl.so.4", "libcurl-gnutls.so.4"]
    private static let shared = Result { () throws(HTTPError) in try CurlLibrary(names) }

    /// Safe to share: it points to a table of functions that `ccurl_open` fills from files with fixed names, and that is
    /// const for everything else. Nothing from the network or the user is ever written there.
    nonisolated(unsafe) let handle: OpaquePointer

    /// The library, which is opened with the first call.
    ///
    /// - Throws: ``HTTPError`` with `libraryMissing`.
    static func open() throws(HTTPError) -> CurlLibrary { try shared.get() }

    /// Opens the first of some files that is there and has everything that is needed.
    init(_ names: [String]) throws(HTTPError) {
        var words: String?
        for name in names {
            var message = [CChar](repeating: 0, count: 512)
            if let handle = ccurl_open(name, &message, message.count) {
                self.handle = handle
                return
            }
            words = words ?? String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
        throw Self.missing(words ?? "")
    }

    deinit { ccurl_forget(handle) }

    static func missing(_ words: String) -> HTTPError {
        HTTPError(.libraryMissing, "HTTP needs libcurl: \(words)", hint: "install it: apt install libcurl4")
    }

    var version: String { String(cString: ccurl_version(handle)) }

    /// The file of the system's certificate authorities; `nil` where they are a folder.
    var authorityFile: String? { ccurl_authorities(handle).map { String(cString: $0) } }

    /// libcurl's words for a code, which are the same for all exchanges.
    func words(_ code: Int32) -> String { String(cString: ccurl_strerror(handle, code)) }
}
