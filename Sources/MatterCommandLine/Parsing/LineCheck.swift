import ArgumentParser
import MatterController

/// Faults in a command line, as the declaration of its command has it. The parser's own sentences are not read.
struct LineCheck {
    /// The words of the command, with the program.
    let command: String
    private let declaration: CommandDeclaration
    /// The command itself.
    let type: any ParsableCommand.Type
    private let arguments: [String]

    /// - Parameters:
    ///   - line: the arguments of the program.
    ///   - isHelp: whether the page of its command is wanted, and the words for that are left out.
    init(_ line: [String], of root: any ParsableCommand.Type, isHelp: Bool = false) {
        var type = root
        var words = ["matterctl"]
        var rest = (LeadingOptions.split(line)?.rest ?? line[...])
        if !rest.isEmpty { rest = OldSpellings.replaced((isHelp ? ["help"] : []) + rest).dropFirst(isHelp ? 1 : 0) }
        while let next = rest.first.flatMap({ word in type.configuration.subcommands.first { $0.answers(to: word) } }) {
            type = next
            words.append(next._commandName)
            rest = rest.dropFirst()
        }
        if let usual = type.configuration.defaultSubcommand {
            if usual is any KindOfDeviceCommand.Type {
                // It is the command of the same name, whatever follows.
                type = usual
            } else if !rest.isEmpty {
                type = usual
                words.append(usual._commandName)
            }
        }
        self.type = type
        command = words.joined(separator: " ")
        declaration = CommandDeclaration(of: type)
        arguments = Array(rest)
    }

    /// How the command is used.
    var usage: String { HelpPage.usage(declaration, command) }

    /// The first thing that is wrong; `nil` if nothing is that a declaration can tell.
    var problem: String? {
        guard !declaration.hasSubcommands else {
            return arguments.first { $0.hasPrefix("-") && $0 != "-" }.flatMap(unknown)
        }
        var values: [String] = []
        var rest = arguments[...]
        var isTerminated = false
        while let word = rest.popFirst() {
            if word == "--", !isTerminated {
                isTerminated = true
            } else if isTerminated || !word.hasPrefix("-") || word == "-" || NegativeNumbers.isNegativeNumber(word) {
                values.append(word)
            } else if let problem = problem(with: word, &rest) {
                return problem
            }
        }
        return problem(with: values)
    }

    /// A fault in an option; its value is taken from the rest.
    private func problem(with word: String, _ rest: inout ArraySlice<String>) -> String? {
        if let problem = unknown(word) { return problem }
        let name = word.hasPrefix("--") ? String(word.prefix { $0 != "=" }) : String(word.prefix(2))
        guard let option = declaration.option(name), let valueName = option.value else {
            return word.contains("=") && word.hasPrefix("--") ? "'\(name)' takes no value" : nil
        }
        let title = "\(name) <\(valueName)>"
        let value: String
        if let equals = word.firstIndex(of: "=") {
            value = String(word[word.index(after: equals)...])
        } else if !word.hasPrefix("--"), word.count > 2 {
            value = String(word.dropFirst(2))
        } else if let next = rest.first, NegativeNumbers.isNegativeNumber(next) {
            return "a negative number is not allowed: \(name) \(next)"
        } else if let next = rest.first, next == "-" || !next.hasPrefix("-") {
            value = next
            rest = rest.dropFirst()
        } else {
            return "missing value for '\(title)'"
        }
        return option.allows(value) ? nil : Self.refusal(of: value, for: title, option)
    }

    /// An option that the command has not, with the one that is probably meant.
    private func unknown(_ word: String) -> String? {
        let name = String(word.prefix { $0 != "=" })
        guard name.hasPrefix("--") else {
            let first = String(name.prefix(2))
            guard let option = declaration.option(first) else { return "unknown option '\(first)'" }
            // Several that take no value may stand together.
            guard option.value == nil else { return nil }
            let other = name.dropFirst(2).first { declaration.option("-\($0)") == nil }
            return other.map { "unknown option '-\($0)'" }
        }
        guard declaration.option(name) == nil else { return nil }
        // `--all`, which makes a command one for the whole house, is never proposed.
        let names = declaration.options.filter(\.isShown).flatMap(\.names).filter {
            $0.hasPrefix("--") && $0 != "--all"
        }
        let nearest = Suggestions.nearest(to: name, among: names, limit: 1).first
        return "unknown option '\(name)'" + (nearest.map { ". Did you mean '\($0)'?" } ?? "")
    }

    /// Faults in the values that are known by their position.
    private func problem(with values: [String]) -> String? {
        for (index, value) in values.enumerated() {
            guard let argument = declaration.argument(index) else {
                let rest = values[index...]
                return rest.count == 1
                    ? "unexpected argument '\(value)'"
                    : "\(rest.count) unexpected arguments: \(rest.map { "'\($0)'" }.joined(separator: ", "))"
            }
            guard argument.allows(value) else {
                return Self.refusal(of: value, for: "<\(argument.value ?? "")>", argument)
            }
        }
        guard let missing = declaration.arguments.dropFirst(values.count).first(where: { !$0.isOptional }) else {
            return missingOption
        }
        return "missing expected argument '<\(missing.value ?? "")>'" + Self.note(missing)
    }

    private var missingOption: String? {
        let given = Set(arguments.map { String($0.prefix { $0 != "=" }) })
        let missing = declaration.options.first { option in
            !option.isOptional && option.value != nil && option.names.allSatisfy { !given.contains($0) }
        }
        return missing.map { "missing expected argument '\($0.names.last ?? "") <\($0.value ?? "")>'" + Self.note($0) }
    }

    private static func refusal(
        of value: String, for title: String, _ parameter: CommandDeclaration.Parameter
    ) -> String {
        let text = "the value '\(value)' is invalid for '\(title)'"
        guard parameter.values.isEmpty else { return "\(text): use one of \(parameter.values.joined(separator: ", "))" }
        return text + note(parameter)
    }

    /// The purpose of a parameter: its help, in brackets.
    private static func note(_ parameter: CommandDeclaration.Parameter) -> String {
        let help = parameter.help.hasSuffix(".") ? String(parameter.help.dropLast()) : parameter.help
        return help.isEmpty ? "" : " (\(CommandLineError.lowered(help)))"
    }
}

extension CommandDeclaration.Parameter {
    /// Whether a value is one that may stand there, as far as the declaration tells.
    fileprivate func allows(_ value: String) -> Bool {
        guard values.isEmpty else { return values.contains(value) }
        return switch kind {
        case .duration: TimeSpan(argument: value) != nil
        case .number: NameRule.parseNumber(value) != nil
        default: true
        }
    }
}

extension CommandLineError {
    /// Faults in a command line that the parser or the command itself has refused, in the form that all errors have.
    ///
    /// - Parameter arguments: what was parsed.
    init(parsing error: any Error, _ arguments: [String]) {
        let check = LineCheck(arguments, of: MatterCtl.self)
        var hint = "usage: \(check.usage); see: \(check.command) --help"
        let reason: String
        if LeadingOptions.precede(arguments, of: MatterCtl.self), let option = arguments.first {
            reason = "unknown option '\(option.prefix { $0 != "=" })'"
            if let nearest = LeadingOptions.nearest(to: option) {
                hint = "did you mean \(nearest)?"
            } else {
                hint = "options of a single command belong after it: matterctl COMMAND \(option)"
            }
        } else {
            // A fact that the declaration does not tell is said by a type, or by the command.
            reason = check.problem ?? Self.lowered(MatterCtl.message(for: error))
        }
        self.init(.usage, reason, hint: Hint(hint))
    }

    /// A sentence for the middle of another one. Names and abbreviations stay as they are.
    fileprivate static func lowered(_ text: String) -> String {
        guard let first = text.first, first.isUppercase, text.dropFirst().first.map({ !$0.isUppercase }) ?? false else {
            return text
        }
        return first.lowercased() + text.dropFirst()
    }
}
