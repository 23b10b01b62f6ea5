import ArgumentParser
import MatterController

/// A command of a kind of device, whose words are a ``KindLine``.
protocol KindLineCommand: PlainCommand, KindOfDeviceCommand, VerbNaming {
    associatedtype Declaration: DeviceKindDeclaration
    var words: [String] { get set }
    var particular: KindOptions<Declaration> { get set }
    var selection: NodeSelection { get set }

    /// Whether options choose nodes, so that none need be named.
    var choosesNodes: Bool { get }
}

extension KindLineCommand {
    var choosesNodes: Bool { selection.isGiven }

    var line: KindLine { KindLine(words, of: Self.kind, choosesNodes: choosesNodes) }

    var verbName: String? { line.verb?.name }

    var nodes: [NodeArgument] { line.nodes.compactMap { NodeArgument(argument: $0) } }

    var everyday: EverydayOptions { EverydayOptions(selection, verify: particular.verify, dryRun: particular.dryRun) }

    var longestRun: Duration? { particular.watch ? nil : options.timeout?.duration }

    var onlyReads: Bool { line.verb == nil && !particular.watch }

    var goesOn: Bool { particular.watch }

    /// Refuses a word that can be no node.
    func checkNodes(_ line: KindLine) throws {
        for word in line.nodes where NodeArgument(argument: word) == nil {
            throw ValidationError(
                "The value '\(word)' is invalid for '<node>' (node id or name, with /EP for an endpoint)")
        }
    }

    /// The error about a verb whose value is missing, or is none.
    func noValue(of verb: DeviceKind.Verb, _ line: KindLine) -> ValidationError {
        let forms = verb.value ?? ""
        guard line.nodes.count > (choosesNodes ? 0 : 1), let last = line.nodes.last else {
            return ValidationError("Missing expected argument '<value>' (\(forms))")
        }
        return ValidationError("The value '\(last)' is invalid for '<value>' (\(forms))")
    }

    mutating func takeWords(_ words: [String]) -> Bool {
        self.words = words
        return true
    }
}
