package import MatterModel

/// A command that has passed access control and the catalogue.
package struct CommandCall: Sendable {
    package let id: CommandID
    /// A structure, save for a few odd clusters.
    package let fields: TLVValue

    /// The command with its fields.
    ///
    /// - Throws: INVALID_COMMAND if a field lacks or is of another type. ``ValueValidator`` has looked before.
    package func decoded<Command: ClusterCommand>(
        as type: Command.Type = Command.self
    ) throws(ClusterFailure) -> Command {
        guard let command = Command(tlv: fields) else { throw .invalidCommand }
        return command
    }
}

/// The answer of a server to a command.
package enum CommandAnswer: Sendable {
    /// A plain SUCCESS.
    case success
    case status(StatusIB)
    /// A response command with its fields.
    case response(CommandID, [TLVElement])
    /// A response command.
    package static func response(_ response: some ClusterResponse) -> CommandAnswer {
        .response(type(of: response).id, response.tlv.members ?? [])
    }

    /// The edge of the device has something to do first, and other commands go on meanwhile; what comes of it is handed to
    /// ``ClusterServer/finish(_:_:)``, which answers.
    case later(@Sendable () async -> any ClusterSignal)
}

/// Why a server refuses a write or a command.
package struct ClusterFailure: Error, Equatable, Sendable {
    package var status: StatusIB

    package init(_ status: IMStatus, clusterStatus: UInt8? = nil) {
        self.status = StatusIB(status, clusterStatus: clusterStatus)
    }

    package static let constraintError = ClusterFailure(.constraintError)
    package static let dynamicConstraintError = ClusterFailure(.dynamicConstraintError)
    package static let invalidCommand = ClusterFailure(.invalidCommand)
    package static let invalidInState = ClusterFailure(.invalidInState)
    package static let unsupportedCommand = ClusterFailure(.unsupportedCommand)
    package static let unsupportedWrite = ClusterFailure(.unsupportedWrite)
    package static let unsupportedAccess = ClusterFailure(.unsupportedAccess)
    package static let resourceExhausted = ClusterFailure(.resourceExhausted)
    package static let failsafeRequired = ClusterFailure(.failsafeRequired)
    package static let notFound = ClusterFailure(.notFound)
    package static let busy = ClusterFailure(.busy)
    package static let failure = ClusterFailure(.failure)

    /// A status that only the cluster defines.
    package static func cluster(_ code: UInt8) -> ClusterFailure { ClusterFailure(.failure, clusterStatus: code) }
}

extension TLVValue {
    /// The structure with a member set, in ascending order of tags.
    package func setting(_ tag: UInt8, _ value: TLVValue) -> TLVValue {
        guard case .structure(let members) = self else { return self }
        func number(_ member: TLVElement) -> Int {
            if case .context(let tag) = member.tag { Int(tag) } else { 256 }
        }
        let others = members.filter { $0.tag != .context(tag) }
        return .structure((others + [TLVElement(tag, value)]).sorted { number($0) < number($1) })
    }

    package static func optional(_ number: (some UnsignedInteger)?) -> TLVValue {
        number.map { .uint(UInt64($0)) } ?? .null
    }

    /// The fabric that an entry of a fabric-scoped list belongs to.
    package var fabricIndex: UInt8? { field(254)?.integer() }
}
