@testable import MatterController
@testable import MatterModel
@testable import MatterSimulator

/// Faults of devices that fall behind a later specification: Matter 1.6.0 has no command that is deprecated or provisional, and no
/// choice of commands, but in clusters that are provisional as a whole. The device stays, and the demands change.
extension Mutation {
    static var laterDemands: [Mutation] {
        [
            later(.commandChoice, [OnOff.Command.off: "O.a", OnOff.Command.on: "O.a"]),
            later(.commandProvisional, [OnOff.Command.toggle: "P"]),
            later(.commandDeprecated, [OnOff.Command.toggle: "D"]),
        ]
    }

    private static func later(_ rule: ConformanceRule, _ rules: [CommandID: String]) -> Mutation {
        Mutation(rule, kinds: ["on-off-light", "dimmable-light"]) { bench, _ in
            guard var demands = ConformanceModel.cluster(OnOff.id) else { return nil }
            for index in demands.requests.indices {
                guard let rule = rules[demands.requests[index].id].flatMap({ Conformance($0) }) else { continue }
                demands.requests[index].conformance = rule
            }
            bench.demands[OnOff.id] = demands
            return "commands of OnOff that are \(rules.values.sorted())"
        }
    }
}
