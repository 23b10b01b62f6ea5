/// One of the Alliance's two ledgers.
public enum LedgerNet: String, Sendable, CaseIterable {
    /// Production.
    case main
    /// For devices in development: anybody may get an entry.
    case test

    /// Where it is.
    package func url() throws(HTTPError) -> BaseURL {
        switch self {
        case .main: try BaseURL(parsing: "https://on.dcl.csa-iot.org")
        case .test: try BaseURL(parsing: "https://on.test-net.dcl.csa-iot.org")
        }
    }
}
