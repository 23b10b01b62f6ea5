import CCurl
import Foundation
import MatterBase
import TestSupport
import Testing

@testable import MatterLedger

@Suite(.timed) struct CurlLibraryTests {
    /// curl_easyoption of curl/options.h.
    private struct Option {
        var name: UnsafePointer<CChar>?
        var number: UInt32
        var kind: UInt32
        var flags: UInt32
    }

    private typealias Find = @convention(c) (UnsafePointer<CChar>) -> UnsafeRawPointer?

    /// By the kind that libcurl gives: long or set of bits, string, and what has a function of its own.
    private static let numbers: [(CCurlNumberOption, String)] = [
        (CCURL_LOW_SPEED_LIMIT, "LOW_SPEED_LIMIT"), (CCURL_LOW_SPEED_TIME, "LOW_SPEED_TIME"),
        (CCURL_SSLVERSION, "SSLVERSION"), (CCURL_POST, "POST"), (CCURL_NETRC, "NETRC"),
        (CCURL_FOLLOWLOCATION, "FOLLOWLOCATION"), (CCURL_POSTFIELDSIZE, "POSTFIELDSIZE"),
        (CCURL_SSL_VERIFYPEER, "SSL_VERIFYPEER"), (CCURL_FRESH_CONNECT, "FRESH_CONNECT"),
        (CCURL_FORBID_REUSE, "FORBID_REUSE"), (CCURL_SSL_VERIFYHOST, "SSL_VERIFYHOST"),
        (CCURL_HTTP_VERSION, "HTTP_VERSION"), (CCURL_NOSIGNAL, "NOSIGNAL"), (CCURL_MAXFILESIZE, "MAXFILESIZE"),
        (CCURL_TIMEOUT_MS, "TIMEOUT_MS"), (CCURL_CONNECTTIMEOUT_MS, "CONNECTTIMEOUT_MS"),
        (CCURL_PROTOCOLS, "PROTOCOLS"), (CCURL_HEADEROPT, "HEADEROPT"), (CCURL_PATH_AS_IS, "PATH_AS_IS"),
        (CCURL_SUPPRESS_CONNECT_HEADERS, "SUPPRESS_CONNECT_HEADERS"), (CCURL_QUICK_EXIT, "QUICK_EXIT"),
    ]
    private static let texts: [(CCurlTextOption, String)] = [
        (CCURL_URL, "URL"), (CCURL_PROXY, "PROXY"), (CCURL_USERAGENT, "USERAGENT"),
        (CCURL_CUSTOMREQUEST, "CUSTOMREQUEST"), (CCURL_CAINFO, "CAINFO"), (CCURL_PROXYUSERNAME, "PROXYUSERNAME"),
        (CCURL_PROXYPASSWORD, "PROXYPASSWORD"), (CCURL_NOPROXY, "NOPROXY"), (CCURL_PROTOCOLS_STR, "PROTOCOLS_STR"),
    ]
    private static let others: [(CCurlOtherOption, String)] = [
        (CCURL_WRITEDATA, "WRITEDATA"), (CCURL_HTTPHEADER, "HTTPHEADER"), (CCURL_HEADERDATA, "HEADERDATA"),
        (CCURL_COPYPOSTFIELDS, "COPYPOSTFIELDS"), (CCURL_PREREQDATA, "PREREQDATA"),
        (CCURL_OPENSOCKETDATA, "OPENSOCKETDATA"), (CCURL_OPENSOCKETFUNCTION, "OPENSOCKETFUNCTION"),
        (CCURL_WRITEFUNCTION, "WRITEFUNCTION"), (CCURL_HEADERFUNCTION, "HEADERFUNCTION"),
        (CCURL_PREREQFUNCTION, "PREREQFUNCTION"),
    ]

    @Test("addresses of private networks, of this machine and of no single host are out of reach, in every spelling")
    func reach() {
        let inside = [
            "0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.1", "0x7f000001", "2130706433", "169.254.169.254",
            "172.16.0.1", "172.31.255.255", "192.168.1.1", "198.18.0.1", "224.0.0.251", "239.1.1.1", "255.255.255.255",
            "::", "::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "fe80::1", "fec0::1", "fc00::1", "fd12:3456::1",
            "ff02::fb", "64:ff9b::192.168.1.1", "64:ff9b:1::8.8.8.8", "2002:c0a8:101::1", "2001:0:1::1", "2001:db8::1",
        ]
        for host in inside { #expect(ccurl_is_in_reach(host, 0) == 0, "\(host)") }
        let outside = [
            "8.8.8.8", "11.0.0.1", "100.63.255.255", "126.255.255.255", "128.0.0.1", "172.15.0.1", "172.32.0.1",
            "192.167.0.1", "223.255.255.255", "2001:4860:4860::8888", "2606:4700::1111", "64:ff9b::8.8.8.8",
            "crl.example",
        ]
        for host in outside { #expect(ccurl_is_in_reach(host, 0) == 1, "\(host)") }
        for host in inside {
            let isLoopback = host == "::1" || ["127.0.0.1", "127.1", "0x7f000001", "2130706433"].contains(host)
            #expect(ccurl_is_in_reach(host, 1) == (isLoopback ? 1 : 0), "\(host)")
        }
    }

    @Test("our numbers of the options are those that the library itself tells, and so are their types")
    func options() throws {
        let handle = try #require(dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL))
        let symbol = try #require(dlsym(handle, "curl_easy_option_by_name"))
        // A symbol has no type: this is the signature of curl/options.h.
        let function = unsafeBitCast(symbol, to: Find.self)
        func find(_ name: String) -> Option? { function(name)?.load(as: Option.self) }
        let (long, bits, text) = (UInt32(0), UInt32(1), UInt32(4))
        for (option, name) in Self.numbers {
            // QUICK_EXIT is younger than the others, and the program does without where it is unknown.
            guard let known = find(name) else { continue }
            #expect(known.number == option.rawValue && [long, bits].contains(known.kind), "\(name)")
        }
        for (option, name) in Self.texts {
            guard let known = find(name) else { continue }
            #expect(known.number == option.rawValue && known.kind == text, "\(name)")
        }
        for (option, name) in Self.others {
            guard let known = find(name) else { continue }
            #expect(known.number == option.rawValue && ![long, bits, text].contains(known.kind), "\(name)")
        }
        #expect(find("URL") != nil && find("WRITEFUNCTION") != nil && find("SSL_VERIFYHOST") != nil)
    }

    @Test("the codes that are told apart are those of the library")
    func codes() throws {
        let library = try CurlLibrary.open()
        let words: [(CCurlCode, String)] = [
            (CCURL_COULDNT_RESOLVE_PROXY, "resolve proxy"), (CCURL_COULDNT_RESOLVE_HOST, "resolve host"),
            (CCURL_COULDNT_CONNECT, "connect to server"), (CCURL_OPERATION_TIMEDOUT, "Timeout"),
            (CCURL_GOT_NOTHING, "nothing"), (CCURL_PEER_FAILED_VERIFICATION, "certificate"),
            (CCURL_SSL_CACERT_BADFILE, "CA cert"), (CCURL_PARTIAL_FILE, "partial"),
            (CCURL_ABORTED_BY_CALLBACK, "callback"), (CCURL_FILESIZE_EXCEEDED, "file size"),
        ]
        for (code, word) in words {
            #expect(library.words(Int32(code.rawValue)).contains(word), "\(library.words(Int32(code.rawValue)))")
        }
    }

    @Test(
        "a missing library is named, with the package that has it",
        arguments: [["libcurl.so.99"], ["libm.so.6"], ["libcurl.so.99", "libcurl-gnutls.so.99"]])
    func missing(names: [String]) {
        let error = #expect(throws: HTTPError.self) { try CurlLibrary(names) }
        #expect(error?.code == .libraryMissing)
        #expect(error?.reason.contains(".so.99") == true || error?.reason.contains("curl_") == true)
        #expect(error?.hint?.description.contains("libcurl4") == true)
    }

    @Test("where the first file is absent, the next one is taken")
    func second() throws {
        let library = try CurlLibrary(["libcurl.so.99", "libcurl.so.4"])
        #expect(library.version.split(separator: ".").count == 3)
    }
}
