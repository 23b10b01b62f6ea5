package import MatterNetwork

/// The actions that the pure node asks of its edge.
package enum NodeEffect: Sendable {
    /// The fabric of a PASE session, since AddNOC.
    case adoptFabric(SessionReference, UInt8)
    /// End a session once its present exchange is through.
    case closeSession(SessionReference)
    /// End all sessions of a fabric, except one where given; the latter is ended when its exchange is through if `also`.
    case closeSessions(fabric: UInt8, except: SessionReference?)
    /// End PASE sessions.
    case closePASESessions
    /// Forget how to resume sessions of a fabric.
    case forgetResumptions(fabric: UInt8)
    /// Commissioning window or fabrics have changed: advertise accordingly.
    case advertise
    /// Start again: all sessions, timers and volatile state are gone.
    case reboot
    /// A command for another node, over CASE or to a group.
    case command(RemoteCommand)
    /// Nothing is heard or sent over IP, or it is again.
    case radio(isAway: Bool)
    /// Turn the radio off or on.
    case sleep(Bool)
    /// A check-in message for a client.
    case checkIn(fabric: UInt8, NodeID, [UInt8])
    /// Business with a provider of software updates.
    case update(UpdateErrand)
    /// A command for the peer of a session, over that session.
    case callBack(Command, over: SessionReference)
}

/// A command that this device sends as a client, to what it is bound to.
package struct RemoteCommand: Sendable, Equatable {
    package enum Target: Sendable, Equatable {
        case node(UInt64, endpoint: EndpointID)
        case group(UInt16)
    }

    package var fabricIndex: UInt8
    package var target: Target
    package var cluster: ClusterID
    package var command: CommandID
    package var fields: TLVValue = .structure([])
}

/// A key with its value, for lines that the device prints.
package struct ReportMember: Sendable, Equatable {
    package var key: String
    package var value: TLVValue

    init(_ member: (key: String, value: TLVValue)) {
        key = member.key
        value = member.value
    }
}

/// Something a person may want to see of a running device.
package enum NodeReport: Sendable, Equatable {
    case attribute(endpoint: EndpointID, cluster: ClusterID, attribute: AttributeID, value: TLVValue)
    case event(endpoint: EndpointID, cluster: ClusterID, event: EventID, number: UInt64)
    /// A command was run or refused.
    case command(endpoint: EndpointID, cluster: ClusterID, command: CommandID, status: String)
    case note(endpoint: EndpointID, cluster: ClusterID, text: String, members: [ReportMember])
    /// A step of commissioning, such as `fail-safe-armed`.
    case commissioning(step: String, members: [ReportMember])
    /// Sessions and handshakes, such as `pase-established`.
    case session(what: String, members: [ReportMember])
    /// A fault was played.
    case fault(String)
}
