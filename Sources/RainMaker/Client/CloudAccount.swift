package import MatterLedger

/// A service and the user who is logged in there.
package struct CloudAccount: Sendable, Equatable {
    package var profile: String
    package var url: BaseURL
    package var userName: String?
    /// A PEM file of additional certificate authorities.
    package var authorityFile: String?

    // memberwise: package, userName = nil, authorityFile = nil

    /// The services that need no URL (docs/rainmaker.md).
    package static let wellKnown = [
        "public": "https://api.rainmaker.espressif.com", "china": "https://api2.rainmaker.espressif.com.cn",
    ]
    package static let standardProfile = "public"

    /// A base URL as a user writes it: slashes at the end and the version are superfluous.
    package static func url(parsing text: String) throws(RainMakerError) -> BaseURL {
        do { return try BaseURL(parsing: text).dropping(lastPathComponent: "v1") } catch { throw RainMakerError(error) }
    }
}

/// Accounts and tokens in the state directory: `cloud/PROFILE/account.json` and, as a secret, `cloud/PROFILE/tokens`.
package struct CloudStore: Sendable {
    package let state: StateDirectory
    private static let folder = "cloud"

    package init(_ state: StateDirectory) { self.state = state }

    private static func folder(_ profile: String) -> String {
        "\(folder)/\(StateDirectory.component(for: profile))"
    }

    private static func account(_ profile: String) -> String { folder(profile) + "/account.json" }
    private static func tokens(_ profile: String) -> String { folder(profile) + "/tokens" }

    /// The lock for a change of tokens.
    static func lock(_ profile: String) -> String { tokens(profile) }

    package func account(_ profile: String) throws -> CloudAccount? {
        let file = Self.account(profile)
        guard let contents = try state.read(file) else { return nil }
        guard let object = (try? JSONValue(parsing: contents))?.objectValue, let url = object["url"]?.stringValue else {
            throw RainMakerError(.invalidInput, "\(file) is not the record of an account", hint: "log in again")
        }
        return CloudAccount(
            profile: profile, url: try CloudAccount.url(parsing: url), userName: object["userName"]?.stringValue,
            authorityFile: object["authorityFile"]?.stringValue)
    }

    /// The account to work with: the one of the named profile, else the only one, else that of the public service.
    package func select(_ profile: String?) throws -> CloudAccount {
        let profiles = try profiles()
        let chosen = profile ?? (profiles.count == 1 ? profiles.first : nil) ?? CloudAccount.standardProfile
        guard let account = try account(chosen) else {
            throw RainMakerError(
                .notLoggedIn,
                profiles.isEmpty || profile != nil
                    ? "you are not logged in to the cloud (profile '\(chosen)')"
                    : "there are several cloud profiles: \(profiles.joined(separator: ", "))",
                hint: profiles.isEmpty || profile != nil
                    ? .step("cloud.log-in") : .step("cloud.which-profile"))
        }
        return account
    }

    /// The profiles with an account.
    package func profiles() throws -> [String] {
        try state.folders(in: Self.folder).compactMap { folder in
            folder.split(separator: "/").last.flatMap { PercentEncoding.decode($0) }
        }.filter { try account($0) != nil }
    }

    package func save(_ account: CloudAccount, _ tokens: CloudTokens) throws {
        // Without tokens an account is of no use, so they come first.
        try save(tokens, of: account.profile)
        var object: JSONObject = ["url": .string(account.url.description)]
        object["userName"] = account.userName.map { .string($0) }
        object["authorityFile"] = account.authorityFile.map { .string($0) }
        try state.write(Self.account(account.profile), JSONValue.object(object).utf8())
    }

    func save(_ tokens: CloudTokens, of profile: String) throws {
        try state.writeSecret(Self.tokens(profile), tokens.encoded())
    }

    package func tokens(of profile: String) throws -> CloudTokens? {
        try state.readSecret(Self.tokens(profile)).map { try CloudTokens(decoding: $0) }
    }

    func deleteTokens(of profile: String) throws {
        try state.delete(Self.tokens(profile))
    }
}
