import MatterModel

/// Switch (Matter application cluster specification 1.13): a button that is pressed, held, and pressed several times.
///
/// A person types `press`, `press 2`, `long`, `hold` or `release`.
struct SwitchServer: ClusterServer {
    private typealias Attribute = Switch.Attribute

    private static let pressed: UInt8 = 1
    private static let mostPresses: UInt8 = 3

    let id = Switch.id
    let featureMap: FeatureMap = [
        Switch.Feature.momentarySwitch, Switch.Feature.momentarySwitchRelease, Switch.Feature.momentarySwitchLongPress,
        Switch.Feature.momentarySwitchMultiPress,
    ]
    let initialAttributes: [AttributeID: TLVValue] = [
        Attribute.numberOfPositions: .uint(2), Attribute.currentPosition: .uint(0),
        Attribute.multiPressMax: .number(mostPresses),
    ]

    init() {}

    mutating func input(_ words: [Substring], _ context: ClusterContext) -> Bool {
        switch (words.first, words.count) {
        case ("press", 1): press(1, context)
        case ("press", 2):
            guard let times = UInt8(words[1]), (1...Self.mostPresses).contains(times) else { return false }
            press(times, context)
        case ("long", 1):
            hold(context)
            release(Switch.LongRelease(previousPosition: Self.pressed), context)
        case ("hold", 1): hold(context)
        case ("release", 1):
            guard context.number(Attribute.currentPosition) == Self.pressed else { return true }
            release(Switch.LongRelease(previousPosition: Self.pressed), context)
        default: return false
        }
        return true
    }

    private func press(_ times: UInt8, _ context: ClusterContext) {
        for time in 1...times {
            push(context)
            if time > 1 {
                context.emit(
                    Switch.MultiPressOngoing(newPosition: Self.pressed, currentNumberOfPressesCounted: time))
            }
            release(Switch.ShortRelease(previousPosition: Self.pressed), context)
        }
        context.emit(Switch.MultiPressComplete(previousPosition: Self.pressed, totalNumberOfPressesCounted: times))
    }

    private func hold(_ context: ClusterContext) {
        push(context)
        context.emit(Switch.LongPress(newPosition: Self.pressed))
    }

    private func push(_ context: ClusterContext) {
        context[Attribute.currentPosition] = .number(Self.pressed)
        context.emit(Switch.InitialPress(newPosition: Self.pressed))
    }

    private func release(_ event: some ClusterEvent, _ context: ClusterContext) {
        context[Attribute.currentPosition] = .uint(0)
        context.emit(event)
    }
}
