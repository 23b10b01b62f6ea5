public import MatterNetwork

/// A state that an endpoint keeps under a number (Matter application cluster specification).
public struct NodeScene: Sendable, Hashable, Identifiable {
    /// Its number.
    public let id: UInt8
    /// Its name, as the device keeps it; empty if it has none.
    public let name: String
    /// How long the change to it takes.
    public let transition: Duration
    /// Whether it is the present state.
    public let isCurrent: Bool
}

/// The scenes of an endpoint (Matter application cluster specification 1.4).
extension Node {
    /// The scenes of a group, by number.
    ///
    /// - Parameter group: its id; 0 for the scenes that are in no group.
    /// - Throws: ``MatterError``.
    public func scenes(
        ofGroup group: UInt16 = 0, at endpoint: EndpointID? = nil, within time: Duration? = nil
    ) async throws -> [NodeScene] {
        try await reportingErrors {
            try await EndpointScenes(scenesDevice(endpoint, time)).scenes(of: group).map { scene in
                NodeScene(
                    id: scene.number, name: scene.name, transition: scene.transition, isCurrent: scene.isCurrent)
            }
        }
    }

    /// Keeps the present state.
    ///
    /// - Parameters:
    ///   - scene: its number.
    ///   - name: at most 16 bytes; the device need not have room for names, and then it fails.
    ///   - transition: how long the change to it takes.
    /// - Throws: ``MatterError``.
    public func storeScene(
        _ scene: UInt8, named name: String? = nil, transition: Duration = .zero, ofGroup group: UInt16 = 0,
        at endpoint: EndpointID? = nil, within time: Duration? = nil
    ) async throws {
        try await reportingErrors {
            if let name {
                try await EndpointScenes(scenesDevice(endpoint, time))
                    .store(scene, of: group, named: name, transition: transition)
            } else {
                try await carryOut(.store, scene, group, endpoint, time)
            }
        }
    }

    /// Brings a state back.
    ///
    /// - Parameters:
    ///   - scene: its id.
    ///   - group: the id of its group; 0 for none.
    /// - Throws: ``MatterError``.
    public func recallScene(
        _ scene: UInt8, ofGroup group: UInt16 = 0, at endpoint: EndpointID? = nil, within time: Duration? = nil
    ) async throws {
        try await reportingErrors { try await carryOut(.recall, scene, group, endpoint, time) }
    }

    /// Forgets a state.
    ///
    /// - Parameters:
    ///   - scene: its id.
    ///   - group: the id of its group; 0 for none.
    /// - Throws: ``MatterError``.
    public func removeScene(
        _ scene: UInt8, ofGroup group: UInt16 = 0, at endpoint: EndpointID? = nil, within time: Duration? = nil
    ) async throws {
        try await reportingErrors { try await carryOut(.remove, scene, group, endpoint, time) }
    }

    private func scenesDevice(_ endpoint: EndpointID?, _ time: Duration?) async throws -> ServingDevice {
        try await controller.devices.device(
            ScenesManagement.id, of: record, endpoint: endpoint, title: record.title, budget: Budget(time))
    }

    private func carryOut(
        _ action: SceneVerb.Action, _ scene: UInt8, _ group: UInt16, _ endpoint: EndpointID?, _ time: Duration?
    ) async throws {
        _ = try await controller.devices.carryOut(
            SceneVerb(action, scene: scene, group: group), on: record, endpoint: endpoint, budget: Budget(time))
    }
}
