/// Something that came back in a handshake and does not lead on: a refusal, or what does not fit.
struct Objection: Sendable {
    let address: PeerAddress
    let error: SecureChannelError
    let message: ReceivedMessage
    var receivedAt: Instant
    /// True if the peer had proved itself before.
    var isAfterProof = false

    /// True if it may be a message of the peer that was damaged on the way.
    var isDoubtful: Bool {
        switch error.code {
        case .malformed, .invalidCredentials, .cryptography: true
        // Damage that only the peer's keys show, in what it said of itself.
        case .rejected: isAfterProof
        default: false
        }
    }
}

/// Why an attempt ended that nothing led on from: what each address had against it. Anybody who saw our messages can
/// have said so, hence it speaks for its address only.
struct Objections: Error, Sendable {
    /// The last one of each address, in the order of the first ones.
    private(set) var list: [Objection] = []
    /// True if they cannot all come from the one peer.
    private(set) var isContradicted = false
    /// How many there were.
    private(set) var count = 0

    var isEmpty: Bool { list.isEmpty }

    /// True if the peer's first answer and another one cannot both be followed.
    var isContested: Bool { list.contains { $0.error.code == .contradicted } }

    mutating func note(_ objection: Objection) {
        count += 1
        let isOther = list.contains {
            $0.error.code != objection.error.code && $0.error.code != .busy && objection.error.code != .busy
        }
        if isOther || objection.error.code == .contradicted { isContradicted = true }
        if let position = list.firstIndex(where: { $0.address == objection.address }) {
            // That answers contradict each other stays true, whatever follows from it.
            guard list[position].error.code != .contradicted else { return }
            list[position] = objection
        } else {
            list.append(objection)
        }
    }

    /// Answers from before the peer's proof no longer count.
    mutating func forget() {
        isContradicted = isContradicted || !list.isEmpty
        list = []
    }
}
