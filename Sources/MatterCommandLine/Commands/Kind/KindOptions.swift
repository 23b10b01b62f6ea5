import ArgumentParser
import MatterController

/// The options of a kind of device. Pages show those that it has.
struct KindOptions<Declaration: DeviceKindDeclaration>: ParsableArguments {
    private static var kind: DeviceKind { Declaration.kind }

    @Flag(name: .line(.watch), help: "Go on, with a line for each change, until stopped.") var watch = false
    @Option(name: .line(.span), help: Self.help("DURATION", .time, "With --watch: end after this time."))
    var span: TimeSpan?
    @Option(name: .line(.count), help: ArgumentHelp("With --watch: end after this many lines.", valueName: "N"))
    var count: Int?
    @Flag(name: .line(.plot), help: Self.series("With --watch: draw the numbers as a live chart.")) var plot = false
    @Flag(
        name: .line(.csv), help: Self.series("With --watch: lines of a table: time, node, name, path, value, unit."))
    var csv = false
    @Option(name: .line(.level), help: Self.help("LEVEL", .level)) var level: String?
    @Option(name: .line(.transition), help: Self.help("DURATION", .transition)) var transition: TimeSpan?
    @Option(name: .line(.pin), help: Self.help("@FILE", .code), completion: .kind(.contents)) var pin: String?
    @Option(name: .line(.relockAfter), help: Self.help("DURATION", .relockAfter)) var relockAfter: TimeSpan?
    @Flag(
        name: .line(.verify), help: Self.change("Wait for the end of the change, read the state back and print it."))
    var verify = false
    @Flag(name: .line(.dryRun), help: Self.change("Send nothing; show what would be sent.")) var dryRun = false

    /// The help of an option, with the verbs that take it.
    private static func help(
        _ name: String, _ parameter: DeviceKind.Option.Parameter, _ other: String? = nil
    ) -> ArgumentHelp {
        var texts: [String] = []
        for verb in kind.verbs {
            for option in verb.options where option.parameter == parameter {
                let names = kind.verbs.filter { $0.options.contains(option) }.map { "'\($0.name)'" }
                let text = "With \(names.joined(separator: " or ")): \(option.help)."
                if !texts.contains(text) { texts.append(text) }
            }
        }
        texts += [other].compactMap { $0 }
        return ArgumentHelp(
            "\(texts.joined(separator: " "))", valueName: name, visibility: texts.isEmpty ? .hidden : .default)
    }

    /// The help of an option for what changes something.
    private static func change(_ text: String) -> ArgumentHelp {
        ArgumentHelp("\(text)", visibility: kind.verbs.isEmpty ? .hidden : .default)
    }

    /// The help of an option for values over time.
    private static func series(_ text: String) -> ArgumentHelp {
        ArgumentHelp("\(text)", visibility: kind.isMeter ? .default : .hidden)
    }

    /// How values over time come out; `nil` for lines of text or JSON.
    func form(_ options: NetworkOptions) throws -> ValueForm? {
        try ValueForm.chosen(plot: plot, csv: csv, isJSON: options.state.output.json)
    }

    /// - Throws: ``CommandLineError`` about the file with a PIN code.
    func parameters() throws -> DeviceKind.Parameters {
        var parameters = DeviceKind.Parameters()
        parameters.code = try PINOptions.code(pin)
        parameters.relockAfter = relockAfter?.duration
        parameters.time = span?.duration
        parameters.level = level.flatMap(Self.percent)
        parameters.transition = transition?.duration
        return parameters
    }

    /// 1 to 100; `nil` for what is no whole percentage.
    private static func percent(_ word: String) -> UInt8? {
        let digits = word.hasSuffix("%") ? word.dropLast() : word[...]
        return UInt8(digits).flatMap { 1...100 ~= $0 ? $0 : nil }
    }

    func validate() throws {
        if let level, Self.percent(level) == nil {
            throw ValidationError("--level is a whole percentage, 1%–100%, not '\(level)'")
        }
        try span?.requireSome("--for")
        if let count, count < 1 { throw ValidationError("--count must be 1 or more") }
        if let transition, transition.duration > .seconds(6553) {
            throw ValidationError("a transition takes at most 6553 s")
        }
        try PINOptions.check(pin)
        try relockAfter?.requireSome("--relock-after")
        if let relockAfter, relockAfter.duration > .seconds(UInt16.max) {
            throw ValidationError("--relock-after is at most 65535 s")
        }
    }

    /// Refuses what the line has no use for.
    func check(_ line: KindLine) throws {
        if plot || csv {
            let option = plot ? "--plot" : "--csv"
            guard Self.kind.isMeter else {
                let meters = DeviceKind.all.map { $0.kind }.filter { $0.isMeter }.map { "'\($0.name)'" }
                throw ValidationError("\(option) is for \(meters.joined(separator: " and ")), and for 'subscribe'")
            }
            guard watch else { throw ValidationError("\(option) needs --watch") }
        }
        guard let verb = line.verb else {
            guard !verify, !dryRun else {
                throw ValidationError("--verify and --dry-run are for what changes something")
            }
            try refuse(DeviceKind.Option.Parameter.allCases.filter { $0 != .time }, nil)
            if !watch, count != nil { throw ValidationError("--count needs --watch") }
            if !watch, span != nil {
                let verbs = Self.verbs(taking: .time)
                throw ValidationError(
                    verbs.isEmpty ? "--for needs --watch" : "--for is for \(verbs.joined(separator: ", ")) and --watch")
            }
            return
        }
        guard !watch else { throw ValidationError("--watch is for what shows a state") }
        guard count == nil else { throw ValidationError("--count needs --watch") }
        guard pin == nil || !dryRun else {
            throw ValidationError("--dry-run would show the PIN code: leave --pin out")
        }
        try refuse(DeviceKind.Option.Parameter.allCases, verb)
    }

    private func refuse(_ parameters: [DeviceKind.Option.Parameter], _ verb: DeviceKind.Verb?) throws {
        for parameter in parameters where isGiven(parameter) {
            guard !(verb.map { Self.takes($0, parameter) } ?? false) else { continue }
            let verbs = Self.verbs(taking: parameter)
            throw ValidationError(
                verbs.isEmpty
                    ? (parameter == .time ? "--for needs --watch" : "unknown option '--\(parameter.rawValue)'")
                    : "--\(parameter.rawValue) is for \(verbs.joined(separator: " and "))")
        }
    }

    private static func takes(_ verb: DeviceKind.Verb, _ parameter: DeviceKind.Option.Parameter) -> Bool {
        verb.options.contains { $0.parameter == parameter }
    }

    /// The verbs that take an option, in quotes.
    private static func verbs(taking parameter: DeviceKind.Option.Parameter) -> [String] {
        kind.verbs.filter { takes($0, parameter) }.map { "'\($0.name)'" }
    }

    private func isGiven(_ parameter: DeviceKind.Option.Parameter) -> Bool {
        switch parameter {
        case .time: span != nil
        case .level: level != nil
        case .transition: transition != nil
        case .code: pin != nil
        case .relockAfter: relockAfter != nil
        }
    }
}
