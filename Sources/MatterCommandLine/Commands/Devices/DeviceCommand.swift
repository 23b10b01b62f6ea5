import ArgumentParser
import MatterController
import MatterDataModel
import MatterInteraction

/// A command for one node that tells a kind of device what to do, and prints nothing when it worked.
protocol DeviceCommand: NodeSubject {
    var device: DeviceVerbOptions { get }
    func verb() throws -> any DeviceVerb
}

struct DeviceVerbOptions: ParsableArguments {
    @Flag(help: "Wait for the end of the change, read the state back and print it.") var verify = false
}

extension DeviceCommand {
    func run(_ context: CommandContext) async throws { try await carryOut(try verb(), context) }

    func carryOut(_ verb: any DeviceVerb, _ context: CommandContext) async throws {
        let target = NodeTarget(node.node)
        let (record, endpoint) = try await context.controller.place(of: node.node, endpoint: node.endpoint)
        let (place, request) = try await context.controller.carryOut(
            verb, on: record, endpoint: endpoint, title: target.text, budget: context.budget)
        if let note = request.note { context.console.warning(note) }
        guard device.verify else { return }
        let state = try await context.controller.state(
            after: request, to: verb.cluster, at: place, budget: context.budget)
        try AttributeOutput(context, place.node, target).print(
            state.reports, requested: [AttributePath(state.path)], isLit: state.isLit)
    }
}

/// A number with a unit that the command knows.
protocol QuantityArgument: ExpressibleByArgument, TrailingValue {
    associatedtype Number: FixedWidthInteger
    static var unit: ValueUnit { get }
    /// The unit of a number without one.
    static var bare: String { get }
    static var range: ClosedRange<Number> { get }

    init(number: Number)
}

extension QuantityArgument {
    init?(argument: String) {
        guard let steps = QuantityText.parse(argument, as: Self.unit, bare: Self.bare),
            let number = Number(exactly: steps), Self.range.contains(number)
        else { return nil }
        self.init(number: number)
    }
}

/// A temperature in steps of 0.01 °C: `21`, `21.5C`, `70F`.
struct TemperatureArgument: QuantityArgument {
    static let unit = ValueUnit.celsiusHundredths
    static let bare = "C"
    static let forms = "21, 21.5C or 70F"
    static let range: ClosedRange<Int16> = -27315...Int16.max

    var number: Int16
}

/// A share in steps of 0.01 %: `40`, `40%`, `12.5%`.
struct ShareArgument: QuantityArgument {
    static let unit = ValueUnit.percentHundredths
    static let bare = "%"
    static let forms = "0%–100%"
    static let range: ClosedRange<UInt16> = 0...10000

    var number: UInt16
}
