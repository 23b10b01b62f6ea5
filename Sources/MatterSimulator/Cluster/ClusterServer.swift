package import MatterModel

/// The behaviour of one cluster on one endpoint of the virtual device: the extension point of this module.
///
/// # How to write one
///
///     struct ContactSensorServer: ClusterServer {
///         let id = BooleanState.id
///         var initialAttributes: [AttributeID: TLVValue] { [BooleanState.Attribute.stateValue: .bool(false)] }
///
///         mutating func input(_ words: [Substring], _ context: ClusterContext) -> Bool {
///             guard let state = words.first, words.count == 1 else { return false }
///             context[BooleanState.Attribute.stateValue] = .bool(state == "closed")  // stored, versioned, reported
///             context.emit(BooleanState.StateChange(stateValue: state == "closed"))])
///             return true
///         }
///     }
///
/// and add it to an endpoint in `DeviceTypes/`. What the node does by itself, before and after a server is asked:
///
/// - **Access control, existence, timed interactions, data versions, fabric filtering, chunking**: all done by the node,
///   with privileges and qualities from the catalogue. Servers never see a request that fails them.
/// - **Validation**: values that are written, and fields of commands, have passed the catalogue: type, width, nullability,
///   mandatory fields, ranges, lengths, enumeration values. For commands listed in ``selfCheckedCommands`` only type and
///   presence are checked, for clusters that answer bad values in their own words.
/// - **Global attributes** (FeatureMap, ClusterRevision, AttributeList, the two command lists) come from what the server
///   declares here; a server that plays a device without one of them names it in ``missingGlobalAttributes``.
/// - **Attributes live in the node's store**, as TLV values; `context[id]` reads and writes them. A write that changes the
///   value moves the data version, tells subscribers, prints the change and saves it if the attribute is in
///   ``persistentAttributes``. An attribute whose value is made up when it is read (an uptime) is declared in
///   ``initialAttributes`` with any value and computed in ``read(_:_:)``; ``ClusterContext/touch(_:)`` tells subscribers.
/// - **Commands**: ``invoke(_:_:)`` gets fields by tag with typed accessors, who is calling (``ClusterContext/caller``:
///   fabric index, node id, PASE or CASE), and answers with a status or a response. Throw ``ClusterFailure`` to refuse.
/// - **Time**: `context.now` (monotonic) and `context.epochMicroseconds` (wall clock). A timer is
///   `context.schedule("fade", after: .milliseconds(100))` and comes back in ``timerFired(_:_:)``; scheduling the same
///   name again moves it. Nothing else may wait, sleep or ask a clock, so that tests run on a clock of their own.
/// - **Randomness** is `context.random`.
/// - **Siblings**: `context.sibling(LevelControl.id)` reads and writes attributes of another cluster of the endpoint (`nil` if it is
///   not there), `context.endpoint(3, cluster: OnOff.id)` those of any. To make a sibling act, send it a value of a type of yours:
///   `context.signal(MySignal.start, to: LevelControl.id)`, which arrives in ``receive(_:_:)`` after the present call, within the
///   same turn. To follow a sibling, list it in ``observedClusters`` and implement ``siblingChanged(_:_:_:)``.
/// - **Events**: `context.emit(_:)`; priority and privilege come from the catalogue. Events of a fabric carry the index
///   as field 254.
/// - **State beyond attributes** (users, schedules) is returned by ``savedState`` whenever the node saves, and handed to
///   ``restore(_:)`` before ``start(_:)``; call `context.markUnsaved()` after changing it. A command that did so, and every
///   write, is answered once it is saved; other changes are saved soon after.
/// - **Work that takes time** (a call of a service): answer a command with `.later { … }`. The work runs outside of the node,
///   and ``finish(_:_:)`` makes the answer of what came of it.
/// - **The outside world**: `context.effect(.command(…))` sends a command to a bound node; `context.report`
///   prints a line. ``input(_:_:)`` gets what a person types at the running device: `1 contact-sensor closed`.
///
/// A server is a value. Everything it does happens inside one of these calls, on the device's own executor, in an order
/// that is the same in every run.
package protocol ClusterServer {
    /// The cluster's number.
    var id: ClusterID { get }
    /// The revision; by default the newest in the catalogue.
    var revision: UInt16? { get }
    /// The features, as bits of FeatureMap.
    var featureMap: FeatureMap { get }
    /// Global attributes that the cluster does without, against the rule.
    var missingGlobalAttributes: Set<AttributeID> { get }
    /// Every attribute that the cluster serves, except global ones, with its value at first start.
    var initialAttributes: [AttributeID: TLVValue] { get }
    /// The commands that it takes.
    var acceptedCommands: [CommandID] { get }
    /// Attributes that survive a restart.
    var persistentAttributes: Set<AttributeID> { get }
    /// Commands whose field values are checked by the server itself.
    var selfCheckedCommands: Set<CommandID> { get }
    /// Attributes of which not every change is printed (a countdown).
    var quietAttributes: Set<AttributeID> { get }
    /// Sibling clusters whose changes the server wants to hear of.
    var observedClusters: Set<ClusterID> { get }
    /// State kept beside the persistent attributes.
    var savedState: TLVValue? { get }

    /// Takes back what ``savedState`` was in an earlier run.
    mutating func restore(_ state: TLVValue) throws(TLVError)
    /// The device starts; persistent attributes have their values.
    mutating func start(_ context: ClusterContext)
    /// The value of an attribute that is computed; `nil` for the stored one. Only attributes of ``initialAttributes`` are
    /// asked for, never global ones.
    func read(_ attribute: AttributeID, _ context: ClusterContext) -> TLVValue?
    /// Sets an attribute. The value is valid as far as the catalogue knows; a list is complete, with the entries of all
    /// fabrics. The default stores it.
    mutating func write(_ attribute: AttributeID, _ value: TLVValue, _ context: ClusterContext) throws(ClusterFailure)
    /// Runs a command.
    mutating func invoke(_ command: CommandCall, _ context: ClusterContext) throws(ClusterFailure) -> CommandAnswer
    /// The outcome of the work that a command was put off for.
    mutating func finish(
        _ result: any ClusterSignal, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer
    /// A timer of this server is due.
    mutating func timerFired(_ timer: String, _ context: ClusterContext)
    /// Another cluster wants something.
    mutating func receive(_ signal: any ClusterSignal, _ context: ClusterContext)
    /// An attribute of an observed sibling has a new value.
    mutating func siblingChanged(_ cluster: ClusterID, _ attribute: AttributeID, _ context: ClusterContext)
    /// A fabric is gone; entries of fabric-scoped attributes are removed by the node.
    mutating func fabricRemoved(_ fabricIndex: UInt8, _ context: ClusterContext)
    /// Something happened to the device: a person typed it. Returns whether it made sense.
    mutating func input(_ words: [Substring], _ context: ClusterContext) -> Bool
}

/// A message between clusters of one node.
package protocol ClusterSignal: Sendable {}

extension ClusterServer {
    package var revision: UInt16? { nil }
    package var featureMap: FeatureMap { [] }
    package var missingGlobalAttributes: Set<AttributeID> { [] }
    package var acceptedCommands: [CommandID] { [] }
    package var persistentAttributes: Set<AttributeID> { [] }
    package var selfCheckedCommands: Set<CommandID> { [] }
    package var quietAttributes: Set<AttributeID> { [] }
    package var observedClusters: Set<ClusterID> { [] }
    package var savedState: TLVValue? { nil }

    package mutating func restore(_ state: TLVValue) throws(TLVError) {}
    package mutating func start(_ context: ClusterContext) {}
    package func read(_ attribute: AttributeID, _ context: ClusterContext) -> TLVValue? { nil }

    package mutating func write(
        _ attribute: AttributeID, _ value: TLVValue, _ context: ClusterContext
    ) throws(ClusterFailure) {
        context[attribute] = value
    }

    package mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        throw .unsupportedCommand
    }

    package mutating func finish(
        _ result: any ClusterSignal, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        throw .failure
    }

    package mutating func timerFired(_ timer: String, _ context: ClusterContext) {}
    package mutating func receive(_ signal: any ClusterSignal, _ context: ClusterContext) {}
    package mutating func siblingChanged(_ cluster: ClusterID, _ attribute: AttributeID, _ context: ClusterContext) {}
    package mutating func fabricRemoved(_ fabricIndex: UInt8, _ context: ClusterContext) {}
    package mutating func input(_ words: [Substring], _ context: ClusterContext) -> Bool { false }
}
