import MatterBase
import TestSupport
import Testing

@testable import MatterNetwork

@Suite struct SessionParametersTests {
    private func decode(_ octets: String, base: ReliabilityParameters = .standard) throws -> SessionParameters {
        try SessionParameters(TLVFields(decoding: hex(octets), "session parameters"), base: base)
    }

    @Test("every field is written under its tag, ascending")
    func form() throws {
        let parameters = SessionParameters(
            reliability: .slow, dataModelRevision: 18, interactionModelRevision: 11,
            specificationVersion: 0x0104_0000, maxPathsPerInvoke: 9)
        let octets = hex("15 2501b004 2502bc02 25038403 240412 24050b 260600000401 240709 18")
        #expect(TLVElement(.anonymous, parameters.value).encoded() == octets)
        #expect(try SessionParameters(TLVFields(decoding: octets, "parameters")) == parameters)
    }

    @Test("what is absent has its default, or what was known before")
    func absent() throws {
        #expect(try decode("15 18") == SessionParameters())
        #expect(try SessionParameters(nil) == SessionParameters())
        let known = try decode("15 2502e803 18", base: .slow)
        #expect(
            known.reliability
                == ReliabilityParameters(
                    idleInterval: .milliseconds(1200), activeInterval: .milliseconds(1000),
                    activeThreshold: .milliseconds(900)))
        #expect(known.maxPathsPerInvoke == 1 && known.specificationVersion == nil)
    }

    @Test("unknown fields, TCP's among them, are ignored in any order")
    func unknown() throws {
        let parameters = try decode("15 240805 2609ffff0000 2c1e0161 24040a 18")
        #expect(parameters == SessionParameters(dataModelRevision: 10))
    }

    @Test("intervals beyond an hour are capped, and a peer takes at least one path per invoke")
    func limits() throws {
        let parameters = try decode("15 2601ffffffff 2602ffffffff 2503ffff 240700 18")
        #expect(parameters.reliability.idleInterval == .seconds(3600))
        #expect(parameters.reliability.activeInterval == .seconds(3600))
        #expect(parameters.reliability.activeThreshold == .milliseconds(65_535))
        #expect(parameters.maxPathsPerInvoke == 1)
    }

    @Test(
        "fields of another type or out of range are refused",
        arguments: [
            "15 300101aa 18", "15 2901 18", "15 2701ffffffffff000000 18", "15 260300000100 18", "15 2604ffff0100 18",
            "15 2001ff 18", "15 2c070131 18",
        ])
    func refused(octets: String) {
        #expect(throws: TLVError.self) { try decode(octets) }
    }

    @Test("milliseconds survive there and back")
    func milliseconds() throws {
        var lost: [Int] = []
        for number in Array(0...3000) + Array(stride(from: 3001, through: 3_600_000, by: 997)) + [3_600_000] {
            let interval = Duration.milliseconds(number)
            let written = SessionParameters(
                reliability: ReliabilityParameters(
                    idleInterval: interval, activeInterval: interval, activeThreshold: .milliseconds(number % 65_536)))
            let read = try SessionParameters(TLVFields(written.value, "parameters"))
            if read.reliability != written.reliability { lost.append(number) }
        }
        #expect(lost == [])
    }

    @Test("our own say that we are awake, and which revisions we speak")
    func own() {
        #expect(SessionParameters.own.reliability == .standard)
        #expect(SessionParameters.own.specificationVersion != nil)
    }
}
