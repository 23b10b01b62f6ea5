import TestSupport
import Testing

@testable import MatterNetwork

@Suite struct StatusReportTests {
    @Test(
        "the reports of the secure channel have the form of the specification",
        arguments: [
            (StatusReport.sessionEstablished, "0000 00000000 0000"), (.noSharedTrustRoots, "0100 00000000 0100"),
            (.invalidParameter, "0100 00000000 0200"), (.closeSession, "0000 00000000 0300"),
            (.busy(wait: .milliseconds(5000)), "0800 00000000 0400 8813"),
            (.busy(wait: .seconds(100)), "0800 00000000 0400 ffff"),
            (
                StatusReport(
                    generalCode: 16, protocolID: ProtocolID(vendor: 0xFFF1, number: 2), protocolCode: 7, data: [9]),
                "1000 0200f1ff 0700 09"
            ),
        ])
    func form(report: StatusReport, octets: String) throws {
        #expect(report.encoded() == hex(octets))
        #expect(try StatusReport(decoding: hex(octets)) == report)
    }

    @Test("only general success with code 0 of the secure channel is success")
    func success() throws {
        #expect(StatusReport.sessionEstablished.isSuccess)
        let others = ["0100 00000000 0000", "0000 00000000 0300", "0000 01000000 0000", "0000 0000f1ff 0000"]
        for octets in others { #expect(try !StatusReport(decoding: hex(octets)).isSuccess, "\(octets)") }
    }

    @Test("a busy report carries its wait; without one it is five seconds")
    func busy() throws {
        #expect(try StatusReport(decoding: hex("0800 00000000 0400 e803")).busyWait == .milliseconds(1000))
        #expect(try StatusReport(decoding: hex("0800 00000000 0400")).busyWait == .milliseconds(5000))
        #expect(try StatusReport(decoding: hex("0800 00000000 0400 e8")).busyWait == .milliseconds(5000))
        #expect(try StatusReport(decoding: hex("0100 00000000 0400 e803")).busyWait == .milliseconds(1000))
        #expect(StatusReport.invalidParameter.busyWait == nil)
        #expect(StatusReport.busy(wait: .milliseconds(0)).busyWait == .zero)
    }

    @Test("a report shorter than eight octets is refused")
    func truncated() {
        for count in 0..<8 {
            let error = #expect(throws: SecureChannelError.self) {
                try StatusReport(decoding: [UInt8](repeating: 0, count: count))
            }
            #expect(error?.code == .malformed && error?.reply == nil)
        }
    }

    @Test("codes are named where they have a name")
    func description() {
        #expect("\(StatusReport.invalidParameter)" == "failure, invalidParameter")
        #expect("\(StatusReport(generalCode: 99, protocolCode: 99))" == "general code 99, protocol 0:0 code 99")
    }

    @Test("reported failures keep their meaning")
    func errors() {
        let busy = SecureChannelError(reported: .busy(wait: .milliseconds(1500)))
        #expect(busy.code == .busy && busy.wait == .milliseconds(1500) && busy.reply == nil)
        #expect(SecureChannelError(reported: .noSharedTrustRoots).code == .noSharedTrustRoots)
        let rejected = SecureChannelError(reported: .invalidParameter)
        #expect(rejected.code == .rejected && rejected.reply == nil && rejected.reason.contains("invalidParameter"))
    }
}
