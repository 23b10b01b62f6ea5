package import Logging
package import MatterController

extension FabricRecord.Issuer {
    /// A RainMaker cloud; the group lies beside the fabric's record.
    package static let rainmaker = FabricRecord.Issuer(rawValue: "rainmaker")
}

/// RainMaker clouds as issuers of fabrics, for ``Controller/Options/services``.
package struct RainMakerService: IssuerService {
    /// The setting that says when the cloud learns what a device is: a ``RainMakerIssuer/MetadataMode``.
    package static let metadata = "metadata"
    /// The least time for the cloud after devices have used up the time: it has to be told what became of them.
    private static let grace = Duration.seconds(5)

    /// Makes the client of an account, whose calls end at the deadline.
    package typealias MakeClient =
        @Sendable (CloudAccount, StateDirectory, Logger, _ deadline: Instant) throws -> CloudClient

    private let makeClient: MakeClient

    package init(makeClient: @escaping MakeClient) { self.makeClient = makeClient }

    package var issuer: FabricRecord.Issuer { .rainmaker }

    // MARK: Commissioning

    package func begin(
        _ fabric: ServedFabric, deviceName: String?, settings: [String: String]
    ) async throws -> any IssuerWork {
        let options = fabric.context.options
        let mode = try metadataMode(settings[Self.metadata])
        let client = try client(of: try fabric.membership()?.profile, fabric)
        do {
            let cloud = RainMakerFabric(client: client, state: options.state) { fabric.context.validationTime }
            let joined = try await cloud.refresh(fabric.record)
            let issuer = RainMakerIssuer(
                client: client, joined: joined, state: options.state, metadataMode: mode, deviceName: deviceName,
                unixTime: options.unixTime
            ) { node, text in
                try await fabric.device(node).prove(as: text)
            }
            return Work(issuer: issuer, client: client, joined: joined, fabric: fabric)
        } catch {
            await client.close()
            throw error
        }
    }

    private func metadataMode(_ setting: String?) throws(RainMakerError) -> RainMakerIssuer.MetadataMode {
        guard let setting else { return .withConfirm }
        guard let mode = RainMakerIssuer.MetadataMode(rawValue: setting) else {
            throw RainMakerError(.invalidInput, "there is no way '\(setting)' to tell the cloud of a device")
        }
        return mode
    }

    /// - Parameter profile: the account's; `nil` for the one in use.
    private func client(of profile: String?, _ fabric: ServedFabric) throws -> CloudClient {
        let options = fabric.context.options
        return try makeClient(
            try CloudStore(options.state).select(profile), options.state, options.logger,
            max(fabric.deadline, .now + Self.grace))
    }

    private struct Work: IssuerWork {
        let issuer: any NOCIssuer
        let client: CloudClient
        let joined: RainMakerFabric.Joined
        let fabric: ServedFabric

        /// Lets the group's members operate a new device. A device that refuses is none the worse for it.
        func finish(_ node: NodeRecord) async {
            do {
                let own = try fabric.context.credentials().identity
                _ = try await fabric.device(node.nodeID).grant(
                    admin: joined.fabric.adminCAT, operate: joined.fabric.operateCAT, own: own)
            } catch {
                fabric.context.options.warn(
                    "other members of the group cannot operate the device yet: \(error)", nil)
            }
            await DeviceLists(fabric.links, groupID: joined.group.id).update(except: node.nodeID, client)
        }

        func close() async { await client.close() }
    }

    // MARK: Removal

    package func removal(from fabric: ServedFabric) throws -> (any RemovalWork)? {
        try fabric.membership().map { Removal(service: self, fabric: fabric, membership: $0) }
    }

    package func forget(_ node: NodeID, on fabric: ServedFabric) throws {
        try fabric.store.removePending(of: node)
    }

    package func rename(_ node: NodeID, to name: String, on fabric: ServedFabric) async throws {
        let membership = try fabric.membership()
        let client = try client(of: membership?.profile, fabric)
        do {
            let members = try await client.group(membership?.groupID ?? "").nodes
            guard let member = members.first(where: { $0.matterNodeID == node }) else {
                throw RainMakerError(.nothingPending, "the cloud knows no node \(node.rawValue) in the group")
            }
            try await client.rename(member.nodeID, to: name)
            await client.close()
        } catch {
            await client.close()
            throw error
        }
    }

    package func accessHint(on fabric: ServedFabric) throws -> Hint? {
        // Our certificate's tag may be an old one.
        try fabric.membership().map { .step("cloud.sharing-changed", $0.groupID) }
    }

    private struct Removal: RemovalWork {
        let service: RainMakerService
        let fabric: ServedFabric
        let membership: RainMakerMembership

        func prepare(_ node: NodeRecord) throws { try fabric.store.save(removal(of: node)) }

        func cancel(_ node: NodeRecord) { try? fabric.store.removeRemoval(of: node.nodeID) }

        func complete(_ node: NodeRecord) async throws {
            try await tellCloud(removal(of: node))
        }

        func `repeat`(_ text: String) async throws -> Bool {
            let number = NameRule.parseNumber(text).map { NodeID($0) }
            guard let waiting = try fabric.store.allRemovals().first(where: { $0.nodeID == number || $0.name == text })
            else { return false }
            try await tellCloud(waiting)
            return true
        }

        private func removal(of node: NodeRecord) -> PendingRemoval {
            PendingRemoval(nodeID: node.nodeID, name: node.name, since: fabric.context.options.unixTime())
        }

        private func tellCloud(_ removal: PendingRemoval) async throws {
            do {
                let client = try service.client(of: membership.profile, fabric)
                do {
                    try await GroupRemoval(client: client, store: fabric.store, groupID: membership.groupID)
                        .tell(removal)
                    await DeviceLists(fabric.links, groupID: membership.groupID).update(client)
                    await client.close()
                } catch {
                    await client.close()
                    throw error
                }
            } catch let error as RainMakerError where error.nodeID != nil {
                throw error
            } catch let error as CancellationError {
                throw error
            } catch {
                // The cloud was not even asked.
                var failure = error as? RainMakerError ?? RainMakerError(.connection, "\(error)")
                failure.nodeID = removal.nodeID
                failure.reason =
                    "node \(removal.nodeID.rawValue) has left the fabric, but the cloud still lists it: "
                    + failure.reason
                failure.hint =
                    (failure.hint.map { $0 + "; then " } ?? "")
                    + .step("cloud.repeat-removal", "\(removal.nodeID.rawValue)")
                throw failure
            }
        }
    }
}

extension ServedFabric {
    fileprivate var store: RainMakerStore { RainMakerStore(context.options.state, fabric: record.name) }

    fileprivate func membership() throws -> RainMakerMembership? { try store.membership() }

    fileprivate func device(_ id: NodeID) async throws -> RainMakerDevice {
        let node = try context.nodes().node(id) ?? NodeRecord(nodeID: id)
        return RainMakerDevice(link: try await links.link(to: node), node: node, deadline: deadline)
    }
}
