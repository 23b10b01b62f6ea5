package import MatterModel

/// A command that has passed access control and the catalogue.
package struct CommandCall: Sendable {
    package let id: CommandID
    /// A structure, save for a few odd clusters.
    package let fields: TLVValue

    /// The field with a tag; null counts as present.
    package subscript(_ tag: UInt8) -> TLVValue? { fields.field(tag) }

    package func unsigned<Number: FixedWidthInteger>(
        _ tag: UInt8, as type: Number.Type = Number.self
    ) throws(ClusterFailure) -> Number {
        guard let number = self[tag]?.integer(as: type) else { throw .invalidCommand }
        return number
    }

    /// - Returns: `nil` where the field is absent or null.
    package func optionalUnsigned<Number: FixedWidthInteger>(
        _ tag: UInt8, as type: Number.Type = Number.self
    ) throws(ClusterFailure) -> Number? {
        guard let value = self[tag], value != .null else { return nil }
        guard let number = value.integer(as: type) else { throw .invalidCommand }
        return number
    }

    package func octets(_ tag: UInt8) throws(ClusterFailure) -> [UInt8] {
        guard let octets = self[tag]?.octetString else { throw .invalidCommand }
        return octets
    }

    package func optionalOctets(_ tag: UInt8) throws(ClusterFailure) -> [UInt8]? {
        guard let value = self[tag], value != .null else { return nil }
        guard let octets = value.octetString else { throw .invalidCommand }
        return octets
    }

    package func string(_ tag: UInt8) throws(ClusterFailure) -> String {
        guard let text = self[tag]?.text else { throw .invalidCommand }
        return text
    }

    package func bool(_ tag: UInt8) throws(ClusterFailure) -> Bool {
        guard let flag = self[tag]?.boolean else { throw .invalidCommand }
        return flag
    }

    package func optionalBool(_ tag: UInt8) throws(ClusterFailure) -> Bool? {
        guard let value = self[tag], value != .null else { return nil }
        guard let flag = value.boolean else { throw .invalidCommand }
        return flag
    }

    /// The values of a list; none if it is absent or null.
    package func array(_ tag: UInt8) throws(ClusterFailure) -> [TLVValue] {
        guard let value = self[tag], value != .null else { return [] }
        guard let items = value.items else { throw .invalidCommand }
        return items
    }
}

/// What a server answers to a command.
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
