import MatterBase
import MatterTestKit
import TestSupport
import Testing

@testable import MatterController
@testable import MatterModel

/// Devices whose manufacturer's terms have to be accepted.
@Suite("Commissioning flow: terms")
struct TermsTests {
    private static let answer = TermsAcknowledgement(version: 3, response: 5)

    private func journey(
        minimum: UInt16 = 3, isRequired: Bool = true, answer: TermsAcknowledgement? = answer,
        _ change: (inout Journey) throws -> Void = { _ in }
    ) throws -> Journey {
        try Journey.run {
            $0.device.attributes.merge(FakeDevice.terms(minimum: minimum, isRequired: isRequired)) { $1 }
            $0.configuration.terms = { _ in answer }
            try change(&$0)
        }
    }

    @Test("accepted terms go to the device after the verdict and inside the fail-safe, before anything is added")
    func order() throws {
        let journey = try journey { $0.verdict = .afterEverythingElse }
        #expect(journey.error == nil && journey.result != nil)
        #expect(journey.commands.contains(.setTCAcknowledgements(Self.answer)))
        let start = try #require(journey.names.firstIndex(of: "SetRegulatoryConfig"))
        #expect(journey.names[(start + 1)...].starts(with: ["SetTCAcknowledgements", "AddTrustedRootCertificate"]))
        #expect(journey.log.prefix { $0 != "SetTCAcknowledgements" }.contains("verify"))
    }

    @Test("the time follows the terms")
    func time() throws {
        let journey = try journey { $0.device.timeFeatures = 0 }
        let start = try #require(journey.names.firstIndex(of: "SetTCAcknowledgements"))
        #expect(journey.names[start + 1] == "SetUTCTime")
    }

    @Test(
        "a device that does not ask for terms, or has them accepted already, gets no answer, and no question is asked")
    func unasked() throws {
        let asked = Seen()
        for attributes in [[:], FakeDevice.terms(minimum: 3, isRequired: false)] {
            let journey = try Journey.run {
                $0.device.attributes.merge(attributes) { $1 }
                $0.configuration.terms = { _ in
                    asked.note("asked", [])
                    return Self.answer
                }
            }
            #expect(journey.error == nil && !journey.names.contains("SetTCAcknowledgements"))
        }
        #expect(!asked.has("asked"))
    }

    @Test("without an answer, or with one to an older version, the device is asked for nothing, and is disarmed")
    func missingAnswer() throws {
        let cases: [(TermsAcknowledgement?, String)] = [
            (nil, "version 4 or later"), (Self.answer, "version 4 or later, not 3"),
        ]
        for (answer, words) in cases {
            let journey = try journey(minimum: 4, answer: answer)
            let error = try #require(journey.error)
            #expect(error.code == .termsRequired && error.stage == .readInfo && error.reason.hasSuffix(words))
            #expect(
                error.terms
                    == TermsDemand(
                        vendorID: FakeDevice.vendorID, productID: FakeDevice.productID, minimumVersion: 4))
            #expect(error.facts.map(\.name) == ["vendorId", "productId", "termsVersion"])
            #expect(error.hint == .step("terms.accept"))
            #expect(journey.names == ["ArmFailSafe"] && journey.undo == .disarm)
        }
    }

    @Test("the required version that a device does not name is any, and an odd feature map is none")
    func oddAttributes() throws {
        let minimum = FakeDevice.general(GeneralCommissioning.Attribute.tcMinRequiredVersion)
        let unnamed = try journey { $0.device.attributes[minimum] = .string("3") }
        #expect(unnamed.names.contains("SetTCAcknowledgements"))
        let odd = try journey { $0.device.attributes[FakeDevice.general(GlobalAttribute.featureMap)] = .string("1") }
        #expect(odd.error == nil && !odd.names.contains("SetTCAcknowledgements"))
    }

    @Test(
        "terms that the device refuses end the commissioning, and it is disarmed",
        arguments: ["SetTCAcknowledgements", "CommissioningComplete"], [5, 6, 7] as [UInt64])
    func refused(command: String, code: UInt64) throws {
        let journey = try journey {
            $0.device.oddities[command] = .response(command: 7, fields: .structure([TLVElement(0, .uint(code))]))
        }
        let error = try #require(journey.error)
        #expect(error.code == .deviceRefused && error.reason.contains(command))
        #expect(journey.undo == (command == "CommissioningComplete" ? .disarmPending : .disarm))
    }

    @Test(
        "the command has the bytes of the official controller's definitions, which are asked where they are installed")
    func bytes() throws {
        let cases: [(UInt16, UInt16, String)] = [
            (1, 1, "1524000124010118"), (3, 5, "1524000324010518"), (0xFFFF, 0xFFFF, "152500ffff2501ffff18"),
            (256, 0, "152500000124010018"),
        ]
        for (version, response, digits) in cases {
            let command = CommissioningCommand.setTCAcknowledgements(.init(version: version, response: response))
                .command
            #expect(command.path.cluster == 0x30 && command.path.command == 6)
            let ours = TLVElement(.anonymous, command.fields).encoded()
            #expect(hexString(ours) == digits, "\(version):\(response)")
            guard PeerPython.hasController else { continue }
            let program = """
                from chip.clusters import Objects as c
                print(c.GeneralCommissioning.Commands.SetTCAcknowledgements(\(version), \(response)).ToTLV().hex())
                """
            #expect(try PeerPython.run("-c", program).output == digits + "\n")
        }
    }
}
