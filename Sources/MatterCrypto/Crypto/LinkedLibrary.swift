// The package trait decides which libcrypto a program gets: ours by default, the system's in programs that opt out.
internal import COpenSSL

#if !StaticCrypto
    import DynamicCrypto
#endif

/// The libcrypto that this program uses.
public enum LinkedLibrary {
    /// The version alone, such as `3.0.22`: the one that runs, not the one of the headers.
    public static var version: String { text(OPENSSL_FULL_VERSION_STRING) }

    /// The name, the version and the day of the release, such as `OpenSSL 3.0.22 27 Jan 2026`.
    public static var description: String { text(OPENSSL_VERSION) }

    /// Whether it is part of the program, so that only a new build of the program brings another version.
    public static var isPartOfProgram: Bool {
        #if StaticCrypto
            true
        #else
            false
        #endif
    }

    private static func text(_ part: Int32) -> String {
        OpenSSL_version(part).map { String(cString: $0) } ?? ""
    }
}
