import Glibc
import MatterController

/// Asks for text on the terminal.
public enum Prompt {
    /// - Parameters:
    ///   - isSecret: the answer is not shown while it is typed.
    ///   - hint: the next step where there is no terminal.
    /// - Throws: `CancellationError` if the user interrupts; the terminal shows again what is typed.
    public static func line(_ question: String, isSecret: Bool, hint: String) throws -> String {
        let terminal = Terminal.current
        guard terminal.isTerminal(.input) else {
            throw CommandLineError(
                .usageNoTerminal, "\(named(question)) is needed, and there is no terminal to ask for it",
                hint: Hint(hint))
        }
        var settings = termios()
        let isHidden = isSecret && tcgetattr(terminal.input, &settings) == 0
        if isHidden {
            // Before the question: who answers at once (a script, a fast paste) must not be shown, nor be thrown away.
            var silent = settings
            silent.c_lflag &= ~tcflag_t(ECHO)
            tcsetattr(terminal.input, TCSAFLUSH, &silent)
        }
        defer { if isHidden { tcsetattr(terminal.input, TCSANOW, &settings) } }
        terminal.message("\(question):")
        guard let line = try StandardInput.line(), !line.isEmpty else {
            throw CommandLineError(.usageNoAnswer, "\(named(question)) is needed, and nothing was entered")
        }
        return line
    }

    /// The words for what is asked for, in a sentence.
    private static func named(_ question: String) -> String {
        question.hasPrefix("the ") ? question : "the " + question
    }

    /// Asks while other work goes on: no thread waits.
    ///
    /// - Returns: the answer, which may be empty; `nil` if there will be none.
    /// - Throws: `CancellationError` if the user interrupts; the terminal shows again what is typed.
    static func awaited(_ question: String, isSecret: Bool) async throws -> String? {
        let terminal = Terminal.current
        var settings = termios()
        let isHidden = isSecret && tcgetattr(terminal.input, &settings) == 0
        if isHidden {
            var silent = settings
            silent.c_lflag &= ~tcflag_t(ECHO)
            tcsetattr(terminal.input, TCSANOW, &silent)
        }
        defer {
            if isHidden {
                tcsetattr(terminal.input, TCSANOW, &settings)
                terminal.error("\n")
            }
        }
        terminal.error(question)
        return try await StandardInput.awaitedLine()
    }
}
