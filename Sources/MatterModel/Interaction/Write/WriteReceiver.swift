package import MatterBase

/// A server's action on one attribute for one WriteRequest message.
package struct WriteOperation: Hashable, Sendable {
    package enum Change: Hashable, Sendable {
        /// Set the value; for a list, the whole of it.
        case replace(TLVValue)
        /// Add items to a list that an earlier message of the same interaction replaced.
        case append([TLVValue])
        /// Nothing: answer with this status.
        case refuse(IMStatus)
    }

    /// Concrete, or without an endpoint in a write to a group.
    package var path: AttributePath
    package var dataVersion: UInt32?
    package var change: Change
    /// The number of blocks of the message that it covers; each gets a status.
    package fileprivate(set) var blockCount: Int
}

/// One WriteRequest message as a server sees it.
package struct WriteChunk: Hashable, Sendable {
    /// In the order of the message.
    package var operations: [WriteOperation]
    package var isTimed: Bool
    /// True if the interaction ends with the answer to this message.
    package var isLast: Bool
    /// True if there is no answer, because the write went to a group.
    package var suppressesResponse: Bool

    /// The answer.
    ///
    /// - Parameter statuses: one for each operation, in order; those that are missing count as failures.
    package func response(_ statuses: [StatusIB]) -> WriteResponse {
        var answers: [AttributeStatusIB] = []
        for (position, operation) in operations.enumerated() {
            let status = position < statuses.count ? statuses[position] : StatusIB(.failure)
            answers += Array(
                repeating: AttributeStatusIB(path: operation.path, status: status), count: operation.blockCount)
        }
        return WriteResponse(statuses: answers)
    }
}

/// The server's half of a write: checks each WriteRequest of an interaction and puts the pieces of lists together.
///
/// Items that follow the replacement of their list in the same message join it, so that no shorter list is ever stored;
/// only what a later message brings has to be appended.
package struct WriteReceiver: Sendable {
    /// How many different lists one interaction may write.
    private static let mostLists = 256

    private var replacedLists: Set<AttributePath> = []
    private var isTimed: Bool?
    private var isFinished = false

    package init() {}

    /// - Throws: an error whose ``InteractionError/statusForPeer`` is the answer to the whole message.
    package mutating func receive(_ payload: [UInt8]) throws(InteractionError) -> WriteChunk {
        try receive(try WriteRequest(decoding: payload))
    }

    /// - Throws: an error whose ``InteractionError/statusForPeer`` is the answer to the whole message.
    package mutating func receive(_ request: WriteRequest) throws(InteractionError) -> WriteChunk {
        guard !isFinished else { throw .notUnderWay(WriteRequest.opcode.rawValue) }
        isFinished = true
        guard !request.hasMoreChunks || (!request.isTimed && !request.suppressesResponse) else {
            throw .violation("a timed or group write in several messages", .writeRequest)
        }
        guard isTimed == nil || isTimed == request.isTimed else {
            throw .violation("a write that becomes a timed one midway", .writeRequest)
        }
        isTimed = request.isTimed
        var drafts: [Draft] = []
        for block in request.writes { try add(block, to: &drafts, isGroup: request.suppressesResponse) }
        isFinished = !request.hasMoreChunks
        return WriteChunk(
            operations: drafts.map(\.operation), isTimed: request.isTimed, isLast: !request.hasMoreChunks,
            suppressesResponse: request.suppressesResponse)
    }

    private mutating func add(
        _ block: AttributeDataIB, to drafts: inout [Draft], isGroup: Bool
    ) throws(InteractionError) {
        guard block.path.cluster != nil, block.path.attribute != nil, isGroup || block.path.endpoint != nil else {
            throw .violation("a write to the wildcard path \(block.path)", .writeRequest)
        }
        var draft = Draft(path: block.path, dataVersion: block.dataVersion, kind: .refuse(.busy))
        draft.path.listIndex = nil
        switch (block.path.listIndex, block.data) {
        case (nil, .array(let items)):
            guard replacedLists.count < Self.mostLists else {
                throw InteractionError(
                    .limitExceeded, "a write of too many lists", opcode: WriteRequest.opcode.rawValue)
            }
            replacedLists.insert(draft.path)
            draft.kind = .replaceList
            draft.items = items
        case (nil, _):
            replacedLists.remove(draft.path)
            draft.kind = .replace(block.data)
        case (.append, _) where replacedLists.contains(draft.path):
            let item = TLVElement(.anonymous, block.data)
            if let last = drafts.indices.last, drafts[last].path == draft.path, drafts[last].takesItems {
                drafts[last].items.append(item)
                drafts[last].blockCount += 1
                return
            }
            draft.kind = .append
            draft.items = [item]
        case (.append, _):
            break
        case (.item, _):
            draft.kind = .refuse(.unsupportedWrite)
        }
        drafts.append(draft)
    }
}

/// A ``WriteOperation`` that still grows; its items lie apart so that adding one does not copy the others.
private struct Draft {
    enum Kind {
        case replace(TLVValue)
        case replaceList
        case append
        case refuse(IMStatus)
    }

    var path: AttributePath
    var dataVersion: UInt32?
    var kind: Kind
    var items: [TLVElement] = []
    var blockCount = 1

    var takesItems: Bool {
        switch kind {
        case .replaceList, .append: true
        case .replace, .refuse: false
        }
    }

    var operation: WriteOperation {
        let change: WriteOperation.Change =
            switch kind {
            case .replace(let value): .replace(value)
            case .replaceList: .replace(.array(items))
            case .append: .append(items.map(\.value))
            case .refuse(let status): .refuse(status)
            }
        return WriteOperation(path: path, dataVersion: dataVersion, change: change, blockCount: blockCount)
    }
}
