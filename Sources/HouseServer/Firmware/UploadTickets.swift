import MatterController

/// The uploads that visitors have reserved: each has an id that one upload spends, soon. A pure value: the time is an argument.
struct UploadTickets: Sendable {
    /// The time in which an upload has to begin.
    static let life = Duration.seconds(60)
    /// How many are reserved at a time.
    static let most = 4
    /// How many uploads go on at a time.
    static let mostUploads = 2
    /// Random octets of an id.
    static let idCount = 16

    private struct Ticket {
        var id: SecretBytes
        var visitor: Visitor
        var end: Instant
    }

    private var tickets: [Ticket] = []
    private(set) var uploads = 0

    /// Reserves an upload.
    ///
    /// - Parameter id: as it will be in the path.
    mutating func reserve(_ id: String, for visitor: Visitor, now: Instant) throws(InterfaceError) {
        tickets.removeAll { $0.end <= now }
        guard tickets.count < Self.most else {
            throw InterfaceError(.otaUpload, "\(Self.most) uploads are reserved already; try again in a minute")
        }
        tickets.append(Ticket(id: SecretBytes(Array(id.utf8)), visitor: visitor, end: now + Self.life))
    }

    /// The answer to one who comes with an id.
    enum Admission: Equatable { case admitted, unknown, busy }

    /// Spends an id, if it was reserved by that visitor. Each is compared, in a time that says nothing of it.
    mutating func begin(_ id: String, of visitor: Visitor, now: Instant) -> Admission {
        tickets.removeAll { $0.end <= now }
        let shown = SecretBytes(Array(id.utf8.prefix(2 * Self.idCount + 1)))
        var found: Int?
        for (index, ticket) in tickets.enumerated() where ticket.id == shown && ticket.visitor == visitor {
            found = index
        }
        guard let found else { return .unknown }
        // It can come again, until its time is over.
        guard uploads < Self.mostUploads else { return .busy }
        tickets.remove(at: found)
        uploads += 1
        return .admitted
    }

    /// An upload that was admitted is over.
    mutating func end() { uploads -= 1 }
}
