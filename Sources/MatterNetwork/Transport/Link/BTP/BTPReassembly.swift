/// The message that is being put together from segments: one at a time, complete before the next begins.
struct BTPReassembly: Sendable {
    let largestMessage: Int
    private var length = 0
    /// `nil` between messages.
    private var bytes: [UInt8]?

    init(largestMessage: Int) { self.largestMessage = largestMessage }

    mutating func clear() { bytes = nil }

    /// Takes the next piece.
    ///
    /// - Returns: the message, if this was the last piece.
    /// - Throws: ``TransportError`` with code `btp`.
    mutating func take(_ piece: [UInt8], _ place: BTPSegment.Place) throws(TransportError) -> [UInt8]? {
        switch place {
        case .whole(let announced), .beginning(let announced):
            guard bytes == nil else {
                throw TransportError(.btp, "a message began before the one before it had ended")
            }
            guard (1...largestMessage).contains(Int(announced)) else {
                throw TransportError(.btp, "a message of \(announced) bytes was announced")
            }
            length = Int(announced)
            bytes = piece
        case .middle, .ending:
            guard bytes != nil else { throw TransportError(.btp, "a message went on that had not begun") }
            bytes?.append(contentsOf: piece)
        }
        guard let message = bytes, message.count <= length else {
            throw TransportError(.btp, "a message is longer than announced")
        }
        switch place {
        case .beginning, .middle: return nil
        case .whole, .ending:
            guard message.count == length else { throw TransportError(.btp, "a message is shorter than announced") }
            bytes = nil
            return message
        }
    }
}
