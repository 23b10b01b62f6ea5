import Synchronization
import TestSupport
import Testing

@testable import MatterCommandLine
@testable import MatterController

/// The view of a person while a list is commissioned.
@Suite("Progress of a list", .fewAtATime) struct ListProgressTests {
    private let written = Written()

    private final class Written: Sendable {
        private let text = Mutex("")
        var all: String { text.withLock { $0 } }
        func add(_ more: String) { text.withLock { $0 += more } }
    }

    private func progress(_ style: ProgressStyle, isTerminal: Bool, isJSON: Bool = false) -> ListProgress {
        let terminal = Terminal(
            input: 0, environment: { _ in nil }, isTerminal: { _ in isTerminal },
            write: { [written] text, _ in
                written.add(text)
                return 0
            })
        return Terminal.$current.withValue(terminal) { ListProgress(style, count: 3, isJSON: isJSON) }
    }

    @Test("a terminal has one line that changes, which is away while a result is printed and at the end")
    func live() {
        let progress = progress(.auto, isTerminal: true)
        progress.report(.began(.pase), of: 2)
        progress.end(isFailure: false) { written.add("RESULT\n") }
        progress.end(isFailure: true) {}
        let clear = "\r" + String(repeating: " ", count: 21) + "\r"
        #expect(written.all.hasPrefix("… 0 of 3 commissioned" + clear + "RESULT\n… 1 of 3 commissioned" + clear))
        #expect(written.all.hasSuffix("… 1 of 3 commissioned, 1 failed"))
        progress.finish()
        #expect(written.all.hasSuffix("\r") && !written.all.contains("pase"))
    }

    @Test("a log has notes with their line, and no stages; nothing from outside reaches it raw")
    func plain() {
        let progress = progress(.plain, isTerminal: false)
        progress.report(.began(.pase), of: 2)
        progress.report(.ended(.pase, .seconds(1)), of: 2)
        progress.report(.note("it says \u{1B}[2J"), of: 2)
        progress.end(isFailure: false) {}
        #expect(written.all == "note: line 2: it says \\x1b[2J\n", "\(written.all)")
    }

    @Test("programs get every stage with its line, if they ask for it")
    func json() {
        progress(.auto, isTerminal: false, isJSON: true).report(.began(.pase), of: 2)
        #expect(written.all.isEmpty)
        progress(.json, isTerminal: false, isJSON: true).report(.began(.pase), of: 2)
        #expect(written.all == #"{"progress":{"line":2,"stage":"pase","state":"started"}}"# + "\n")
    }
}
