import MatterBase

/// The faults that a virtual device plays, as `--fault` gives them: words with parameters, separated by commas.
///
/// | word | what happens |
/// | --- | --- |
/// | `drop:P` | each datagram, either way, is lost with probability P (0…1) |
/// | `duplicate:P` | each datagram arrives twice with probability P |
/// | `reorder:P` | each datagram is held back for 5 to 100 ms with probability P, so that later ones overtake it |
/// | `delay:MS[:P]` | each datagram takes so many milliseconds longer, with probability P (1) |
/// | `ignore:OPCODE:N` | the N-th message of an opcode is not acted upon; it is still acknowledged |
/// | `mute:OPCODE:N` | the N-th message of an opcode is acted upon and not answered |
/// | `garble:N` | the N-th command is carried out, and its answer cannot be decoded |
/// | `slow-answer:MS` | every command is carried out, and its answer comes MS later |
/// | `busy:N[:MS]` | the first N Sigma1 are answered BUSY with a wait of MS (500) |
/// | `reboot:STEP` | forgets all sessions and starts again right after a step, before the answer, once |
/// | `fail-safe:S` | no fail-safe is longer than S seconds |
/// | `fabric-table-full` | AddNOC finds no room |
/// | `wrong-nocsr-signature` | the signature of CSRResponse is not valid |
/// | `slow-crypto:MS` | every handshake message and every command with cryptography takes MS longer |
/// | `odd-values:P[:SEED]` | an attribute is reported wrongly with probability P: see ``OddValues`` |
///
/// OPCODE is `pbkdf-param-request`, `pake1`, `pake3`, `sigma1`, `sigma3`, `read`, `write`, `invoke`, `subscribe` or
/// `timed`; STEP is one of those that the device prints: `fail-safe-armed`, `attestation`, `csr`,
/// `terms-accepted`, `root-added`, `noc-added`, `noc-updated`, `complete`, `fabric-removed`, `window-opened`,
/// `pase-established`, `case-established`, `case-resumed`.
package struct FaultPlan: Sendable, Equatable {
    /// One message of a kind, counted from 1.
    struct NthMessage: Sendable, Hashable {
        var isInteraction: Bool
        var opcode: UInt8
        var count: Int
    }

    var dropProbability = 0.0
    var duplicateProbability = 0.0
    var reorderProbability = 0.0
    var delay: Duration?
    var delayProbability = 1.0
    var ignored: Set<NthMessage> = []
    var muted: Set<NthMessage> = []
    /// The commands whose answers cannot be decoded, counted from 1.
    var garbled: Set<Int> = []
    var slowAnswer: Duration?
    var busySigma1 = 0
    var busyWait = Duration.milliseconds(500)
    /// The step after which the device starts again.
    var rebootStep: String?
    /// The longest fail-safe that is granted, in seconds, whatever is asked for.
    package var failSafe: UInt16?
    /// True if CSRResponse carries a signature that is not valid.
    var hasWrongNOCSRSignature = false
    /// True if AddNOC finds no room.
    var hasFullFabricTable = false
    var slowCrypto: Duration?
    var oddValues: OddValues?

    package init() {}

    var impairsDatagrams: Bool {
        dropProbability > 0 || duplicateProbability > 0 || reorderProbability > 0 || delay != nil
    }
}

// MARK: - Words

extension FaultPlan {
    /// The words with a line each, for help.
    package static let words: [(word: String, meaning: String)] = [
        ("drop:P", "lose each datagram with probability P, 0…1"),
        ("duplicate:P", "deliver a datagram twice with probability P"),
        ("reorder:P", "delay a datagram by 5–100 ms with probability P"),
        ("delay:MS[:P]", "delay datagrams by MS, with probability P (1)"),
        ("ignore:OPCODE:N", "acknowledge, but ignore the N-th message of OPCODE"),
        ("mute:OPCODE:N", "do not answer the N-th message of OPCODE"),
        ("garble:N", "run the N-th command, and answer with garbage"),
        ("slow-answer:MS", "answer commands MS after they have run"),
        ("busy:N[:MS]", "answer the first N Sigma1 with BUSY, wait MS (500)"),
        ("reboot:STEP", "restart right after STEP, before the answer, once"),
        ("fail-safe:S", "grant no fail-safe longer than S seconds"),
        ("fabric-table-full", "have no room for another fabric"),
        ("wrong-nocsr-signature", "sign CSRResponse wrongly"),
        ("slow-crypto:MS", "delay every handshake message and cryptographic command by MS"),
        ("odd-values:P[:SEED]", "report an attribute with probability P as another type, out of range or missing"),
    ]

    static let opcodes: [(name: String, isInteraction: Bool, opcode: UInt8)] = [
        ("pbkdf-param-request", false, 0x20), ("pake1", false, 0x22), ("pake3", false, 0x24), ("sigma1", false, 0x30),
        ("sigma3", false, 0x32), ("read", true, 0x02), ("subscribe", true, 0x03), ("write", true, 0x06),
        ("invoke", true, 0x08), ("timed", true, 0x0A),
    ]

    static let steps = [
        "fail-safe-armed", "attestation", "csr", "terms-accepted", "root-added", "noc-added", "noc-updated", "complete",
        "fabric-removed", "window-opened", "pase-established", "case-established", "case-resumed",
    ]

    /// Reads `drop:0.1,busy:2`.
    package init(parsing text: String) throws(SimulatorError) {
        for word in text.split(separator: ",") { try add(word) }
    }

    private mutating func add(_ text: Substring) throws(SimulatorError) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        func wrong(_ why: String) -> SimulatorError {
            SimulatorError(
                .invalidFault, "the fault '\(text)' \(why)",
                hint: "one of: \(Self.words.map(\.word).joined(separator: ", "))")
        }
        func part(_ index: Int) throws(SimulatorError) -> Substring {
            guard index < parts.count, !parts[index].isEmpty else { throw wrong("lacks a parameter") }
            return parts[index]
        }
        func probability(_ index: Int = 1) throws(SimulatorError) -> Double {
            guard let number = Double(try part(index)), (0...1).contains(number) else {
                throw wrong("needs a probability from 0 to 1")
            }
            return number
        }
        func count(_ index: Int) throws(SimulatorError) -> Int {
            guard let number = Int(try part(index)), (0...1_000_000).contains(number) else {
                throw wrong("needs a number")
            }
            return number
        }
        func nth() throws(SimulatorError) -> NthMessage {
            let name = try part(1)
            guard let known = Self.opcodes.first(where: { $0.name == name }) else {
                throw wrong("names no opcode: \(Self.opcodes.map(\.name).joined(separator: ", "))")
            }
            return NthMessage(isInteraction: known.isInteraction, opcode: known.opcode, count: try count(2))
        }
        switch parts.first {
        case "drop": dropProbability = try probability()
        case "duplicate": duplicateProbability = try probability()
        case "reorder": reorderProbability = try probability()
        case "delay":
            delay = .milliseconds(try count(1))
            if parts.count > 2 { delayProbability = try probability(2) }
        case "ignore": ignored.insert(try nth())
        case "mute": muted.insert(try nth())
        case "garble": garbled.insert(try count(1))
        case "slow-answer": slowAnswer = .milliseconds(try count(1))
        case "busy":
            busySigma1 = try count(1)
            if parts.count > 2 { busyWait = .milliseconds(try count(2)) }
        case "reboot":
            let step = String(try part(1))
            guard Self.steps.contains(step) else {
                throw wrong("names no step: \(Self.steps.joined(separator: ", "))")
            }
            rebootStep = step
        case "fail-safe": failSafe = UInt16(clamping: try count(1))
        case "fabric-table-full": hasFullFabricTable = true
        case "wrong-nocsr-signature": hasWrongNOCSRSignature = true
        case "slow-crypto": slowCrypto = .milliseconds(try count(1))
        case "odd-values":
            oddValues = OddValues(
                probability: try probability(), seed: try parts.count > 2 ? UInt64(count(2)) : 1)
        default: throw wrong("is not known")
        }
    }
}
