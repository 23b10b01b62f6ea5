import ArgumentParser
import MatterController

struct Decode: LocalCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode", abstract: "Show the Matter messages of a capture in plain words.",
        discussion: """
            Reads pcap and pcapng, as tcpdump, Wireshark and --trace FILE.pcapng write them. Handshakes and mDNS need no key; \
            messages to groups are opened with the keys of the fabric, sessions with a key log (MATTERCTL_KEYLOG=FILE). \
            Damaged packets are named, and end nothing.

            Example: matterctl decode house.pcapng --keys house.keys
            """)
    /// A capture is read whole.
    private static let largest = 1 << 30

    @Argument(help: "A pcap or pcapng file; - for stdin.", completion: .kind(.file)) var file: String
    @Option(
        help: ArgumentHelp("The sessions' keys: a file that MATTERCTL_KEYLOG has written.", valueName: "FILE"),
        completion: .kind(.file))
    var keys: String?
    @Flag(help: "Show PINs, passwords and keys; only on a terminal, or with --yes.") var traceSecrets = false
    @Flag(help: "Show secrets also where the output is not a terminal.") var yes = false
    @OptionGroup(title: HelpPage.common) var state: StateOptions

    var output: OutputOptions { state.output }

    func execute() async throws {
        try TraceSetup.check(secrets: traceSecrets, isConfirmed: yes || console.isTerminal)
        var decoder = try CaptureDecoder(
            try InputFile.contents(file, upTo: Self.largest), keys: try traceKeys(), showsSecrets: traceSecrets)
        while let message = decoder.next() {
            if console.isJSON {
                console.result(message.json)
            } else {
                console.text(message.text)
            }
            try Task.checkCancellation()
        }
        console.message(Self.summary(decoder.counts))
    }

    /// Those of the fabric, if there is one, and those of the file.
    private func traceKeys() throws -> TraceKeys {
        let controller = try state.controller()
        var found: TraceKeys
        if state.fabricName != nil {
            found = try controller.context.traceKeys()
        } else {
            // Without a fabric the rest is read all the same.
            found = (try? controller.context.traceKeys()) ?? TraceKeys()
        }
        guard let keys else { return found }
        let faults = found.add(keyLog: String(decoding: try InputFile.contents(keys), as: UTF8.self))
        if let first = faults.first {
            console.warning(
                "\(TerminalText.escaped(keys)): \(faults.count == 1 ? "a line is" : "\(faults.count) lines are") not a key, "
                    + "the first is line \(first)")
        }
        return found
    }

    private static func summary(_ counts: CaptureDecoder.Counts) -> String {
        func number(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
        return number(counts.messages, "Matter message") + (counts.sealed > 0 ? " (\(counts.sealed) sealed)" : "")
            + ", "
            + number(counts.multicastDNS, "mDNS message") + ", " + number(counts.others, "other packet") + ", "
            + number(counts.faults, "fault")
    }
}
