import MatterBase
import MatterTestKit
import Testing

@testable import MatterController
@testable import MatterModel

/// The place and the time source that a device is given.
@Suite("Commissioning flow: regulation and time sources") struct RegulationTests {
    private static func regulations(_ journey: Journey) -> [String] {
        journey.commands.compactMap { command in
            if case .setRegulatoryConfig(let location, let country, _) = command {
                "\(location) \(country)"
            } else {
                nil
            }
        }
    }

    @Test(
        "a device that leaves no choice gets its capability, another one the user's wish, or what it is set to",
        arguments: [
            (0, nil, 2, "0"), (1, 0, 2, "1"), (2, 0, 1, "0"), (2, nil, 1, "1"), (2, nil, nil, "2"),
        ] as [(UInt64, UInt8?, UInt64?, String)])
    func location(capability: UInt64, wish: UInt8?, present: UInt64?, told: String) throws {
        let journey = try Journey.run {
            $0.configuration.location = wish
            $0.device.attributes[FakeDevice.general(3)] = .uint(capability)
            $0.device.attributes[FakeDevice.general(2)] = present.map { .uint($0) }
        }
        #expect(journey.error == nil && Self.regulations(journey) == [told + " XX"])
    }

    private static let outOfRange = CommandResult.Outcome.response(
        command: 3, fields: .structure([TLVElement(0, .uint(1)), TLVElement(1, .string(""))]))

    @Test("a country that the device does not take is told as unknown, with a note, once")
    func country() throws {
        let journey = try Journey.run {
            $0.configuration.country = "DE"
            $0.device.oddities["SetRegulatoryConfig"] = Self.outOfRange
        }
        #expect(Self.regulations(journey) == ["2 DE", "2 XX"])
        #expect(journey.log.contains { $0.hasPrefix("note: the device does not take the country DE") })
        #expect(journey.error?.code == .deviceRefused && journey.undo == .disarm)
        let unknown = try Journey.run { $0.device.oddities["SetRegulatoryConfig"] = Self.outOfRange }
        #expect(Self.regulations(unknown) == ["2 XX"] && unknown.error?.code == .deviceRefused)
    }

    @Test("a time server and a time source go to devices that take them, the source after AddNOC; a refusal is a note")
    func sources() throws {
        let source = CommissioningCommand.setTrustedTimeSource(node: 5, endpoint: 1)
        func journey(_ features: UInt64?, refuses: Bool = false) throws -> Journey {
            try Journey.run {
                $0.configuration.ntpServer = "fd00::1"
                $0.configuration.timeSource = (5, 1)
                $0.device.timeFeatures = features
                if refuses {
                    for command in ["SetDefaultNTP", "SetTrustedTimeSource"] {
                        $0.device.oddities[command] = .status(StatusIB(.invalidCommand))
                    }
                }
            }
        }
        let able = try journey(0b1010)
        #expect(able.error == nil && able.commands.contains(.setDefaultNTP("fd00::1")))
        let place = try #require(able.commands.firstIndex(of: source))
        #expect(able.names[place - 1] == "AddNOC")
        let simple = try journey(0)
        #expect(simple.error == nil && !simple.names.contains("SetDefaultNTP") && !simple.commands.contains(source))
        let none = try journey(nil)
        #expect(none.error == nil && !none.names.contains("SetUTCTime"))
        let refusing = try journey(0b1010, refuses: true)
        #expect(refusing.error == nil && refusing.log.count { $0.hasPrefix("note: the device does not take") } == 2)
    }

    @Test("breadcrumbs only grow, and none is given twice")
    func breadcrumbs() throws {
        let journey = try Journey.run { $0.configuration.country = "DE" }
        let crumbs = journey.commands.compactMap { command -> UInt64? in
            switch command {
            case .armFailSafe(_, let crumb), .setRegulatoryConfig(_, _, let crumb): crumb
            default: nil
            }
        }
        #expect(crumbs.count > 2 && crumbs == crumbs.sorted() && Set(crumbs).count == crumbs.count)
    }
}
