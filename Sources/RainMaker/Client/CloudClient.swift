package import Logging
package import MatterLedger

/// Calls the cloud for one account: adds the token, renews it before it expires and once after a 401, judges the
/// answers.
package actor CloudClient {
    package nonisolated let account: CloudAccount
    private let store: CloudStore
    private let service: HTTPService
    private let unixTime: @Sendable () -> Int64
    private let logger: Logger
    /// The time for one call with its repetitions.
    private let timeout: Duration
    /// The time for all calls together; `nil` for no limit.
    private let budget: Duration?
    private var deadline: ContinuousClock.Instant?
    private var tokens: CloudTokens?

    package static let standardTimeout = Duration.seconds(30)

    /// - Parameters:
    ///   - timeout: the time for one call with its repetitions.
    ///   - budget: the time for all calls together, from the first one on; `nil` for no limit.
    ///   - deadline: the end of the time for all calls together, if that is known already.
    package init(
        account: CloudAccount, store: CloudStore, service: HTTPService, logger: Logger,
        timeout: Duration = standardTimeout, budget: Duration? = nil, deadline: ContinuousClock.Instant? = nil,
        unixTime: @escaping @Sendable () -> Int64
    ) {
        self.account = account
        self.store = store
        self.service = service
        self.logger = logger
        self.timeout = timeout
        self.budget = budget
        self.deadline = deadline
        self.unixTime = unixTime
    }

    package func close() async { await service.close() }

    /// Lets the time for all calls begin again: the time that a person took to answer a question does not count.
    package func restartBudget() {
        if budget != nil { deadline = nil }
    }

    // MARK: Session

    /// Logs in and stores the tokens.
    package func login(userName: String, password: SecretText) async throws {
        let tokens = try await newSession(userName: userName, password: password)
        var account = account
        account.userName = userName
        try keep(tokens, account)
    }

    /// Begins a session for another party, such as a controller, and stores nothing of it.
    ///
    /// - Returns: its refresh token.
    package func refreshTokenForOther(userName: String, password: SecretText) async throws -> SecretText {
        try await newSession(userName: userName, password: password).refresh
    }

    private func newSession(userName: String, password: SecretText) async throws -> CloudTokens {
        do {
            let object = try await answer(
                to: .login(userName: userName, password: password.revealed), token: nil)
            return try CloudTokens(object, refresh: nil, now: unixTime(), "login")
        } catch var error as RainMakerError {
            if error.code == .unauthorized || error.code == .refused {
                error.code = .loginRefused
                if error.cloudCode == nil { error.hint = "check the user name and the password" }
            }
            throw error
        }
    }

    /// Begins a session with a refresh token from elsewhere: users of social accounts have no password.
    package func login(refreshToken: SecretText) async throws {
        guard CloudTokens.isHeaderValue(refreshToken.revealed) else {
            throw RainMakerError(.invalidInput, "not a refresh token: it is empty or contains blanks")
        }
        let renewed = try await renewed(refreshToken, isLogin: true)
        var account = account
        // With this very token: those in store may be another user's.
        account.userName = try? CloudUser(
            CloudFields(try await answer(to: .user, token: renewed.access), "getUser")
        ).userName
        try keep(renewed, account)
    }

    private func keep(_ tokens: CloudTokens, _ account: CloudAccount) throws {
        self.tokens = tokens
        try store.save(account, tokens)
    }

    /// Ends the session. The tokens here are gone even if the cloud could not be told.
    package func logout(all: Bool) async throws {
        let failure: (any Error)?
        do {
            _ = try await call(.logout(all: all))
            failure = nil
        } catch {
            failure = error
        }
        tokens = nil
        try store.deleteTokens(of: account.profile)
        switch failure {
        case let error as RainMakerError where error.code == .notLoggedIn || error.code == .sessionEnded: break
        case let error?: throw error
        case nil: break
        }
    }

    /// Who is logged in, and until when the access token lasts; `nil` without a session.
    package func session() throws -> (userName: String?, expires: Int64?)? {
        guard let tokens = try current() else { return nil }
        return (account.userName, tokens.expires)
    }

    private func current() throws -> CloudTokens? {
        if let tokens { return tokens }
        tokens = try store.tokens(of: account.profile)
        return tokens
    }

    // MARK: Calls

    /// The body of a successful answer.
    package func call(_ call: CloudCall) async throws -> JSONObject {
        guard call.needsToken else { return try await answer(to: call, token: nil) }
        guard var tokens = try current() else {
            throw RainMakerError(
                .notLoggedIn, "you are not logged in to the cloud (profile '\(account.profile)')",
                hint: .step("cloud.log-in"))
        }
        if tokens.needsRefresh(at: unixTime()) { tokens = try await refresh(tokens) }
        do {
            return try await answer(to: call, token: tokens.access)
        } catch let error as RainMakerError where error.httpStatus == 401 {
            logger.debug("the cloud no longer accepts the access token; renewing it")
            // A call that was answered with 401 has done nothing, so it may be repeated, whatever it is.
            let renewed = try await refresh(tokens)
            return try await answer(to: call, token: renewed.access)
        }
    }

    private func answer(to call: CloudCall, token: SecretText?) async throws -> JSONObject {
        let end = try end(of: call)
        do {
            let response: HTTPResponse
            do {
                response = try await service.send(call.request(token: token?.revealed), deadline: end)
            } catch let error as HTTPError {
                throw RainMakerError(error)
            }
            return try CloudAnswer.body(of: response, to: call)
        } catch let error as RainMakerError {
            guard let doubt = call.doubt else { throw error }
            throw error.leaving(doubt)
        }
    }

    /// When a call has to be over: its own time, and that for all calls together.
    private func end(of call: CloudCall) throws -> ContinuousClock.Instant {
        if deadline == nil, let budget { deadline = .now + budget }
        let end = ContinuousClock.now + timeout
        guard let deadline else { return end }
        guard deadline > .now else {
            throw RainMakerError(
                .connection, "the command timed out before the call '\(call.operation)'",
                hint: .step("cloud.more-time"), transport: .timedOut)
        }
        return min(end, deadline)
    }

    /// Renews the access token, unless another process has just done so.
    private func refresh(_ stale: CloudTokens) async throws -> CloudTokens {
        // Held for one exchange, so that many processes do not all renew at once.
        try await store.state.withLock(CloudStore.lock(account.profile), timeout: timeout) {
            try await refreshLocked(stale)
        }
    }

    private func refreshLocked(_ stale: CloudTokens) async throws -> CloudTokens {
        if let stored = try store.tokens(of: account.profile), stored != stale, !stored.needsRefresh(at: unixTime()) {
            tokens = stored
            return stored
        }
        let renewed: CloudTokens
        do {
            renewed = try await self.renewed(stale.refresh, isLogin: false)
        } catch let error as RainMakerError where error.code == .sessionEnded {
            tokens = nil
            try store.deleteTokens(of: account.profile)
            throw error
        }
        tokens = renewed
        try store.save(renewed, of: account.profile)
        return renewed
    }

    private func renewed(_ refresh: SecretText, isLogin: Bool) async throws -> CloudTokens {
        do {
            let object = try await answer(to: .refresh(token: refresh.revealed), token: nil)
            return try CloudTokens(object, refresh: refresh, now: unixTime(), "refresh")
        } catch var error as RainMakerError {
            let isOver = error.cloudFacts?.endsSession ?? false
            guard isOver || error.httpStatus == 401 else { throw error }
            error.code = isLogin ? .loginRefused : .sessionEnded
            error.reason =
                isLogin
                ? "the cloud does not accept this refresh token"
                : "the session with the cloud has ended"
            if let code = error.cloudCode { error.reason += " (code \(code): \(error.meaning ?? "unknown"))" }
            error.hint = isLogin ? nil : .step("cloud.log-in-again")
            throw error
        }
    }
}
