package import MatterState

/// A RainMaker-style cloud for one machine: answers requests, keeps its state in a directory, misbehaves when told to.
package actor Emulator {
    package struct Options: Sendable {
        /// How long access tokens last, seconds.
        package var tokenLife: Int64 = 3600
        /// How long a certificate waits for its confirmation, seconds.
        package var requestLife: Int64 = 600
        /// True if devices that are not registered are believed.
        package var acceptsUnknownDevices = false
        /// True if each key of a user gets its own node id, so that two phones have two. The lists show another id.
        package var userIDPerKey = false
        /// True if node ids are written in lower case. Devices have to sign them so.
        package var writesLowerCaseIDs = false
        /// True if an object of metadata replaces the one that was there. Otherwise they are merged on all levels.
        package var replacesMetadata = false
        package var random: any RandomSource = SystemRandom()
        /// Seconds since 1970.
        package var unixTime: @Sendable () -> Int64
        /// Told what a person at the console should know, such as verification codes.
        package var notice: @Sendable (String) -> Void = { _ in }

        package init(unixTime: @escaping @Sendable () -> Int64) { self.unixTime = unixTime }
    }

    let options: Options
    private let directory: StateDirectory
    var state: EmulatorState
    private var faults: [EmulatorFault]
    /// How many pages were named that are not there.
    private var inventedPages = 0
    /// The faults that act on the call under way.
    var acting: [EmulatorFault] = []

    private static let record = "emulator.json"
    private static let passwordIterations = 10_000

    /// Opens the state in a directory, which may be new.
    package init(_ directory: StateDirectory, _ options: Options, faults: [EmulatorFault] = []) throws {
        self.directory = directory
        self.options = options
        self.faults = faults
        if let contents = try directory.read(Self.record) {
            state = try EmulatorState(decoding: contents)
        } else {
            state = EmulatorState()
            state.tokenKey = Hex.encode(try options.random.bytes(32))
        }
    }

    func save() throws { try directory.write(Self.record, try state.encoded()) }

    func rootKey(of group: String) throws -> P256PrivateKey {
        guard let octets = try directory.readSecret("keys/\(group)") else {
            throw EmulatorFailure(500, nil, "The key of the group's certificate authority is missing")
        }
        return try P256PrivateKey(scalar: SecretBytes(octets))
    }

    func keep(rootKey: P256PrivateKey, of group: String) throws {
        try directory.writeSecret("keys/\(group)", rootKey.scalar.copyBytes())
    }

    func forgetRootKey(of group: String) throws { try directory.delete("keys/\(group)") }

    // MARK: Setting up

    /// Adds a user, or gives him another password.
    package func addUser(_ name: String, password: String) throws {
        var user = try newUser(name, password: password)
        if let index = state.users.firstIndex(where: { $0.name == name }) {
            user.id = state.users[index].id
            state.users[index] = user
        } else {
            state.users.append(user)
        }
        try save()
    }

    func newUser(_ name: String, password: String) throws -> EmulatorState.User {
        let salt = try options.random.bytes(16)
        return EmulatorState.User(
            id: try randomName(22), name: name, salt: Hex.encode(salt), digest: try digest(password, salt: salt))
    }

    func digest(_ password: String, salt: [UInt8]) throws -> String {
        Hex.encode(
            try PBKDF2.sha256(
                password: SecretBytes(Array(password.utf8)), salt: salt, iterations: Self.passwordIterations, count: 32
            ).copyBytes())
    }

    /// Registers a RainMaker device: the key of the certificate that signs its answers to challenges.
    package func register(device nodeID: String, key: P256PublicKey) throws {
        state.devices[nodeID] = Hex.encode(key.x963)
        try save()
    }

    func inject(_ fault: EmulatorFault) { faults.append(fault) }

    func clearFaults() { faults = [] }

    // MARK: Answering

    package func respond(to request: EmulatorRequest) async -> EmulatorResponse {
        let body = try? JSONValue(parsing: request.body, limits: JSONLimits(depth: 32, values: 50_000)).objectValue
        guard let operation = EmulatorOperation(request, body: body) else {
            return Self.failure(
                request.isOtherVersion
                    ? EmulatorFailure(400, 100_002, "API version not supported")
                    : EmulatorFailure(400, nil, "Unknown path or method"))
        }
        acting = []
        for index in faults.indices where faults[index].act(on: operation) { acting.append(faults[index]) }
        let acting = acting
        if let milliseconds = acting.first(where: { $0.kind == .slow })?.number {
            try? await Task.sleep(for: .milliseconds(milliseconds))
            // Other calls may have been answered meanwhile.
            self.acting = acting
        }
        if acting.contains(where: { $0.kind == .unauthorized }) { return Self.unauthorized }
        if acting.contains(where: { $0.kind == .denied }) { return Self.denied }
        if let status = acting.first(where: { $0.kind == .status })?.number {
            return misshaped(Self.failure(EmulatorFailure(status, nil, "A fault was asked for")), acting)
        }
        if let code = acting.first(where: { $0.kind == .errorCode })?.number {
            return misshaped(Self.failure(EmulatorFailure(400, code, "A fault was asked for")), acting)
        }
        let response = perform(operation, request, body)
        if operation == .setNodeParams, response.status == 200, let node = request.text("node_id"), let body {
            await runController(node, body)
            self.acting = acting
        }
        if let status = acting.first(where: { $0.kind == .lateStatus })?.number {
            return Self.failure(EmulatorFailure(status, nil, "A fault was asked for"))
        }
        return misshaped(response, acting)
    }

    private func perform(
        _ operation: EmulatorOperation, _ request: EmulatorRequest, _ body: JSONObject?
    ) -> EmulatorResponse {
        do {
            let call = try EmulatorCall(request: request, body: body, user: user(of: request, operation))
            return try perform(operation, call)
        } catch let failure as EmulatorFailure {
            if failure.status == 401, failure.code == nil { return Self.unauthorized }
            return Self.failure(failure)
        } catch {
            options.notice("defect: \(error)")
            return Self.failure(EmulatorFailure(500, nil, "Internal error"))
        }
    }

    private func user(of request: EmulatorRequest, _ operation: EmulatorOperation) throws -> EmulatorState.User? {
        guard operation.needsToken else { return nil }
        let tokens = EmulatorTokens(key: SecretBytes(try Hex.decode(state.tokenKey)))
        // The token stands bare; with a scheme it is refused, as the real service does.
        guard let token = request.token, let found = tokens.verify(token, now: options.unixTime()),
            state.sessions.contains(where: { $0.id == found.session }),
            let user = state.users.first(where: { $0.id == found.user })
        else { throw EmulatorFailure(401, nil, "Unauthorized") }
        return user
    }

    private func perform(_ operation: EmulatorOperation, _ call: EmulatorCall) throws -> EmulatorResponse {
        switch operation {
        case .apiVersions: EmulatorResponse(200, ["supported_versions": ["v1"], "additional_info": []])
        case .login: try login(call)
        case .refresh: try refresh(call)
        case .logout: try logout(call)
        case .getUser: try getUser(call)
        case .createUser: try createUser(call)
        case .confirmUser: try confirmUser(call)
        case .changePassword: try changePassword(call)
        case .forgotPassword: try forgotPassword(call)
        case .deleteUser: try deleteUser(call)
        case .getNodeGroups: try getNodeGroups(call)
        case .createGroup: try createGroup(call)
        case .convert: try convert(call)
        case .userNoc: try issue(.user, call)
        case .nodeNoc: try issue(.node, call)
        case .controllerNoc: try issue(.controller, call)
        case .confirm: try confirm(call)
        case .updateGroup: try updateGroup(call)
        case .deleteGroup: try deleteGroup(call)
        case .registerController: try registerController(call)
        case .subscribeController: try subscribeController(call)
        case .getNodes: try getNodes(call)
        case .updateNode: try updateNode(call)
        case .changeNodeMapping: try changeNodeMapping(call)
        case .getNodeStatus: try getNodeStatus(call)
        case .getNodeParams: try getNodeParams(call)
        case .setNodeParams: try setNodeParams(call)
        case .getNodeConfig: try getNodeConfig(call)
        case .getGroupSharing: try getGroupSharing(call)
        case .shareGroup: try shareGroup(call)
        case .revokeGroupSharing: try revokeGroupSharing(call)
        case .getGroupSharingRequests: try getGroupSharingRequests(call)
        case .answerGroupSharingRequest: try answerGroupSharingRequest(call)
        case .withdrawGroupSharingRequest: try withdrawGroupSharingRequest(call)
        }
    }

    static func success(_ description: String, _ more: JSONObject = [:], status: Int = 200) -> EmulatorResponse {
        var object: JSONObject = ["status": "success", "description": .string(description)]
        for member in more.members { object[member.key] = member.value }
        return EmulatorResponse(status, object)
    }

    private static func failure(_ failure: EmulatorFailure) -> EmulatorResponse {
        var object: JSONObject = ["status": "failure"]
        object["error_code"] = failure.code.map { .int(Int64($0)) }
        object["description"] = .string(failure.description)
        return EmulatorResponse(failure.status, object)
    }

    /// The gateway in front of the service has a form of its own.
    private static let unauthorized = EmulatorResponse(401, ["message": "Unauthorized"])
    private static let denied = EmulatorResponse(
        403, ["message": "User is not authorized to access this resource with an explicit deny"])

    // MARK: Helpers

    /// Letters and digits that are not mistaken for one another.
    private static let alphabet = Array("23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz")

    func randomName(_ count: Int) throws -> String {
        String(try options.random.bytes(count).map { Self.alphabet[Int($0) % Self.alphabet.count] })
    }

    func randomNodeID() throws -> UInt64 { try NodeID.random(options.random).rawValue }

    /// A node id as this cloud writes it.
    func text(_ id: UInt64) -> String {
        let text = NodeID(id).description
        return options.writesLowerCaseIDs ? text.lowercased() : text
    }

    /// The next page that a fault names, if one does.
    func inventedPage() -> String? {
        if acting.contains(where: { $0.kind == .samePage }) { return "again" }
        guard acting.contains(where: { $0.kind == .endless }) else { return nil }
        inventedPages += 1
        return "page-\(inventedPages)"
    }

    var matterTime: UInt32 { MatterEpoch.seconds(unix: options.unixTime()) ?? 1 }
}

/// One call on its way through the emulator.
struct EmulatorCall {
    let request: EmulatorRequest
    let body: JSONObject?
    /// The caller; `nil` if no login is needed.
    let user: EmulatorState.User?

    var userID: String { user?.id ?? "" }

    func object() throws -> JSONObject {
        guard let body else { throw EmulatorFailure.invalidBody }
        return body
    }

    /// A string of the body that is there and not empty.
    func text(_ key: String, orElse failure: EmulatorFailure = .invalidBody) throws -> String {
        guard let text = try object()[key]?.stringValue, !text.isEmpty else { throw failure }
        return text
    }
}
