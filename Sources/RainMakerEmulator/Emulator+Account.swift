import MatterCrypto

/// Passwords and the end of accounts (docs/rainmaker.md).
extension Emulator {
    private static let weakPassword = EmulatorFailure(400, 101_004, "Password does not meet the requirements")

    func changePassword(_ call: EmulatorCall) throws -> EmulatorResponse {
        let old = try call.text("password", orElse: EmulatorFailure(400, 101_003, "Password is missing"))
        let new = try call.text("newpassword", orElse: EmulatorFailure(400, 101_003, "Password is missing"))
        guard let user = call.user, try isPassword(old, of: user) else {
            throw EmulatorFailure(400, 101_009, "Incorrect user name or password")
        }
        try setPassword(new, of: user.id)
        return Self.success("Password changed")
    }

    /// Two steps: the name alone has a code sent; with the code comes the new password.
    func forgotPassword(_ call: EmulatorCall) throws -> EmulatorResponse {
        let name = try call.text("user_name", orElse: EmulatorFailure(400, 101_001, "User name is missing"))
        guard let index = state.users.firstIndex(where: { $0.name == name }) else {
            throw EmulatorFailure(400, 101_025, "User does not exist")
        }
        guard try call.object()["verification_code"] != nil else {
            let code = try newCode()
            state.users[index].resetCode = code
            try save()
            options.notice("password code for \(name): \(code)")
            return Self.success("Code sent")
        }
        let password = try call.text("password", orElse: EmulatorFailure(400, 101_003, "Password is missing"))
        guard let code = state.users[index].resetCode, code == (try call.text("verification_code")) else {
            throw EmulatorFailure(400, 101_012, "Verification code is incorrect")
        }
        try setPassword(password, of: state.users[index].id)
        return Self.success("Password changed")
    }

    private func setPassword(_ password: String, of id: String) throws {
        guard Self.passwordCounts.contains(password.count) else { throw Self.weakPassword }
        guard let index = state.users.firstIndex(where: { $0.id == id }) else {
            throw EmulatorFailure(400, 101_025, "User does not exist")
        }
        let salt = try options.random.bytes(16)
        state.users[index].salt = Hex.encode(salt)
        state.users[index].digest = try digest(password, salt: salt)
        state.users[index].resetCode = nil
        try save()
    }

    /// Two steps: `request=true` has a code sent; `verification_code` ends the account.
    func deleteUser(_ call: EmulatorCall) throws -> EmulatorResponse {
        guard let index = state.users.firstIndex(where: { $0.id == call.userID }) else {
            throw EmulatorFailure(400, 119_006, "User does not exist")
        }
        if call.request.flag("request") {
            let code = try newCode()
            state.users[index].deletionCode = code
            try save()
            options.notice("deletion code for \(state.users[index].name): \(code)")
            return Self.success("Code sent")
        }
        guard let given = call.request.text("verification_code") else {
            throw EmulatorFailure(400, 119_007, "Verification code is missing")
        }
        guard let code = state.users[index].deletionCode, code == given else {
            throw EmulatorFailure(400, 119_005, "Verification code is incorrect")
        }
        state.users.remove(at: index)
        state.sessions.removeAll { $0.userID == call.userID }
        for group in state.groups.indices {
            guard let member = state.groups[group].members.removeValue(forKey: call.userID) else { continue }
            invalidateTag(of: member, group)
        }
        try save()
        return Self.success("User deleted")
    }

    /// Six digits, as they are mailed.
    func newCode() throws -> String {
        String(100_000 + Int(try options.random.integer(UInt32.self) % 900_000))
    }

    func isPassword(_ password: String, of user: EmulatorState.User) throws -> Bool {
        constantTimeEqual(
            Array(try digest(password, salt: Hex.decode(user.salt)).utf8), Array(user.digest.utf8))
    }
}
