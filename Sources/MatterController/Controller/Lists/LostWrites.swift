/// Writes of a list of which it is not known whether they ran: the list that is read afterwards tells.
struct LostWrites<Entry: FabricListEntry> {
    private var wholes: [[Entry]] = []
    /// The last one that took several messages, of which only the first may have arrived.
    private var pieces: [Entry]?
    /// Why the outcome of the last one is unknown.
    private(set) var error: ControllerError?

    /// - Parameter error: `nil` if the node said that it stopped between two messages.
    mutating func add(_ wanted: [Entry], isOneMessage: Bool, _ error: ControllerError?) {
        if let error {
            wholes.append(wanted)
            self.error = error
        }
        pieces = isOneMessage ? nil : wanted
    }

    /// Whether one of them has left this list.
    func explain(_ list: [Entry]) -> Bool { wholes.contains { list.means($0) } }

    /// The whole of which a list is the first part, if one of them has left it so.
    func completion(of list: [Entry]) -> [Entry]? {
        guard let pieces, list.isBeginning(of: pieces) else { return nil }
        return pieces
    }

    /// The message if the list cannot be read afterwards: that a write may have run, if there was one.
    func account(of failure: any Error) -> any Error {
        guard var unknown = error else { return failure }
        if failure is CancellationError { unknown.underlying = failure }
        return unknown
    }
}
