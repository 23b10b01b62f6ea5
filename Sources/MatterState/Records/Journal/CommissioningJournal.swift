import MatterNetwork

/// The pending nodes of one fabric: `pending/ID.json` in the fabric's folder; and what recognises the setup codes of the
/// complete ones: `commissioned/ID.json`.
public struct CommissioningJournal: Sendable {
    /// Since 2, setup codes are recognised by keyed digests.
    private static let version = 2
    /// How long slow digests of release 0.1.0 may keep a command from its work.
    private static let slowBudget = Duration.milliseconds(250)

    private let state: StateDirectory
    private let fabric: FabricFolder

    /// - Parameter identity: the fabric that has to be there when a node is recorded; `nil` if any will do.
    public init(_ state: StateDirectory, fabric: String, identity: CompressedFabricID? = nil) {
        self.state = state
        self.fabric = FabricFolder(state: state, name: fabric, identity: identity)
    }

    private var folder: String { "\(fabric.path)/pending" }
    private var doneFolder: String { "\(fabric.path)/commissioned" }

    private func record(of id: NodeID) -> String { "\(folder)/\(id).json" }
    private func doneRecord(of id: NodeID) -> String { "\(doneFolder)/\(id).json" }

    private func read(_ file: String) throws -> PendingNode? {
        try state.read(file, version: Self.version).map { try PendingNode(decoding: $0, file) }
    }

    // MARK: What is pending

    package func all() throws -> [PendingNode] {
        let (nodes, faults) = try sound()
        if let fault = faults.first { throw fault }
        return nodes
    }

    /// The pending nodes whose records are sound, and what is wrong with the other records: one that is damaged keeps no
    /// other device from being commissioned.
    ///
    /// - Throws: ``StoreError`` if a file cannot be read or written, ``RecordError`` for a record that is damaged
    ///   or not there.
    public func sound() throws -> (nodes: [PendingNode], faults: [any Error]) {
        var nodes: [PendingNode] = []
        var faults: [any Error] = []
        for file in try state.records(in: folder) {
            do {
                if let node = try read(file) { nodes.append(node) }
            } catch {
                faults.append(Self.withRemedy(error, file))
            }
        }
        return (nodes, faults)
    }

    /// A damaged record costs one attempt, which the device soon forgets.
    private static func withRemedy(_ error: any Error, _ file: String) -> any Error {
        let name = file.split(separator: "/").last?.prefix { $0 != "." } ?? ""
        guard let number = UInt64(name, radix: 16) else { return error }
        let hint = Hint.step("node.forget-attempt", "\(number)")
        switch error {
        case var error as StoreError:
            if error.code == .damaged { error.hint = hint }
            return error
        case var error as RecordError:
            error.hint = hint
            return error
        default:
            return error
        }
    }

    package func node(_ id: NodeID) throws -> PendingNode? { try read(record(of: id)) }

    /// True if there is a pending node of that id, be its record damaged.
    package func has(_ id: NodeID) throws -> Bool {
        do {
            return try node(id) != nil
        } catch let error where RecordError.isFault(of: error) {
            return true
        }
    }

    /// The pending node that a user means, by id or name.
    ///
    /// - Throws: ``StoreError`` if a file cannot be read or written, ``RecordError`` for a record that is damaged
    ///   or not there.
    public func find(_ text: String) throws -> PendingNode? {
        if let number = NameRule.parseNumber(text) { return try node(NodeID(number)) }
        return try sound().nodes.first { $0.name == text }
    }

    /// The nodes that were being commissioned with this setup code when something went wrong.
    package func pending(_ code: SetupCode) throws -> [PendingNode] {
        let secret = try? secret()
        return try sound().nodes.filter {
            $0.matches(code, secret: secret)
        }
    }

    /// Durable when it returns.
    ///
    /// - Throws: also `RecordError` if the fabric was removed meanwhile.
    package func record(_ node: PendingNode) throws {
        try fabric.check()
        try state.write(record(of: node.nodeID), node.encoded(), version: Self.version)
    }

    package func remove(_ id: NodeID) throws {
        try state.delete(record(of: id))
    }

    // MARK: What is done

    /// The node is commissioned. What recognises its setup code is kept, so that the same code is understood when it is
    /// used again.
    package func complete(_ node: PendingNode) throws {
        try fabric.check()
        // If it is lost, a code that is used again gets a worse answer.
        try state.write(
            doneRecord(of: node.nodeID), node.encoded(), version: Self.version, durability: .relaxed)
        try remove(node.nodeID)
    }

    /// The complete nodes that were commissioned with this setup code. A damaged record only costs a better answer to a
    /// code that is used again; so does one of release 0.1.0 if there are too many of them.
    package func commissioned(_ code: SetupCode) throws -> [PendingNode] {
        let secret = try? secret()
        let slowEnd = ContinuousClock.now + Self.slowBudget
        var found: [PendingNode] = []
        for file in try state.records(in: doneFolder) {
            guard let node = try? read(file), node.mayHave(code.discriminator),
                !node.fingerprint.isSlow || ContinuousClock.now < slowEnd,
                node.fingerprint.matches(code.passcode, secret: secret)
            else { continue }
            found.append(node)
            if node.fingerprint.isSlow { renew(node, code.passcode) }
        }
        return found
    }

    /// Replaces the digest of release 0.1.0 now that the passcode is known.
    private func renew(_ node: PendingNode, _ passcode: SetupPasscode) {
        guard let fingerprint = try? fingerprint(of: passcode) else { return }
        var renewed = node
        renewed.fingerprint = fingerprint
        // Without a previous copy, which would have the old digest.
        try? state.write(
            doneRecord(of: node.nodeID), renewed.encoded(), version: Self.version, keepingPrevious: false)
    }

    /// True if anything is known of a node here.
    package func knows(_ id: NodeID) throws -> Bool {
        if try has(id) { return true }
        return try state.records(in: doneFolder).contains(doneRecord(of: id))
    }

    /// Forgets all there is of a node. The pending record, by which the node is listed, goes last.
    package func forget(_ id: NodeID) throws {
        try state.delete(doneRecord(of: id))
        try remove(id)
    }

    // MARK: Recognising codes

    private var secretFile: String { "\(fabric.path)/keys/codes" }

    private func secret() throws(StoreError) -> SecretBytes? {
        let secret = try state.withSecret(secretFile) { SecretBytes($0) }
        return secret?.count == SetupFingerprint.secretCount ? secret : nil
    }

    /// The digest that recognises a setup code from now on.
    package func fingerprint(
        of passcode: SetupPasscode, random: any RandomSource = SystemRandom()
    ) throws -> SetupFingerprint {
        try SetupFingerprint(passcode: passcode, secret: try existingSecret() ?? newSecret(random))
    }

    /// A damaged one is as good as none: codes that it recognised are not recognised any more.
    private func existingSecret() throws(StoreError) -> SecretBytes? {
        do {
            return try secret()
        } catch let error where error.code == .damaged {
            return nil
        }
    }

    private func newSecret(_ random: any RandomSource) throws -> SecretBytes {
        let octets = try random.bytes(SetupFingerprint.secretCount)
        do {
            try state.writeSecret(secretFile, octets, replacing: false)
        } catch {
            guard error.code == .exists else { throw error }
            // Another process was faster, unless it is one that cannot be used.
            if let secret = try existingSecret() { return secret }
            try state.writeSecret(secretFile, octets)
        }
        return SecretBytes(octets)
    }
}
