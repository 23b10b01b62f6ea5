public import MatterState

/// The states of nodes that a program follows and keeps in memory (own). Where there are such, ``DeviceService`` tells the state of a
/// node from them, and the node is not asked.
public protocol KnownStates: Sendable {
    /// The state of a node at some paths.
    ///
    /// - Returns: `nil` for a node that is not followed, or of which nothing is known yet: it is asked.
    func state(of node: NodeID, at paths: [AttributePath]) async -> KnownState?

    /// Follows a node by the subscription that the program has with it.
    ///
    /// - Returns: `nil` for a node without a subscription that stands.
    func follow(_ node: NodeID, at paths: [AttributePath]) async -> StandingSubscription?

    /// Takes what a node has answered to a question: values that it does not report by itself.
    func take(_ answer: ReadResult, of node: NodeID) async
}

/// The state of a node as a program that follows it knows it (own).
public struct KnownState: Sendable {
    /// A value that the node has reported.
    public struct Value: Sendable {
        /// Where it is.
        public var path: ConcreteAttributePath
        /// The value.
        public var value: TLVValue
        /// How long ago the node reported it; `nil` if that was before the program was started.
        public var age: Duration?
        /// The version of the cluster's data that was told last; `nil` if none was.
        public var dataVersion: UInt32?

        /// A value with its age.
        public init(path: ConcreteAttributePath, value: TLVValue, age: Duration?, dataVersion: UInt32? = nil) {
            self.path = path
            self.value = value
            self.age = age
            self.dataVersion = dataVersion
        }
    }

    /// The values.
    public var values: [Value]
    /// How long ago the node was last heard; `nil` if it never was.
    public var heard: Duration?
    /// Why the node is not followed at the moment, for a person; `nil` if it is.
    public var failure: String?

    /// The state of a node.
    public init(values: [Value], heard: Duration?, failure: String?) {
        self.values = values
        self.heard = heard
        self.failure = failure
    }
}
