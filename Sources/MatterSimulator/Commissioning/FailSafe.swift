import MatterNetwork

/// An armed fail-safe: what has been done under it and how to undo it (Matter core specification 11.10.7.2).
struct FailSafe: Sendable {
    /// The fabric of the administrator that armed it, or that was added under it; 0 during PASE before AddNOC.
    var fabricIndex: UInt8
    var deadline: Instant
    /// No extension goes beyond this.
    let latestDeadline: Instant
    /// The root of AddTrustedRootCertificate.
    var root: MatterCertificate?
    /// The key of the last CSRRequest.
    var pendingKey: (key: P256PrivateKey, isForUpdate: Bool)?
    /// The fabric that AddNOC added or UpdateNOC changed.
    var changedFabric: UInt8?
    /// The state of that fabric before UpdateNOC; `nil` if it was not there.
    var replacedFabric: FabricEntry?
    /// The changes that clusters of the root endpoint take back on expiry, by cluster.
    var savedStates: [ClusterID: TLVValue] = [:]

    var hasNOCCommand: Bool { changedFabric != nil }
}

/// Asks a cluster of the root endpoint to go back to the state it had when the fail-safe was armed.
struct RollBack: ClusterSignal {
    var state: TLVValue
}

extension SimulatedNode {
    /// Arms the fail-safe, or sets its new end.
    func armFailSafe(seconds: UInt16, fabricIndex: UInt8) {
        let asked = configuration.faults.failSafe.map { min($0, seconds) } ?? seconds
        let deadline = moment.instant + .seconds(Int64(asked))
        if var armed = failSafe {
            // The new time counts from now, be it longer or shorter; the whole has its limit.
            armed.deadline = min(deadline, armed.latestDeadline)
            failSafe = armed
        } else {
            let latest = moment.instant + .seconds(Int64(configuration.limits.cumulativeFailSafe))
            var armed = FailSafe(fabricIndex: fabricIndex, deadline: deadline, latestDeadline: latest)
            for cluster in [NetworkCommissioning.id, GeneralCommissioning.id] {
                armed.savedStates[cluster] = entry(0, cluster)?.server?.savedState
            }
            failSafe = armed
        }
        reportCommissioning("fail-safe-armed", [("seconds", .uint(UInt64(asked)))])
    }

    /// Undoes everything that was done under the fail-safe.
    func expireFailSafe(_ why: String) {
        guard let ended = failSafe else { return }
        failSafe = nil
        reportCommissioning("fail-safe-\(why)")
        if let index = ended.changedFabric {
            if let old = ended.replacedFabric {
                effects.append(.closeSessions(fabric: index, except: nil))
                effects.append(.forgetResumptions(fabric: index))
                fabrics[index] = fabrics[index]?.undoingUpdate(of: old)
                fabricsChanged()
            } else {
                removeFabric(index, keeping: nil)
            }
        }
        for (cluster, state) in ended.savedStates {
            enqueue(RollBack(state: state), endpoint: 0, cluster: cluster)
        }
        setBreadcrumb(0)
        effects.append(.closePASESessions)
        unsaved.formUnion([.clusters, .fabrics])
        effects.append(.advertise)
        // The last fabric may have been removed meanwhile.
        if fabrics.isEmpty { openWindowAtBoot() }
    }

    /// Makes everything that was done under the fail-safe permanent.
    func completeFailSafe() {
        failSafe = nil
        setBreadcrumb(0)
        reportCommissioning("complete")
        effects.append(.closePASESessions)
        if window.isOpen { closeWindow("commissioned") }
        unsaved.formUnion([.clusters, .fabrics])
        effects.append(.advertise)
    }

    func setBreadcrumb(_ breadcrumb: UInt64) {
        store(.uint(breadcrumb), 0, GeneralCommissioning.id, 0)
    }

    func reportCommissioning(_ step: String, _ members: [(key: String, value: TLVValue)] = []) {
        report(.commissioning(step: step, members: members.map(ReportMember.init)))
    }

    /// The attributes that follow from the table of fabrics have other values.
    func fabricsChanged() {
        typealias Credentials = NodeOperationalCredentials.Attribute
        for attribute in [
            Credentials.nocs, Credentials.fabrics, Credentials.commissionedFabrics, Credentials.trustedRootCertificates,
        ] {
            changed(0, NodeOperationalCredentials.id, attribute)
        }
        changed(0, AccessControl.id, AccessControl.Attribute.acl)
        unsaved.insert(.fabrics)
        effects.append(.advertise)
    }

    /// Forgets a fabric with all that belongs to it.
    ///
    /// - Parameter session: the session that asked for it; it may still get its answer.
    func removeFabric(_ index: UInt8, keeping session: SessionReference?) {
        guard fabrics[index] != nil else { return }
        fabrics[index] = nil
        events.removeFabric(index)
        subscriptions.removeAll { $0.fabricIndex == index }
        if window.openerFabric == index {
            window.openerFabric = nil
            changed(0, AdministratorCommissioning.id, AdministratorCommissioning.Attribute.adminFabricIndex)
        }
        for number in endpointNumbers {
            for cluster in endpoints[number]?.clusterNumbers ?? [] {
                keepEntries(number, cluster) { $0 != index }
                call(number, cluster, .device) { $0.fabricRemoved(index, $1) }
            }
        }
        changed(0, GroupKeyManagement.id, GroupKeyManagement.Attribute.groupKeyMap)
        changed(0, GroupKeyManagement.id, GroupKeyManagement.Attribute.groupTable)
        effects.append(.closeSessions(fabric: index, except: session))
        effects.append(.forgetResumptions(fabric: index))
        fabricsChanged()
        reportCommissioning("fabric-removed", [("fabricIndex", .uint(UInt64(index)))])
        if fabrics.isEmpty, failSafe == nil { openWindowAtBoot() }
    }

    /// Forgets what clusters have saved of fabrics that are not there any more: a power cut came between an entry and the
    /// completion of its fabric, or between the removal of a fabric and that of its entries.
    func forgetLostFabrics() {
        let lost = (UInt8(1)...254).filter { fabrics[$0] == nil }
        for number in endpointNumbers {
            for cluster in endpoints[number]?.clusterNumbers ?? [] {
                keepEntries(number, cluster) { fabrics[$0] != nil }
                call(number, cluster, .device) { server, context in
                    for index in lost { server.fabricRemoved(index, context) }
                }
            }
        }
    }

    /// Keeps the entries of some fabrics in fabric-scoped lists.
    private func keepEntries(_ endpoint: EndpointID, _ cluster: ClusterID, of isKept: (UInt8) -> Bool) {
        guard let entry = entry(endpoint, cluster) else { return }
        for (attribute, value) in entry.values where entry.model.attributes[attribute]?.isFabricScoped ?? false {
            guard let items = value.items else { continue }
            let kept = items.filter { $0.fabricIndex.map(isKept) ?? true }
            if kept.count < items.count { store(.array(of: kept), endpoint, cluster, attribute) }
        }
    }
}
