package import MatterLedger

/// The calls for controllers that are told through the cloud (docs/rainmaker.md).
package struct HubsInCloud: Sendable {
    /// How long a controller may take to log in and to get its certificate.
    package static let patience = Duration.seconds(60)

    private let client: CloudClient
    private let pause: Duration

    /// - Parameter pause: the time between two looks at the status of a controller that is being set up.
    package init(_ client: CloudClient, pause: Duration = .seconds(1)) {
        self.client = client
        self.pause = pause
    }

    // MARK: Looking

    /// The controllers that the cloud lists in a group.
    package func list(in group: String) async throws -> [CloudHub] {
        try await client.nodes(group: group).compactMap { CloudHub($0) }
    }

    /// The controller of the account that a user means: by its id in the cloud, by its name there, or by its node id on
    /// the fabric.
    ///
    /// - Returns: `nil` if none is meant.
    /// - Throws: ``RainMakerError``, also if several have the name.
    package func find(_ text: String, fabricID node: NodeID? = nil, in group: String?) async throws -> CloudHub? {
        let nodes = try await client.nodes()
        if let node, let group {
            let member = try await client.group(group).nodes.first { $0.matterNodeID == node }
            if let found = nodes.first(where: { $0.id == member?.nodeID }) { return CloudHub(found) }
        }
        if let found = nodes.first(where: { $0.id == text }) { return CloudHub(found) }
        let named = nodes.filter { $0.name == text }.compactMap { CloudHub($0) }
        guard named.count < 2 else {
            throw RainMakerError(
                .invalidInput,
                "several controllers are called '\(text)': \(named.map(\.nodeID).joined(separator: ", "))",
                hint: "use the id")
        }
        return named.first
    }

    /// The controller as it is now.
    package func refreshed(_ hub: CloudHub) async throws -> CloudHub {
        hub.with(try await client.call(.parameters(of: hub.nodeID)))
    }

    // MARK: Telling

    /// Hands a controller the account and the group, waits until it has its certificate, and makes it read the group's
    /// list of devices.
    ///
    /// - Parameters:
    ///   - token: a refresh token of a session of its own.
    ///   - deadline: the end of the wait.
    /// - Returns: the controller as it is then.
    package func setUp(
        _ hub: CloudHub, group: String, url: BaseURL, token: SecretText, deadline: Instant
    ) async throws -> CloudHub {
        try check(hub, group, token)
        // The apps do it in this order: membership, account, group.
        if hub.wantsSubscription {
            _ = try await client.call(.subscribe(controller: hub.nodeID, to: group))
        }
        try await send(hub.account(url, token), to: hub)
        try await send(hub.group(group), to: hub)
        guard hub.kind != .rainmaker else { return try await refreshed(hub) }
        let ready = try await waitUntilReady(hub, deadline)
        try await send(ready.command(.updateDeviceList), to: ready)
        return ready
    }

    private func check(_ hub: CloudHub, _ group: String, _ token: SecretText) throws {
        guard CloudTokens.isHeaderValue(token.revealed), token.count <= CloudTokens.longestRefreshToken else {
            throw RainMakerError(
                .invalidInput,
                "a controller cannot store this refresh token: it is empty, has blanks, or has more than "
                    + "\(CloudTokens.longestRefreshToken) bytes")
        }
        // It follows one group for life, and a Matter device that of its fabric.
        let known = hub.groupID ?? (hub.isMatterDevice ? hub.listedGroupID : nil)
        if let known, known != group {
            throw RainMakerError(
                .invalidInput, "the controller \(hub.name) belongs to the group '\(known)', and not to '\(group)'",
                hint: "name that group, or reset the controller to factory settings")
        }
    }

    private func waitUntilReady(_ hub: CloudHub, _ deadline: Instant) async throws -> CloudHub {
        while true {
            let now = try await refreshed(hub)
            if now.isReady == true { return now }
            guard !now.hasBadToken else {
                throw RainMakerError(
                    .controllerNotReady, "the controller \(hub.name) could not log in with its token",
                    hint: "check the token, and that the controller can reach the cloud")
            }
            guard .now + pause < deadline else {
                let status = now.status.map { "its status is \($0)" } ?? "it tells no status"
                throw RainMakerError(
                    .controllerNotReady,
                    "the controller \(hub.name) has its account, and has not got a certificate in time: \(status)",
                    hint: "it may still get it; look with: " + .step("controller.show", hub.nodeID))
            }
            try await Task.sleep(for: pause)
        }
    }

    /// Gives a controller a command. The cloud takes it for the controller, which does it soon after.
    ///
    /// - Throws: ``RainMakerError``, also if the cloud knows that the controller is not connected.
    package func tell(_ hub: CloudHub, _ command: CloudHub.Command) async throws {
        guard hub.isConnected != false else {
            throw RainMakerError(
                .controllerNotReady, "the controller \(hub.name) is not connected to the cloud",
                hint: "check its power and its network")
        }
        try await send(hub.command(command), to: hub)
    }

    private func send(_ message: JSONObject, to hub: CloudHub) async throws {
        guard !message.members.isEmpty else { return }
        _ = try await client.call(.setParameters(of: hub.nodeID, message))
    }
}
