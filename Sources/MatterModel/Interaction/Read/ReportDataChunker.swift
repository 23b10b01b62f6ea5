import MatterBase

/// Splits a report into messages under a payload limit, long lists included.
///
/// Attributes come first, then events. A list that does not fit a message whole becomes a shorter one – all that fits –
/// and its other items one by one; anything else that fits no message is reported as `RESOURCE_EXHAUSTED`.
struct ReportDataChunker: Sendable {
    /// One message, encoded.
    struct Chunk: Hashable, Sendable {
        var payload: [UInt8]
        var isLast: Bool
    }

    /// A list of which some items have been sent.
    private struct OpenList {
        var path: AttributePath
        var dataVersion: UInt32?
        var items: ArraySlice<TLVElement>
    }

    private let subscriptionID: UInt32?
    private let suppressesLastResponse: Bool
    /// The room of a message for its two arrays.
    private let capacity: Int
    private var attributes: ArraySlice<AttributeReportIB>
    private var events: ArraySlice<EventReportIB>
    private var list: OpenList?
    private var isDone = false

    /// Head and end of an array.
    private static let arrayOverhead = 3

    /// - Parameters:
    ///   - subscriptionID: for reports of a subscription.
    ///   - suppressesLastResponse: whether the last message wants no answer, as in a read.
    ///   - maxPayload: bytes that one message may hold, at least ``InteractionModel/smallestMaxPayload``.
    init(
        attributes: [AttributeReportIB], events: [EventReportIB] = [], subscriptionID: UInt32? = nil,
        suppressesLastResponse: Bool, maxPayload: Int
    ) throws(InteractionError) {
        guard maxPayload >= InteractionModel.smallestMaxPayload else {
            throw InteractionError(.invalidRequest, "messages of \(maxPayload) bytes are too short for reports")
        }
        self.subscriptionID = subscriptionID
        self.suppressesLastResponse = suppressesLastResponse
        self.attributes = attributes[...]
        self.events = events[...]
        // A message has one of the two flags at most.
        let fixed = ReportData(subscriptionID: subscriptionID, hasMoreChunks: true)
        capacity = maxPayload - fixed.encoded().count - 2 * Self.arrayOverhead
    }

    /// The next message; `nil` after the last. A report of nothing is one message.
    mutating func next() -> Chunk? {
        guard !isDone else { return nil }
        var room = capacity
        let attributeBlocks = takeAttributes(&room)
        var eventBlocks: [UInt8] = []
        if attributes.isEmpty, list == nil {
            while let event = events.first, Self.take(Self.block(event, capacity), &room, into: &eventBlocks) {
                events.removeFirst()
            }
        }
        isDone = attributes.isEmpty && list == nil && events.isEmpty
        return Chunk(payload: message(attributeBlocks, eventBlocks), isLast: isDone)
    }

    private mutating func takeAttributes(_ room: inout Int) -> [UInt8] {
        var blocks: [UInt8] = []
        while true {
            if list != nil {
                guard appendItems(&room, &blocks) else { return blocks }
            }
            guard let report = attributes.first else { return blocks }
            let whole = report.encodedMember()
            if whole.count <= capacity {
                guard Self.take(whole, &room, into: &blocks) else { return blocks }
            } else if case .data(let data) = report, case .array(let items) = data.data, data.path.listIndex == nil,
                items.allSatisfy({ Self.append($0, data.path, data.dataVersion).count <= capacity })
            {
                guard open(data, items, &room, &blocks) else { return blocks }
            } else {
                let status = AttributeStatusIB(path: report.path, status: StatusIB(.resourceExhausted))
                let block = AttributeReportIB.status(status).encodedMember()
                guard Self.take(block, &room, into: &blocks) else { return blocks }
            }
            attributes.removeFirst()
        }
    }

    /// Sends the start of a list.
    ///
    /// - Returns: whether there was room for it, with or without items.
    private mutating func open(
        _ data: AttributeDataIB, _ items: [TLVElement], _ room: inout Int, _ blocks: inout [UInt8]
    ) -> Bool {
        var start = data
        start.data = .array([])
        var size = AttributeReportIB.data(start).encodedMember().count
        guard size <= room else { return false }
        var count = 0
        for item in items {
            size += item.encoded().count
            guard size <= room else { break }
            count += 1
        }
        start.data = .array(Array(items[..<count]))
        list = OpenList(path: data.path, dataVersion: data.dataVersion, items: items[count...])
        return Self.take(AttributeReportIB.data(start).encodedMember(), &room, into: &blocks)
    }

    /// - Returns: whether all items of the open list are sent.
    private mutating func appendItems(_ room: inout Int, _ blocks: inout [UInt8]) -> Bool {
        guard var open = list else { return true }
        while let item = open.items.first {
            guard Self.take(Self.append(item, open.path, open.dataVersion), &room, into: &blocks) else { break }
            open.items.removeFirst()
        }
        list = open.items.isEmpty ? nil : open
        return list == nil
    }

    private static func append(_ item: TLVElement, _ path: AttributePath, _ dataVersion: UInt32?) -> [UInt8] {
        var path = path
        path.listIndex = .append
        return AttributeReportIB.data(AttributeDataIB(dataVersion: dataVersion, path: path, data: item.value))
            .encodedMember()
    }

    private static func block(_ event: EventReportIB, _ capacity: Int) -> [UInt8] {
        let whole = event.encodedMember()
        guard whole.count > capacity, case .data(let data) = event else { return whole }
        return EventReportIB.status(EventStatusIB(path: data.path, status: StatusIB(.resourceExhausted)))
            .encodedMember()
    }

    /// - Returns: whether the block fitted.
    private static func take(_ block: [UInt8], _ room: inout Int, into blocks: inout [UInt8]) -> Bool {
        guard block.count <= room else { return false }
        room -= block.count
        blocks += block
        return true
    }

    private func message(_ attributes: [UInt8], _ events: [UInt8]) -> [UInt8] {
        var writer = TLVWriter()
        writer.begin(.anonymous, .structure)
        if let subscriptionID { writer.write(.unsigned(0, subscriptionID)) }
        for (tag, blocks) in [(UInt8(1), attributes), (2, events)] where !blocks.isEmpty {
            writer.begin(.context(tag), .array)
            writer.append(encoded: blocks)
            writer.end()
        }
        if !isDone { writer.write(.bool(3, true)) }
        if isDone, suppressesLastResponse { writer.write(.bool(4, true)) }
        writer.write(InteractionModel.revisionField)
        writer.end()
        return writer.bytes
    }
}
