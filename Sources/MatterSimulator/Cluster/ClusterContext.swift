package import MatterNetwork

/// A ``ClusterServer``'s view of its node during a call. Do not keep it.
package struct ClusterContext {
    /// The whole node; the clusters of the root endpoint need it, others should not.
    let node: SimulatedNode
    package let endpoint: EndpointID
    package let cluster: ClusterID
    /// Who asked for this; the device itself for timers, signals and input.
    let caller: Caller

    /// An attribute of this cluster, as stored. Setting an equal value changes nothing.
    package subscript(_ attribute: AttributeID) -> TLVValue? {
        get { node.stored(endpoint, cluster, attribute) }
        nonmutating set { node.store(newValue, endpoint, cluster, attribute) }
    }

    /// An attribute of this cluster as a number; `nil` also where it is null.
    package func number<Number: FixedWidthInteger>(
        _ attribute: AttributeID, as type: Number.Type = Number.self
    ) -> Number? {
        self[attribute]?.integer(as: type)
    }

    package func bool(_ attribute: AttributeID) -> Bool { self[attribute]?.boolean ?? false }

    /// Tells subscribers that a computed attribute has another value.
    func touch(_ attribute: AttributeID) { node.changed(endpoint, cluster, attribute) }

    // MARK: Others

    /// Another cluster of this endpoint; `nil` if it is not there.
    func sibling(_ cluster: ClusterID) -> ClusterContext? { self.endpoint(endpoint, cluster: cluster) }

    /// Any cluster of the node.
    package func endpoint(_ endpoint: EndpointID, cluster: ClusterID) -> ClusterContext? {
        guard node.entry(endpoint, cluster) != nil else { return nil }
        return ClusterContext(node: node, endpoint: endpoint, cluster: cluster, caller: caller)
    }

    /// The endpoints of the node, ascending.
    package var endpoints: [EndpointID] { node.endpointNumbers }

    /// Makes a sibling, or with `endpoint` any cluster, act once this call is over.
    package func signal(_ signal: any ClusterSignal, to cluster: ClusterID, endpoint: EndpointID? = nil) {
        node.enqueue(signal, endpoint: endpoint ?? self.endpoint, cluster: cluster)
    }

    // MARK: Time and chance

    /// Monotonic time.
    package var now: Instant { node.moment.instant }
    /// Microseconds since 2000-01-01 UTC, as the device believes; `nil` where it has no clock.
    package var epochMicroseconds: UInt64? { node.epochMicroseconds }
    /// Time since the device started.
    package var uptime: Duration { node.moment.instant - node.startedAt }
    package var random: any RandomSource { node.random }

    /// Calls ``ClusterServer/timerFired(_:_:)`` later; a timer with that name is moved.
    package func schedule(_ timer: String, after delay: Duration) {
        schedule(timer, at: now + delay)
    }

    package func schedule(_ timer: String, at deadline: Instant) {
        node.timers[TimerKey(endpoint: endpoint, cluster: cluster, name: timer)] = deadline
    }

    package func cancel(_ timer: String) {
        node.timers[TimerKey(endpoint: endpoint, cluster: cluster, name: timer)] = nil
    }

    // MARK: Consequences

    /// Logs an event of this cluster; fields with tag 254 name the fabric it belongs to.
    package func emit(event: EventID, _ fields: [TLVElement]) {
        node.emit(event, fields, endpoint: endpoint, cluster: cluster)
    }

    /// Logs an event of this cluster.
    package func emit(_ event: some ClusterEvent) { emit(event: type(of: event).id, event.tlv.members ?? []) }

    /// ``ClusterServer/savedState`` has changed, or what else a command has stored: a command at hand is answered once it is
    /// saved.
    func markUnsaved() { node.unsaved.formUnion([.clusters, .states]) }

    /// Work for the edge of the device.
    package func effect(_ effect: NodeEffect) { node.effects.append(effect) }

    /// The answer to the command at hand is held back for a while.
    func delayAnswer(by delay: Duration) { node.answerDelay = max(node.answerDelay, delay) }

    /// Prints a line: `light-sensor: dark`, with members for the JSON form.
    package func report(_ text: String, _ members: [(key: String, value: TLVValue)] = []) {
        node.report(.note(endpoint: endpoint, cluster: cluster, text: text, members: members.map(ReportMember.init)))
    }
}
