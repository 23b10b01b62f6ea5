import MatterNetwork

/// Subscriptions from the publisher's side.
extension SimulatedNode {
    /// Takes a subscription; it reports nothing by itself before ``subscriptionEstablished(_:)``.
    func subscribe(_ request: SubscribeRequest, caller: Caller) throws(Refusal) -> NewSubscription {
        guard caller.fabricIndex != 0, !caller.isPASE, let peer = caller.nodeID, caller.session != nil else {
            throw Refusal(status: .unsupportedAccess)
        }
        let paths = request.attributePaths.count + request.eventPaths.count
        guard paths > 0, request.minIntervalFloor <= request.maxIntervalCeiling,
            request.attributePaths.allSatisfy(\.isReadable)
        else { throw Refusal(status: .invalidAction) }
        if !request.keepsSubscriptions {
            subscriptions.removeAll { $0.fabricIndex == caller.fabricIndex && $0.caller.nodeID == peer }
        }
        guard paths <= configuration.limits.pathsPerSubscription else { throw Refusal(status: .pathsExhausted) }
        guard isMeaningful(request, caller) else { throw Refusal(status: .invalidAction) }
        try makeRoom(for: caller.fabricIndex)
        let nextEvent = events.nextNumber
        let (attributes, events) = try read(
            attributePaths: request.attributePaths, eventPaths: request.eventPaths,
            eventMinimum: request.eventFilters.map(\.minimum).max() ?? 0, isFabricFiltered: request.isFabricFiltered,
            filters: request.dataVersionFilters, caller: caller)
        var id = randomWord()
        while subscriptions.contains(where: { $0.id == id }) { id &+= 1 }
        let maxInterval = max(request.maxIntervalCeiling, 1)
        subscriptions.append(
            PublishedSubscription(
                id: id, caller: caller, request: request, maxIntervalSeconds: maxInterval, nextEvent: nextEvent,
                now: moment.instant))
        return NewSubscription(
            response: SubscribeResponse(subscriptionID: id, maxInterval: maxInterval), attributes: attributes,
            events: events)
    }

    /// True if at least one path leads to something that the subscriber may see.
    private func isMeaningful(_ request: SubscribeRequest, _ caller: Caller) -> Bool {
        if request.attributePaths.contains(where: { !expand($0, caller).isEmpty }) { return true }
        return request.eventPaths.contains { path in
            endpointNumbers.contains { number in
                guard (path.endpoint ?? number) == number, let endpoint = endpoints[number] else { return false }
                return endpoint.clusterNumbers.contains { cluster in
                    guard (path.cluster ?? cluster) == cluster, let model = endpoint.clusters[cluster]?.model else {
                        return false
                    }
                    return model.events.values.contains {
                        (path.event ?? $0.id) == $0.id && allows(caller, $0.readPrivilege, number, cluster)
                    }
                }
            }
        }
    }

    /// Every fabric has its share; who uses more gives way to who has less.
    private func makeRoom(for fabric: UInt8) throws(Refusal) {
        guard subscriptions.count >= configuration.limits.subscriptions else { return }
        let share = configuration.limits.subscriptionsPerFabric
        func count(_ fabric: UInt8) -> Int { subscriptions.count { $0.fabricIndex == fabric } }
        guard count(fabric) < share,
            let victim = subscriptions.firstIndex(where: { count($0.fabricIndex) > share })
        else { throw Refusal(status: .resourceExhausted) }
        subscriptions.remove(at: victim)
    }

    /// The subscriber has everything; from now on changes are reported.
    func subscriptionEstablished(_ id: UInt32, at moment: Moment) {
        self.moment = moment
        guard let index = subscriptions.firstIndex(where: { $0.id == id }) else { return }
        subscriptions[index].isActive = true
        load.subscriptionsEstablished &+= 1
        subscriptions[index].lastReport = moment.instant
    }

    /// The subscription is over: the subscriber said so or does not answer.
    func dropSubscription(_ id: UInt32) { subscriptions.removeAll { $0.id == id } }

    /// The reports that are due, one per subscription.
    func takeDueReports(at moment: Moment) -> [DueReport] {
        self.moment = moment
        var reports: [DueReport] = []
        for index in subscriptions.indices {
            let subscription = subscriptions[index]
            guard let due = subscription.dueAt, due <= moment.instant, let session = subscription.session else {
                continue
            }
            let dirty = subscriptions[index].takeDirty()
            let attributes = dirty.compactMap { path -> AttributeReportIB? in
                guard let definition = entry(path.endpoint, path.cluster)?.model.attributes[path.attribute],
                    allows(subscription.caller, definition.readPrivilege, path.endpoint, path.cluster),
                    let data = data(path, subscription.isFabricFiltered, subscription.caller)
                else { return nil }
                return .data(data)
            }
            let events = readEvents(
                subscription.eventPaths.filter { $0.isWildcard || !isRefused($0, subscription.caller) },
                from: subscription.nextEvent, caller: subscription.caller)
            subscriptions[index].nextEvent = self.events.nextNumber
            subscriptions[index].isReporting = true
            subscriptions[index].lastReport = moment.instant
            reports.append(
                DueReport(subscription: subscription.id, session: session, attributes: attributes, events: events))
        }
        return reports
    }

    /// Refusals were told when the subscription was made; a report brings news only.
    private func isRefused(_ path: EventPath, _ caller: Caller) -> Bool {
        readEvents([path], from: .max, caller: caller).isEmpty == false
    }

    func reportDelivered(_ id: UInt32) {
        guard let index = subscriptions.firstIndex(where: { $0.id == id }) else { return }
        subscriptions[index].isReporting = false
    }

    /// A session is gone: its subscriptions go on over another one of the same peer, or end.
    func sessionEnded(_ session: SessionReference, replacement: SessionReference?) {
        for index in subscriptions.indices where subscriptions[index].caller.session == session {
            subscriptions[index].caller.session = replacement
        }
        if replacement == nil { subscriptions.removeAll { $0.caller.session == nil } }
    }
}
