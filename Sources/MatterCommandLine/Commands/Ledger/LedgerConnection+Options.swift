import MatterController

extension LedgerConnection {
    static var userAgent: String { "matterctl/\(Version.number)" }

    /// The way that the environment and the options say.
    init(output: OutputOptions) throws {
        var environment: [String: String] = [:]
        for name in Self.variables { environment[name] = Environment.variable(name) }
        self.init(environment: environment, userAgent: Self.userAgent, logger: try output.logger())
    }
}
