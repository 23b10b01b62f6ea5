import MatterCrypto

/// Accounts and tokens (docs/rainmaker.md).
extension Emulator {
    static let passwordCounts = 8...256

    func login(_ call: EmulatorCall) throws -> EmulatorResponse {
        let name = try call.text("user_name", orElse: EmulatorFailure(400, 101_001, "User name is missing"))
        let password = try call.text("password", orElse: EmulatorFailure(400, 101_003, "Password is missing"))
        let wrong = EmulatorFailure(400, 101_009, "Incorrect user name or password")
        guard let user = state.users.first(where: { $0.name == name }), try isPassword(password, of: user) else {
            throw wrong
        }
        guard user.verificationCode == nil else {
            throw EmulatorFailure(400, 101_015, "Email address is not verified")
        }
        let refreshToken = try EmulatorTokens.refresh(options.random)
        let session = EmulatorState.Session(
            id: try randomName(16), userID: user.id, refreshDigest: EmulatorTokens.digest(refreshToken))
        state.sessions.append(session)
        try save()
        var tokens = try self.tokens(session)
        tokens["refreshtoken"] = .string(refreshToken)
        return Self.success("Login successful", tokens)
    }

    func refresh(_ call: EmulatorCall) throws -> EmulatorResponse {
        let digest = EmulatorTokens.digest(try call.text("refreshtoken"))
        guard let session = state.sessions.first(where: { $0.refreshDigest == digest }) else {
            throw EmulatorFailure(400, 101_017, "Failed to extend the session")
        }
        return Self.success("Session extended", try tokens(session))
    }

    private func tokens(_ session: EmulatorState.Session) throws -> JSONObject {
        let issuer = EmulatorTokens(key: SecretBytes(try Hex.decode(state.tokenKey)))
        let expires = options.unixTime() + options.tokenLife
        func token(_ use: String) throws -> JSONValue {
            .string(try issuer.access(user: session.userID, session: session.id, expires: expires, use: use))
        }
        return ["idtoken": try token("id"), "accesstoken": try token("access")]
    }

    func logout(_ call: EmulatorCall) throws -> EmulatorResponse {
        let all = call.request.flag("logout_all") || call.body?["logout_all"]?.boolValue == true
        if let value = call.request.text("logout_all"), value != "true", value != "false" {
            throw EmulatorFailure(400, 101_036, "Bad logout_all value")
        }
        let key = EmulatorTokens(key: SecretBytes(try Hex.decode(state.tokenKey)))
        let session = call.request.token.flatMap { key.verify($0, now: options.unixTime()) }?.session
        state.sessions.removeAll { $0.userID == call.userID && (all || $0.id == session) }
        try save()
        return Self.success("Logout successful")
    }

    func getUser(_ call: EmulatorCall) throws -> EmulatorResponse {
        EmulatorResponse(
            200, ["user_id": .string(call.userID), "user_name": .string(call.user?.name ?? ""), "mfa": false])
    }

    func createUser(_ call: EmulatorCall) throws -> EmulatorResponse {
        let name = try call.text("user_name", orElse: EmulatorFailure(400, 101_001, "User name is missing"))
        let password = try call.text("password", orElse: EmulatorFailure(400, 101_003, "Password is missing"))
        guard name.contains("@"), !name.hasPrefix("@"), !name.hasSuffix("@") else {
            throw EmulatorFailure(400, 101_002, "Email address is not well formed")
        }
        guard Self.passwordCounts.contains(password.count) else {
            throw EmulatorFailure(400, 101_004, "Password does not meet the requirements")
        }
        guard !state.users.contains(where: { $0.name == name }) else {
            throw EmulatorFailure(400, 101_006, "Account already exists")
        }
        var user = try newUser(name, password: password)
        let code = try newCode()
        user.verificationCode = code
        state.users.append(user)
        try save()
        options.notice("verification code for \(name): \(code)")
        return Self.success("User created", status: 201)
    }

    func confirmUser(_ call: EmulatorCall) throws -> EmulatorResponse {
        let name = try call.text("user_name", orElse: EmulatorFailure(400, 101_001, "User name is missing"))
        let code = try call.text("verification_code")
        guard let index = state.users.firstIndex(where: { $0.name == name }) else {
            throw EmulatorFailure(400, 101_025, "User does not exist")
        }
        guard let expected = state.users[index].verificationCode else {
            throw EmulatorFailure(400, 101_011, "User is already verified")
        }
        guard code == expected else { throw EmulatorFailure(400, 101_012, "Verification code is incorrect") }
        state.users[index].verificationCode = nil
        try save()
        return Self.success("User confirmed")
    }
}
