package import MatterTLV

/// Boolean State (Matter application cluster specification 1.7): a contact that is closed (true) or open.
///
/// A person moves it with `closed`, `open` or `toggle`.
package struct BooleanStateServer: ClusterServer {
    private static let stateValue: UInt32 = 0
    private static let stateChange: UInt32 = 0

    package let id = ClusterID.booleanState
    /// CHGEVENT.
    package let featureMap: UInt32 = 1
    package let initialAttributes: [UInt32: TLVValue]
    package let persistentAttributes: Set<UInt32> = [BooleanStateServer.stateValue]

    package init(isClosed: Bool = true) {
        initialAttributes = [Self.stateValue: .bool(isClosed)]
    }

    package mutating func input(_ words: [Substring], _ context: ClusterContext) -> Bool {
        let old = context.bool(Self.stateValue)
        guard words.count == 1, let word = words.first else { return false }
        let new: Bool
        switch word {
        case "closed", "close", "true", "on": new = true
        case "open", "opened", "false", "off": new = false
        case "toggle": new = !old
        default: return false
        }
        guard new != old else { return true }
        context[Self.stateValue] = .bool(new)
        context.emit(event: Self.stateChange, [TLVElement(0, .bool(new))])
        return true
    }
}
