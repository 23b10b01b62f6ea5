import MatterBase
import MatterCrypto
import Synchronization
import Testing

@testable import MatterController
@testable import MatterModel
@testable import MatterNetwork

/// The judgement of a device before it is sold, from what was seen.
@Suite("Cases of a device check") struct DeviceCheckTests {
    private typealias Facts = DeviceCheckFacts

    private static func code(_ vendor: UInt16? = 0xFFF1, _ product: UInt16? = 0x8001) throws -> SetupPayload {
        SetupPayload(
            vendorID: vendor, productID: product, discoveryCapabilities: .onNetwork,
            discriminator: try SetupDiscriminator(long: 3840), passcode: try SetupPasscode(20_202_021))
    }

    private static func loss(_ script: LossScript, answered: Int = 4, faults: Int = 3) -> DeviceCheckFacts.Loss {
        DeviceCheckFacts.Loss(script: script, asked: 4, answered: answered, datagrams: 20, faults: faults)
    }

    /// Of a device that is in order.
    private static func sound() throws -> DeviceCheckFacts {
        var facts = DeviceCheckFacts(code: try code())
        facts.discovery = .done(
            Facts.Advertisement(
                instance: "A1", addresses: ["fd00::1"], discriminator: 3840, vendorID: 0xFFF1, productID: 0x8001,
                time: .milliseconds(120)))
        facts.commissioning = .done(
            Facts.Commissioning(
                vendorID: 0xFFF1, productID: 0x8001, address: "[fd00::1]:5540",
                stages: [StageTime(stage: .pase, duration: .milliseconds(250))], total: .seconds(2)))
        var attestation = AttestationReport.skipped
        attestation.verdict = .trusted
        facts.attestation = .done(attestation)
        facts.conformance = .done(report())
        facts.loss = .done(LossScript.all.map { loss($0) })
        facts.window = .done(Facts.Window(opened: .enhanced, closed: .closed))
        facts.second = .done(Facts.Second(indices: [1, 2], sharesChanges: true))
        facts.removal = .done(Facts.Removal(admitsOld: false, isOpen: true))
        return facts
    }

    private static func report(_ findings: [ConformanceFinding] = []) -> ConformanceReport {
        ConformanceReport(
            specification: "1.6.0", specificationVersion: 0x0106_0000, isStrict: true, endpoints: [0, 1], clusters: [],
            attributes: 20, findings: findings)
    }

    private static func verdict(
        _ kind: DeviceCheckCase.Kind, _ change: (inout DeviceCheckFacts) throws -> Void
    ) throws -> DeviceCheckCase {
        var facts = try sound()
        try change(&facts)
        let cases = facts.cases
        // One fact decides one case.
        let others = cases.filter { $0.kind != kind && $0.verdict != .passed }.map(\.kind)
        #expect(others.isEmpty, "\(kind): \(others)")
        return try #require(cases.first { $0.kind == kind })
    }

    @Test("a device in order passes every case, in their order, each with evidence")
    func sound() throws {
        let cases = try Self.sound().cases
        #expect(cases.map(\.kind) == DeviceCheckCase.Kind.played)
        #expect(cases.allSatisfy { $0.verdict == .passed }, "\(cases.filter { $0.verdict != .passed })")
        #expect(cases.allSatisfy { !$0.evidence.isEmpty || $0.kind == .attestation })
        #expect(cases[2].evidence.contains(DeviceCheckCase.Evidence("pase", "250 ms")), "\(cases[2].evidence)")
    }

    @Test("the code and the advertisement have to be those of the device")
    func products() throws {
        for code in [try Self.code(0xFFF2), try Self.code(0xFFF1, 0x8002)] {
            let other = try Self.verdict(.payload) {
                $0.code = code
                $0.discovery = .done(Facts.Advertisement(addresses: ["fd00::1"]))
            }
            #expect(other.verdict == .failed)
        }
        #expect(try Self.verdict(.payload) { $0.code = try Self.code(nil, nil) }.verdict == .passed)
        let advertised = try Self.verdict(.discovery) {
            $0.discovery = .done(Facts.Advertisement(addresses: ["fd00::1"], vendorID: 0xFFF1, productID: 0x8002))
        }
        #expect(advertised.verdict == .failed && advertised.reason.contains("another product"))
        let silent = try Self.verdict(.discovery) { $0.discovery = .done(Facts.Advertisement(vendorID: 0xFFF1)) }
        #expect(silent.verdict == .failed && silent.reason.contains("no address"))
        // A device need not say it.
        #expect(
            try Self.verdict(.discovery) { $0.discovery = .done(Facts.Advertisement(addresses: ["fd00::1"])) }.verdict
                == .passed)
    }

    @Test("what is not trusted, breaks rules or does not answer fails; a skipped judgement is none")
    func judgements() throws {
        for (verdict, expected) in [
            (AttestationVerdict.trusted, DeviceCheckCase.Verdict.passed), (.test, .passed), (.untrusted, .failed),
            (.distrusted, .failed), (.withdrawn, .failed), (.incomplete, .failed), (.skipped, .failed),
        ] {
            let one = try Self.verdict(.attestation) {
                var report = AttestationReport.skipped
                report.verdict = verdict
                $0.attestation = .done(report)
            }
            #expect(one.verdict == expected && one.reason.contains(verdict.rawValue), "\(verdict)")
        }
        func finding(_ severity: ConformanceSeverity) -> ConformanceFinding {
            ConformanceFinding(
                kind: .attributeMissing, severity: severity, endpoint: 1, cluster: 6, clusterName: "OnOff",
                element: "<b>", expected: "one", found: "none")
        }
        let mild = try Self.verdict(.conformance) { $0.conformance = .done(Self.report([finding(.warning)])) }
        #expect(mild.verdict == .passed && mild.reason == "no failure, 1 warning, 0 notes")
        let grave = try Self.verdict(.conformance) { $0.conformance = .done(Self.report([finding(.failure)])) }
        #expect(grave.reason == "1 failure, 0 warnings, 0 notes")
        #expect(grave.verdict == .failed && grave.evidence.contains { $0.text.hasPrefix("1/OnOff/<b>: ") })
        let failed = try Self.verdict(.commissioning) { $0.commissioning = .failed("no \u{1B}[2J") }
        #expect(failed.verdict == .failed && failed.reason == "no \u{1B}[2J", "it is escaped where it is shown")
    }

    @Test("under loss every question has to be answered, and faults that hit nothing prove nothing")
    func losses() throws {
        let deaf = try Self.verdict(.loss) {
            $0.loss = .done([Self.loss(.duplicates), Self.loss(.silence(.seconds(2)), answered: 3)])
        }
        #expect(
            deaf.verdict == .failed && deaf.reason.hasSuffix("while nothing comes through for 2 s"), "\(deaf.reason)")
        #expect(try Self.verdict(.loss) { $0.loss = .done([Self.loss(.duplicates, faults: 0)]) }.verdict == .notTried)
        #expect(try Self.verdict(.loss) { $0.loss = .done([]) }.verdict == .notTried)
    }

    @Test("a window that says something else, one fabric for two, and a fabric that comes back fail")
    func fabrics() throws {
        #expect(try Self.verdict(.window) { $0.window = .done(Facts.Window(opened: .basic)) }.verdict == .failed)
        #expect(try Self.verdict(.window) { $0.window = .done(Facts.Window()) }.verdict == .failed)
        let open = try Self.verdict(.window) { $0.window = .done(Facts.Window(opened: .enhanced, closed: .enhanced)) }
        #expect(open.verdict == .failed)
        for second in [
            Facts.Second(indices: [1, 1], sharesChanges: true), Facts.Second(indices: [1], sharesChanges: true),
            Facts.Second(indices: [1, 2], sharesChanges: false),
        ] {
            #expect(try Self.verdict(.secondAdministrator) { $0.second = .done(second) }.verdict == .failed)
        }
        let back = try Self.verdict(.removal) { $0.removal = .done(Facts.Removal(admitsOld: true, isOpen: true)) }
        #expect(back.verdict == .failed)
        let closed = try Self.verdict(.removal) { $0.removal = .done(Facts.Removal()) }
        #expect(closed.verdict == .passed && closed.reason.contains("not open for commissioning"))
    }

    @Test("what was not tried says why, and is no failure")
    func notTried() throws {
        let one = try Self.verdict(.discovery) { $0.discovery = .not("an address was given") }
        #expect(one.verdict == .notTried && one.reason == "an address was given" && one.evidence.isEmpty)
    }
}

/// Faults of the radio on a link of our own.
@Suite("Faulty links") struct FaultyLinksTests {
    /// Counts what is sent, and hears what it is told to.
    private final class Wire: LinkProvider, DatagramLink {
        private let state = Mutex((sent: [[UInt8]](), receive: (@Sendable ([UInt8], PeerAddress) -> Void)?.none))

        let properties = LinkProperties.udp
        let port: UInt16 = 1
        let isOpen = true

        var sent: [[UInt8]] { state.withLock(\.sent) }

        func open(
            port: UInt16, on eventLoop: any EventLoop,
            receive: @escaping @Sendable ([UInt8], PeerAddress) -> Void
        ) async throws(TransportError) -> any DatagramLink {
            state.withLock { $0.receive = receive }
            return self
        }

        func send(_ message: [UInt8], to address: PeerAddress) -> Int32? {
            state.withLock { $0.sent.append(message) }
            return nil
        }

        func hear(_ message: [UInt8], from address: PeerAddress) { state.withLock(\.receive)?(message, address) }

        func multicast(_ message: [UInt8], to group: PeerAddress) -> [MulticastAttempt] { [] }
        func join(_ groups: Set<PeerAddress>) async throws(TransportError) {}
        func close() async {}
    }

    @Test("each play hits what it names, is counted, and ends")
    func plays() async throws {
        let wire = Wire()
        let links = FaultyLinks(wire, SystemTime())
        let heard = Mutex(0)
        let address = try PeerAddress(parsing: "[fd00::1]:5540")
        let link = try await links.open(port: 0, on: SocketLoop.main) { _, _ in heard.withLock { $0 += 1 } }
        func play(_ script: LossScript?) -> (sent: Int, heard: Int, faults: Int) {
            let before = (wire.sent.count, heard.withLock { $0 })
            links.play(script)
            for number in 0..<6 {
                _ = link.send([UInt8(number)], to: address)
                wire.hear([UInt8(number)], from: address)
            }
            return (wire.sent.count - before.0, heard.withLock { $0 } - before.1, links.counts.faults)
        }
        #expect(play(.losesOurs(every: 3)) == (4, 6, 2))
        #expect(play(.losesTheirs(every: 3)) == (6, 4, 2))
        #expect(play(.duplicates) == (12, 6, 6))
        #expect(play(.silence(.seconds(60))) == (0, 0, 12))
        #expect(play(.silence(.zero)) == (6, 6, 0))
        #expect(play(nil) == (6, 6, 0))
    }

    @Test("a long log and many messages keep their beginning and their end")
    func trace() {
        let trace = CheckTrace(SystemTime())
        for number in 0..<1000 { trace.add("debug: line \(number)") }
        for number in 0..<121 { trace.add(message: "message \(number)") }
        trace.add(message: (0..<61).map { "\($0)" }.joined(separator: "\n"))
        let (lines, messages) = trace.take()
        #expect(lines.count == 301 && lines[0].hasSuffix(" debug: line 0") && lines[300].hasSuffix("line 999"))
        #expect(lines[150] == "… 700 lines …" && trace.take().lines.isEmpty)
        #expect(messages.count == 121 && messages[0] == "message 0" && messages[60] == "… 2 messages …")
        #expect(messages[120].hasSuffix("\n59\n    … 1 line …") && trace.take().messages.isEmpty)
    }
}
