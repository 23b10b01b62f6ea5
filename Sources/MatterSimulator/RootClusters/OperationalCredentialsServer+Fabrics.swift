import MatterCrypto
import MatterModel

/// Commands that change the table of fabrics.
extension OperationalCredentialsServer {
    private static let largestVendorID: UInt16 = 0xFFF4

    private func answer(
        _ status: NodeOperationalCredentials.NodeOperationalCertStatus, fabricIndex: UInt8? = nil, _ text: String? = nil
    ) -> CommandAnswer {
        .response(
            NodeOperationalCredentials.NOCResponse(
                statusCode: status, fabricIndex: fabricIndex, debugText: text))
    }

    func addTrustedRoot(_ command: CommandCall, _ context: ClusterContext) throws(ClusterFailure) -> CommandAnswer {
        let request: NodeOperationalCredentials.AddTrustedRootCertificate = try command.decoded()
        var failSafe = try armed(context)
        guard failSafe.root == nil, !failSafe.hasNOCCommand else { throw .constraintError }
        do {
            let root = try MatterCertificate(tlv: request.rootCACertificate)
            try OperationalChain.validate(root: root, at: validationTime(context))
            failSafe.root = root
        } catch {
            throw .invalidCommand
        }
        context.node.failSafe = failSafe
        context.touch(NodeOperationalCredentials.Attribute.trustedRootCertificates)
        context.node.reportCommissioning("root-added")
        return .success
    }

    private func validationTime(_ context: ClusterContext) -> ValidationTime {
        context.epochMicroseconds.map { .now(UInt32(clamping: $0 / 1_000_000)) } ?? .none
    }

    func addNOC(_ command: CommandCall, _ context: ClusterContext) throws(ClusterFailure) -> CommandAnswer {
        let request: NodeOperationalCredentials.AddNOC = try command.decoded()
        let (noc, icac, ipk) = (request.nocValue, request.icacValue, request.ipkValue)
        let (subject, vendor) = (request.caseAdminSubject, request.adminVendorId)
        guard (1...MatterCertificate.maximumTLVCount).contains(noc.count),
            icac?.count ?? 0 <= MatterCertificate.maximumTLVCount, ipk.count == GroupKeySet.keyCount,
            (1...Self.largestVendorID).contains(vendor)
        else { throw .invalidCommand }
        var failSafe = try armed(context)
        guard !failSafe.hasNOCCommand else { throw .constraintError }
        guard let pending = failSafe.pendingKey else { return answer(.missingCsr) }
        guard !pending.isForUpdate else { throw .constraintError }
        guard let root = failSafe.root else { return answer(.invalidNOC, "no root certificate was added") }
        guard isSubject(subject) else { return answer(.invalidAdminSubject) }
        let epochKey = SecretBytes(ipk)
        let operational: OperationalCredentials
        do throws(CredentialsError) {
            operational = try credentials(noc, icac, root, pending.key, epochKey, context)
        } catch {
            return answer(.init(refusing: error), error.reason)
        }
        let node = context.node
        guard node.fabrics.fabric(operational.fabric) == nil else { return answer(.fabricConflict) }
        guard node.fabrics.count < node.configuration.limits.fabrics, !node.configuration.faults.hasFullFabricTable,
            let index = node.fabrics.takeIndex()
        else { return answer(.tableFull) }
        let entry = AccessControlEntry(.administer, .case, subjects: [subject])
        node.fabrics[index] = FabricEntry(
            index: index, operational: operational, vendorID: vendor, access: [entry],
            keySets: [GroupKeySet(id: GroupKeySet.identityProtection, keys: [.init(key: epochKey, start: 0)])])
        failSafe.changedFabric = index
        failSafe.fabricIndex = index
        node.failSafe = failSafe
        if context.caller.isPASE, let session = context.caller.session {
            node.effects.append(.adoptFabric(session, index))
        }
        node.fabricsChanged()
        if let access = context.sibling(AccessControl.id) {
            AccessControlServer.logChanges(from: [], to: [entry], fabric: index, access)
        }
        node.reportCommissioning(
            "noc-added",
            [
                ("fabricIndex", .uint(UInt64(index))), ("fabricId", .uint(operational.fabric.fabricID.rawValue)),
                ("nodeId", .uint(operational.nodeID.rawValue)),
            ])
        return answer(.ok, fabricIndex: index)
    }

    private func isSubject(_ subject: UInt64) -> Bool {
        switch NodeID(subject).kind {
        case .operational: true
        case .caseAuthenticatedTag(let tag): tag.isValid
        default: false
        }
    }

    private func credentials(
        _ noc: [UInt8], _ icac: [UInt8]?, _ root: MatterCertificate, _ key: P256PrivateKey, _ ipk: SecretBytes,
        _ context: ClusterContext
    ) throws(CredentialsError) -> OperationalCredentials {
        let chain = try OperationalChain(noc: noc, icac: icac, root: root)
        _ = try chain.validate(at: validationTime(context), requiring: .server)
        return try OperationalCredentials(chain: chain, key: key, ipkEpochKey: ipk)
    }

    func updateNOC(_ command: CommandCall, _ context: ClusterContext) throws(ClusterFailure) -> CommandAnswer {
        let request: NodeOperationalCredentials.UpdateNOC = try command.decoded()
        let (noc, icac) = (request.nocValue, request.icacValue)
        guard (1...MatterCertificate.maximumTLVCount).contains(noc.count),
            icac?.count ?? 0 <= MatterCertificate.maximumTLVCount
        else { throw .invalidCommand }
        var failSafe = try armed(context)
        guard !failSafe.hasNOCCommand, failSafe.root == nil else { throw .constraintError }
        guard let pending = failSafe.pendingKey else { return answer(.missingCsr) }
        guard pending.isForUpdate else { throw .constraintError }
        let node = context.node
        guard var fabric = node.fabrics[context.caller.fabricIndex], !context.caller.isPASE else {
            throw .unsupportedAccess
        }
        let old = fabric
        do throws(CredentialsError) {
            let updated = try credentials(
                noc, icac, fabric.operational.root, pending.key, fabric.operational.ipkEpochKey, context)
            guard updated.fabric == fabric.operational.fabric else {
                return answer(.invalidNOC, "the certificate is for another fabric")
            }
            fabric.operational = updated
        } catch {
            return answer(.init(refusing: error), error.reason)
        }
        node.fabrics[fabric.index] = fabric
        failSafe.changedFabric = fabric.index
        failSafe.replacedFabric = old
        node.failSafe = failSafe
        node.effects.append(.closeSessions(fabric: fabric.index, except: context.caller.session))
        node.effects.append(.forgetResumptions(fabric: fabric.index))
        node.fabricsChanged()
        node.reportCommissioning("noc-updated", [("fabricIndex", .uint(UInt64(fabric.index)))])
        return answer(.ok, fabricIndex: fabric.index)
    }

    func updateLabel(_ command: CommandCall, _ context: ClusterContext) throws(ClusterFailure) -> CommandAnswer {
        let label = try command.decoded(as: NodeOperationalCredentials.UpdateFabricLabel.self).label
        let node = context.node
        let index = context.caller.fabricIndex
        guard label.isEmpty || !node.fabrics.all.contains(where: { $0.index != index && $0.label == label }) else {
            return answer(.labelConflict)
        }
        guard node.fabrics[index] != nil else { return answer(.invalidFabricIndex) }
        node.fabrics[index]?.label = label
        context.touch(NodeOperationalCredentials.Attribute.fabrics)
        node.unsaved.insert(.fabrics)
        return answer(.ok, fabricIndex: index)
    }

    func removeFabric(_ command: CommandCall, _ context: ClusterContext) throws(ClusterFailure) -> CommandAnswer {
        let index = try command.decoded(as: NodeOperationalCredentials.RemoveFabric.self).fabricIndex
        guard (1...254).contains(index) else { throw .constraintError }
        let node = context.node
        guard node.fabrics[index] != nil else { return answer(.invalidFabricIndex) }
        node.emit(
            BasicInformation.Leave.id, BasicInformation.Leave(fabricIndex: index).tlv.members ?? [], endpoint: 0,
            cluster: BasicInformation.id)
        if node.failSafe?.changedFabric == index {
            node.failSafe?.changedFabric = nil
            node.failSafe?.replacedFabric = nil
        }
        if context.caller.fabricIndex == index, let session = context.caller.session {
            node.removeFabric(index, keeping: session)
            node.effects.append(.closeSession(session))
        } else {
            node.removeFabric(index, keeping: nil)
        }
        return answer(.ok, fabricIndex: index)
    }

    // MARK: Vendor id verification

    private static let statementCount = 85
    private static let challengeCount = 32
    private static let bindingVersion: UInt8 = 1

    func setStatement(_ command: CommandCall, _ context: ClusterContext) throws(ClusterFailure) -> CommandAnswer {
        let request: NodeOperationalCredentials.SetVIDVerificationStatement = try command.decoded()
        let (vendor, statement, vvsc) = (request.vendorID, request.vidVerificationStatement, request.vvsc)
        guard vendor != nil || statement != nil || vvsc != nil else { throw .invalidCommand }
        if let vendor, !(1...Self.largestVendorID).contains(vendor) { throw .constraintError }
        if let statement, statement.count != 0, statement.count != Self.statementCount { throw .constraintError }
        if let vvsc, vvsc.count > MatterCertificate.maximumTLVCount { throw .constraintError }
        let node = context.node
        guard var fabric = node.fabrics[context.caller.fabricIndex] else { throw .unsupportedAccess }
        guard vvsc?.isEmpty ?? true || fabric.operational.icac == nil else { throw .invalidCommand }
        if let vendor { fabric.vendorID = vendor }
        if let statement { fabric.vidVerificationStatement = statement.isEmpty ? nil : statement }
        if let vvsc { fabric.vvsc = vvsc.isEmpty ? nil : vvsc }
        node.fabrics[fabric.index] = fabric
        context.touch(NodeOperationalCredentials.Attribute.nocs)
        context.touch(NodeOperationalCredentials.Attribute.fabrics)
        node.unsaved.insert(.fabrics)
        return .success
    }

    func signVIDVerification(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        let request: NodeOperationalCredentials.SignVIDVerificationRequest = try command.decoded()
        let (index, challenge) = (request.fabricIndex, request.clientChallenge)
        guard challenge.count == Self.challengeCount, let fabric = context.node.fabrics[index] else {
            throw .constraintError
        }
        guard let attestationChallenge = context.caller.attestationChallenge?.copyBytes() else {
            throw .unsupportedAccess
        }
        let operational = fabric.operational
        func bigEndian<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
            withUnsafeBytes(of: number.bigEndian) { Array($0) }
        }
        let binding =
            [Self.bindingVersion] + operational.root.publicKey.x963
            + bigEndian(operational.fabric.fabricID.rawValue) + bigEndian(fabric.vendorID)
        let message =
            [Self.bindingVersion] + challenge + attestationChallenge + [index] + binding
            + (fabric.vidVerificationStatement ?? [])
        guard let signature = try? operational.key.sign(message) else { throw .failure }
        return .response(
            NodeOperationalCredentials.SignVIDVerificationResponse(
                fabricIndex: index, fabricBindingVersion: Self.bindingVersion, signature: signature))
    }
}
