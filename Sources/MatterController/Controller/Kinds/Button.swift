import MatterModel

/// Buttons and switches (Matter application cluster specification 1.13).
enum ButtonKind: DeviceKindDeclaration {
    static let name = "button"
    static let kind = DeviceKind(
        name, "Buttons and switches: their positions, and what people do with them.", example: "bedside --watch",
        trait: "has a button", synonyms: ["buttons", "switch"],
        readings: [Reading(Switch.id, Switch.Attribute.currentPosition, "position")],
        news: .events(Switch.id) { news($0) })

    /// An event of the cluster Switch (1.13.6).
    private static func news(_ report: EventReport) -> DeviceNews? {
        guard let event = report.event, report.path.cluster == Switch.id else { return nil }
        // All events of the cluster begin with a position, and those of several presses count them next.
        typealias Presses = Switch.MultiPressComplete.Field
        let data = event.data.flatMap { PartialStructure<Switch.MultiPressComplete>(tlv: $0) }
        let (position, count) = (data?[Presses.previousPosition], data?[Presses.totalNumberOfPressesCounted])
        let times = count.map { $0 == 1 ? "once" : $0 == 2 ? "twice" : "\($0) times" }
        let words: String
        switch report.path.event {
        case Switch.Event.switchLatched: words = "turned to \(position ?? 0)"
        case Switch.Event.initialPress: words = "pressed"
        case Switch.Event.longPress: words = "held"
        case Switch.Event.shortRelease: words = "released"
        case Switch.Event.longRelease: words = "released after it was held"
        case Switch.Event.multiPressOngoing: words = "pressed \(times ?? "again") so far"
        case Switch.Event.multiPressComplete: words = times.map { "pressed \($0) in all" } ?? "no more presses"
        default: return nil
        }
        typealias Field = DeviceNews.Field
        var fields = [Field("button", .string(words))]
        if let name = Catalogue.standard.cluster(Switch.id)?.event(report.path.event)?.name {
            fields.append(Field("event", .string(name)))
        }
        fields.append(Field("eventId", .int(Int64(report.path.event.rawValue))))
        if let position { fields.append(Field("position", .int(Int64(position)))) }
        if let count { fields.append(Field("presses", .int(Int64(count)))) }
        return DeviceNews(endpoint: report.path.endpoint, quantity: nil, words: words, fields: fields)
    }
}
