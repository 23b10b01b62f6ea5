import MatterModel

/// Where a device is before and after it has joined its network.
extension SimulatedNode {
    /// Puts the device on its network, or takes it off.
    func setOnNetwork(_ isOnNetwork: Bool) {
        guard isOnNetwork != self.isOnNetwork else { return }
        self.isOnNetwork = isOnNetwork
        effects.append(.advertise)
        effects.append(.radio(isAway: !isOnNetwork && configuration.onboarding == .elsewhere))
    }

    /// Turns the radio away from everyone while it changes over.
    func setRadio(isAway: Bool) {
        effects.append(
            .radio(isAway: isAway || !isOnNetwork && configuration.onboarding == .elsewhere))
    }

    /// Drops the sessions of all nodes: their messages do not reach the device any more.
    func forgetNodeSessions() {
        for fabric in fabrics.all { effects.append(.closeSessions(fabric: fabric.index, except: nil)) }
    }
}
