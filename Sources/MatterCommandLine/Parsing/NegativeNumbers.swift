import ArgumentParser

/// Lets a negative number, with or without a unit, stand as a value without `--`.
struct NegativeNumbers {
    /// The options of the command that take no value.
    private let flags: Set<String>

    static func escaped(_ arguments: [String], of root: any ParsableCommand.Type) -> [String] {
        guard !arguments.contains("--"), arguments.contains(where: isNegativeNumber) else { return arguments }
        var type = root
        for argument in arguments {
            guard let next = type.configuration.subcommands.first(where: { $0.answers(to: argument) }) else { break }
            type = next
        }
        return NegativeNumbers(of: type).escaped(arguments)
    }

    private init(of command: any ParsableCommand.Type) { flags = CommandDeclaration(of: command).flags }

    private func escaped(_ arguments: [String]) -> [String] {
        guard let first = firstValue(in: arguments) else { return arguments }
        // Everything from the number on that is no option, nor the value of one, has to come after the terminator.
        var options: [String] = []
        var values: [String] = []
        var rest = arguments[first...]
        while let argument = rest.popFirst() {
            guard Self.isOption(argument) else {
                values.append(argument)
                continue
            }
            options.append(argument)
            if takesNext(argument), let value = rest.popFirst() { options.append(value) }
        }
        return Array(arguments[..<first]) + options + ["--"] + values
    }

    /// The first negative number that is not the value of an option.
    private func firstValue(in arguments: [String]) -> Int? {
        var isTaken = false
        for (index, argument) in arguments.enumerated() {
            if Self.isNegativeNumber(argument), !isTaken { return index }
            isTaken = !isTaken && Self.isOption(argument) && takesNext(argument)
        }
        return nil
    }

    private func takesNext(_ option: String) -> Bool {
        guard !option.contains("="), !flags.contains(option) else { return false }
        // Several short ones may stand together: -vv.
        return option.hasPrefix("--") || !option.dropFirst().allSatisfy { flags.contains("-\($0)") }
    }

    private static func isOption(_ argument: String) -> Bool {
        argument.hasPrefix("-") && argument != "-" && !isNegativeNumber(argument)
    }

    /// `-5`, `-0.5`, `-5C`: no option begins with a digit.
    static func isNegativeNumber(_ argument: String) -> Bool {
        let octets = argument.utf8
        guard octets.first == UInt8(ascii: "-") else { return false }
        let digits = octets.dropFirst()
        let first = digits.first == UInt8(ascii: ".") ? digits.dropFirst().first : digits.first
        return first.map { 0x30...0x39 ~= $0 } ?? false
    }
}
