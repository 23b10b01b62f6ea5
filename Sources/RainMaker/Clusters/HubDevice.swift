import MatterController

/// Hands an account to a controller: the procedures of the Matter Controller cluster (docs/rainmaker.md).
package struct HubDevice: Sendable {
    package static let cluster = RainMakerController.id
    package static let name = "MatterController"
    /// The time of a controller for a command: it talks to the cloud meanwhile.
    package static let processing = Duration.seconds(40)
    /// The longest URL that controllers can store, bytes.
    static let longestURL = 63

    private typealias Attribute = RainMakerController.Attribute
    private typealias Command = RainMakerController.Command

    /// The size of a part in one message, in bytes.
    static let longestPart = 900

    private let device: CustomCluster

    /// - Parameter device: the cluster ``cluster``.
    package init(_ device: CustomCluster) { self.device = device }

    /// The cluster's attributes without the token.
    package struct Status: Sendable, Equatable {
        package var isTokenVerified: Bool
        package var isAuthorized: Bool
        package var isNOCInstalled: Bool
        package var url: String
        package var groupID: String
        package var fabricIndex: UInt8
    }

    package func status() async throws -> Status {
        let values = try await device.read([
            Attribute.refreshTokenVerified, Attribute.authorized, Attribute.userNOCInstalled, Attribute.endpointURL,
            Attribute.rainmakerGroupId, Attribute.userNOCFabricIndex,
        ])
        return Status(
            isTokenVerified: values[Attribute.refreshTokenVerified]?.boolean ?? false,
            isAuthorized: values[Attribute.authorized]?.boolean ?? false,
            isNOCInstalled: values[Attribute.userNOCInstalled]?.boolean ?? false,
            url: values[Attribute.endpointURL]?.text ?? "", groupID: values[Attribute.rainmakerGroupId]?.text ?? "",
            fabricIndex: values[Attribute.userNOCFabricIndex]?.integer() ?? 0)
    }

    /// The refresh token that the controller holds; `nil` if it does not show it, or has none.
    ///
    /// - Throws: ``ControllerError`` also if the token fits no message: text is not sent in parts, as lists are.
    package func token() async throws -> SecretText? {
        do {
            let text = try await device.read([Attribute.refreshToken])[Attribute.refreshToken]?.text ?? ""
            return text.isEmpty ? nil : SecretText(text)
        } catch let error as ControllerError where error.status?.status == .resourceExhausted {
            throw Self.tooLong(error.status)
        } catch let error as InteractionError where error.status == .resourceExhausted {
            throw Self.tooLong(StatusIB(.resourceExhausted))
        }
    }

    private static func tooLong(_ status: StatusIB?) -> ControllerError {
        ControllerError(
            .status, "the refresh token is too long for a message, and cannot be read",
            hint: .step("controller.long-token"), status: status)
    }

    // MARK: Single steps

    package func resetToken() async throws {
        try await device.invoke(RainMakerController.ResetRefreshToken(), .absolute)
    }

    /// Gives the controller a token in the place of the one that it has, in as many parts as it takes.
    package func setToken(_ token: SecretText) async throws {
        let parts = try Self.parts(of: token)
        do {
            try await replaceToken(parts)
        } catch let error as ControllerError where error.code == .outcomeUnknown {
            // A part that may have been appended would be doubled: from the beginning.
            try await replaceToken(parts)
        }
    }

    private func replaceToken(_ parts: [SecretText]) async throws {
        try await resetToken()
        for part in parts {
            try await device.invoke(
                RainMakerController.AppendRefreshToken(refreshToken: part.revealed), .atMostOnce)
        }
    }

    /// A token in parts that fit messages, cut between characters.
    static func parts(of token: SecretText) throws -> [SecretText] {
        guard CloudTokens.isHeaderValue(token.revealed), token.count <= CloudTokens.longestRefreshToken else {
            throw RainMakerError(
                .invalidInput,
                "a controller cannot store this refresh token: it is empty, has blanks, or has more than "
                    + "\(CloudTokens.longestRefreshToken) bytes")
        }
        // Printable ASCII, so that every byte is a character.
        let octets = Array(token.revealed.utf8)
        return stride(from: 0, to: octets.count, by: longestPart).map { start in
            SecretText(String(decoding: octets[start..<min(start + longestPart, octets.count)], as: UTF8.self))
        }
    }

    /// Lets the controller log in with its token.
    package func authorize(_ url: BaseURL) async throws {
        let text = url.description
        guard text.utf8.count <= Self.longestURL else {
            throw RainMakerError(
                .invalidInput, "a controller stores a URL of at most \(Self.longestURL) bytes: \(text)")
        }
        try await device.invoke(RainMakerController.Authorize(endpointURL: text), .absolute)
        guard try await status().isAuthorized else {
            throw ControllerError(
                .status, "the controller could not log in to \(text)",
                hint: "check the token, and that the controller can reach the cloud", status: nil)
        }
    }

    /// Lets the controller get a certificate with the group's tag. Its key and its certificate change; its node id stays.
    /// Sessions with it end.
    package func updateNOC() async throws {
        try await device.invoke(RainMakerController.UpdateUserNOC(), .absolute)
    }

    /// Says what came of ``updateNOC()``; to be asked on a new session.
    ///
    /// - Parameter groupID: the group whose certificate it should have got; `nil` if that is unknown.
    package func checkNOC(group groupID: String?) async throws -> Status {
        let status = try await status()
        guard status.isNOCInstalled else {
            throw ControllerError(.status, "the controller has not installed the certificate of its user")
        }
        if let groupID, status.groupID != groupID {
            throw ControllerError(
                .status, "the controller joined the group '\(status.groupID)' instead of '\(groupID)'",
                hint: "check whose token it was given")
        }
        return status
    }

    package func updateDeviceList() async throws {
        try await device.invoke(RainMakerController.UpdateDeviceList(), .absolute)
    }
}
