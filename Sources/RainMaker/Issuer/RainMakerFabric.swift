package import MatterState

/// Joins the fabric of a group and keeps our own certificate on it current (docs/rainmaker.md).
package struct RainMakerFabric: Sendable {
    /// Espressif's vendor id, which the apps give as the administrator's.
    package static let vendorID = VendorID(0x131B)

    private let client: CloudClient
    private let state: StateDirectory
    private let random: any RandomSource
    private let time: @Sendable () -> ValidationTime

    package init(
        client: CloudClient, state: StateDirectory, random: any RandomSource = SystemRandom(),
        time: @escaping @Sendable () -> ValidationTime
    ) {
        self.client = client
        self.state = state
        self.random = random
        self.time = time
    }

    /// A fabric with what the cloud said about it just now.
    package struct Joined: Sendable {
        package var record: FabricRecord
        package var membership: RainMakerMembership
        package var fabric: CloudFabric
        package var group: CloudGroup
        /// True if a new certificate was issued.
        package var wasIssued: Bool
    }

    // MARK: Joining

    /// Makes a fabric here of a group in the cloud, which becomes a Matter fabric if it is none.
    package func join(group id: String, name: String, vendorID: VendorID = vendorID) async throws -> Joined {
        let store = FabricStore(state)
        try NameRule.check(name, what: "fabric")
        if try store.fabric(named: name) != nil {
            throw RecordError(
                .fabricExists, "the fabric '\(name)' already exists",
                hint: .step("fabric.name-in-use", name))
        }
        let (group, fabric, fabricID) = try await fabric(of: id)
        let key = try P256PrivateKey.generate(random)
        let credentials = try await issueUserNOC(group, fabric, fabricID, key: key)
        let authority = try CertificateAuthorityMaterial(fabricID: fabricID, root: fabric.root, rootKey: nil)
        let record = try await store.add(
            LocalFabric(authority: authority, credentials: credentials), name: name, vendorID: vendorID,
            issuer: .rainmaker)
        let membership = RainMakerMembership(profile: client.account.profile, group: group, fabric: fabric)
        do {
            try RainMakerStore(state, fabric: name).save(membership)
        } catch {
            // A fabric without its group is of no use.
            try? await store.remove(name)
            throw error
        }
        return Joined(record: record, membership: membership, fabric: fabric, group: group, wasIssued: true)
    }

    /// Reads the group again; issues our certificate again if tag, root or key have changed, or if it has expired.
    ///
    /// - Parameter force: to issue it in any case.
    package func refresh(_ record: FabricRecord, force: Bool = false) async throws -> Joined {
        let store = RainMakerStore(state, fabric: record.name)
        guard let membership = try store.membership() else {
            throw RainMakerError(
                .invalidInput, "the fabric '\(record.name)' does not belong to a RainMaker group",
                hint: .step("cloud.make-fabric", "GROUP"))
        }
        var (group, fabric, fabricID) = try await fabric(of: membership.groupID)
        let fabrics = FabricStore(state)
        let credentials = try fabrics.credentials(of: record)
        // A key that is missing in one answer does not replace the one that works.
        if fabric.lacksIPK {
            fabric.ipk = credentials.ipkEpochKey
            group.fabric = fabric
        }
        let current = RainMakerMembership(profile: membership.profile, group: group, fabric: fabric)
        var joined = Joined(
            record: record, membership: current, fabric: fabric, group: group, wasIssued: false)
        if force || !isCurrent(credentials, group, fabric, fabricID) {
            let renewed = try await issueUserNOC(group, fabric, fabricID, key: credentials.key)
            joined.record = try await fabrics.replaceCredentials(of: record.name, with: renewed)
            joined.wasIssued = true
            // Sessions that are resumed would go on with the old certificate's tags.
            try ResumptionStore(state, fabric: record.name).removeAll()
        }
        if current != membership { try store.save(current) }
        return joined
    }

    private func fabric(of id: String) async throws -> (CloudGroup, CloudFabric, FabricID) {
        let group = try await client.convert(id)
        let (fabric, fabricID) = try group.requireFabric()
        return (group, fabric, fabricID)
    }

    private func isCurrent(
        _ credentials: OperationalCredentials, _ group: CloudGroup, _ fabric: CloudFabric, _ fabricID: FabricID
    ) -> Bool {
        guard credentials.root == fabric.root, credentials.fabric.fabricID == fabricID,
            credentials.ipkEpochKey == fabric.ipk, (try? credentials.validate(at: time())) != nil
        else { return false }
        return Self.carriesTag(credentials.identity.cats, group, fabric)
    }

    // MARK: Our certificate

    /// G5, with every check of the answer before anything is kept.
    private func issueUserNOC(
        _ group: CloudGroup, _ fabric: CloudFabric, _ fabricID: FabricID, key: P256PrivateKey
    ) async throws -> OperationalCredentials {
        let csr = try CertificateSigningRequest(key: key)
        let call = CloudCall.userNOC(group: group.id, csr: csr.pem)
        let answer = try CloudCertificate(
            try await client.call(call), isNode: false, group: group.id, call.operation)
        do {
            // The answer and its certificate have to agree. The id in the list of groups may be another phone's.
            let claimed = answer.nodeID ?? answer.noc.nodeID ?? .unspecified
            let issued = IssuedNOC(noc: answer.noc, icac: nil, nodeID: claimed, receipt: NOCReceipt(rawValue: ""))
            let identity = try issued.validate(csr: csr, root: fabric.root, fabricID: fabricID, at: time())
            guard Self.carriesTag(identity.cats, group, fabric) else {
                throw CredentialsError(
                    .invalidCAT,
                    "it carries the tags [\(identity.cats.map(\.description).joined(separator: " "))], and not "
                        + (group.isPrimary ? "\(fabric.adminCAT)" : "\(fabric.operateCAT)"),
                    certificate: .node)
            }
            return try OperationalCredentials(
                chain: OperationalChain(noc: answer.noc, icac: nil, root: fabric.root), key: key,
                ipkEpochKey: fabric.ipk)
        } catch {
            throw RainMakerError(
                .invalidCertificate, "the cloud's user certificate is not valid: \(error)",
                hint: "nothing was stored; try again, and report it to the operator of the cloud")
        }
    }

    /// True if tags are those of the caller's role, in this version or a newer one, which devices accept as well. What a
    /// secondary user's certificate carries is not certain (docs/rainmaker.md), so that of an administrator will do for him
    /// too. A primary user needs the admin tag: it is all that new devices admit, so that without it a commissioning could
    /// not be completed.
    private static func carriesTag(
        _ tags: [CASEAuthenticatedTag], _ group: CloudGroup, _ fabric: CloudFabric
    ) -> Bool {
        tags.contains { tag in
            tag.satisfies(fabric.adminCAT) || !group.isPrimary && tag.satisfies(fabric.operateCAT)
        }
    }
}
