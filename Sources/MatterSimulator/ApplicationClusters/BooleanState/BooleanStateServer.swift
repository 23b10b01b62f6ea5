import MatterModel

/// Boolean State (Matter application cluster specification 1.7): a contact that is closed (true) or open.
///
/// A person moves it with `closed`, `open` or `toggle`.
struct BooleanStateServer: ClusterServer {

    let id = BooleanState.id
    /// CHGEVENT.
    let featureMap: FeatureMap = BooleanState.Feature.changeEvent
    let initialAttributes: [AttributeID: TLVValue]
    let persistentAttributes: Set<AttributeID> = [BooleanState.Attribute.stateValue]

    init(isClosed: Bool = true) {
        initialAttributes = [BooleanState.Attribute.stateValue: .bool(isClosed)]
    }

    mutating func input(_ words: [Substring], _ context: ClusterContext) -> Bool {
        let old = context.bool(BooleanState.Attribute.stateValue)
        guard words.count == 1, let word = words.first else { return false }
        let new: Bool
        switch word {
        case "closed", "close", "true", "on": new = true
        case "open", "opened", "false", "off": new = false
        case "toggle": new = !old
        default: return false
        }
        guard new != old else { return true }
        context[BooleanState.Attribute.stateValue] = .bool(new)
        context.emit(BooleanState.StateChange(stateValue: new))
        return true
    }
}
