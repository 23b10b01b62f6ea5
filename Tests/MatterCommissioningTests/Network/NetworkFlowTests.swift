import MatterBase
import MatterTestKit
import Synchronization
import Testing

@testable import MatterController
@testable import MatterCrypto
@testable import MatterModel

/// The network of a device, decision by decision: no link, no time.
@Suite("Commissioning flow: network") struct NetworkFlowTests {
    private static let home = try? WiFiCredential(
        ssid: Array("home".utf8), password: SecretBytes(Array("secret-1".utf8)))
    private static let other = try? WiFiCredential(
        ssid: Array("other".utf8), password: SecretBytes(Array("secret-2".utf8)))
    private static let mesh = try? ThreadDataset(
        name: "mesh", channel: 15, random: SystemRandom())

    private static func wifi() throws -> NetworkCredential { .wifi(try #require(home)) }
    private static func otherWiFi() throws -> NetworkCredential { .wifi(try #require(other)) }
    private static func thread() throws -> NetworkCredential { .thread(try #require(mesh)) }

    /// The names of the stages and commands from AddNOC on.
    private static func tail(_ journey: Journey) -> [String] {
        Array(journey.log.drop { $0 != "AddNOC" }.dropFirst().filter { !$0.hasPrefix("note: ") })
    }

    /// A journey on a link that is no IP network, to a device with a Wi-Fi radio.
    private func journey(
        features: UInt64 = 1, _ change: (inout Journey) throws -> Void = { _ in }
    ) throws -> Journey {
        try Journey.run {
            $0.configuration.isOnNetwork = false
            $0.device.attributes.merge(FakeDevice.interface(features)) { $1 }
            try change(&$0)
        }
    }

    private static let joined = [
        "[network]", "ArmFailSafe", "AddOrUpdateWiFiNetwork", "ConnectNetwork", "[operational-discovery]", "connect 7",
        "[case]", "[complete]", "CommissioningComplete", "[post]", "read endpoints", "finish",
    ]

    // MARK: What is decided

    @Test("a device that is reached over IP, or has a cable, is left where it is; nothing is asked of its radio")
    func kept() throws {
        let overIP = try journey { $0.configuration.isOnNetwork = true }
        #expect(overIP.error == nil && !overIP.names.contains("AddOrUpdateWiFiNetwork"))
        let wired = try journey { journey in
            journey.device.attributes.merge(
                FakeDevice.interface(4, endpoint: 1, networks: [(Array("eth0".utf8), true)])
            ) { $1 }
        }
        #expect(wired.error == nil && !wired.names.contains("AddOrUpdateWiFiNetwork"))
        let without = try Journey.run { $0.configuration.isOnNetwork = false }
        #expect(without.error == nil && without.result != nil, "a device that says nothing of a network")
    }

    @Test("a device over IP has no network only if all that it could join is a radio's; a wire may be its network")
    func withoutNetwork() throws {
        func kinds(_ change: (inout Journey) -> Void) throws -> Set<NetworkKind>? {
            var journey = try Journey {
                $0.device.attributes.merge(FakeDevice.interface(1)) { $1 }
                change(&$0)
            }
            try journey.run()
            #expect(journey.error == nil)
            return journey.kindsWithoutNetwork
        }
        #expect(try kinds { _ in } == [.wifi])
        #expect(
            try kinds { $0.device.attributes.merge(FakeDevice.interface(2, endpoint: 1)) { $1 } } == [.wifi, .thread])
        #expect(try kinds { $0.device.attributes.merge(FakeDevice.interface(4, endpoint: 1)) { $1 } } == nil)
        let wifi = try Self.wifi()
        #expect(try kinds { $0.configuration.network.given = [wifi] } == nil)
        let named = FakeDevice.interface(1, networks: [(Array("home".utf8), false)])
        #expect(try kinds { $0.device.attributes.merge(named) { $1 } } == nil)
    }

    @Test("a named network is joined after AddNOC, with a fail-safe that lasts; its id is that of the credentials")
    func joins() throws {
        let journey = try journey { $0.configuration.network.given = [try Self.wifi()] }
        #expect(journey.error == nil && Self.tail(journey) == Self.joined, "\(journey.log)")
        let sent = journey.commands.compactMap { command -> NetworkCommissioningCommand? in
            if case .network(let command, let endpoint, _, _) = command, endpoint == 0 { command } else { nil }
        }
        let home = try #require(Self.home)
        #expect(sent == [.addWiFi(ssid: home.ssid, credentials: home.password), .connect(home.ssid)])
        let arms = journey.commands.compactMap { command -> UInt16? in
            if case .armFailSafe(let seconds, _) = command { seconds } else { nil }
        }
        #expect(arms == [60, 140], "the device says that joining takes 20 s")
    }

    @Test("a named network is joined over IP too: the user wants it")
    func joinsOverIP() throws {
        let journey = try journey {
            $0.configuration.isOnNetwork = true
            $0.configuration.network.given = [try Self.wifi()]
        }
        #expect(journey.error == nil && Self.tail(journey) == Self.joined)
    }

    @Test("without a network to join, the device is refused before anything costs it time")
    func missing() throws {
        let journey = try journey()
        let error = try #require(journey.error)
        #expect(error.code == .networkNeeded && error.stage == .network && error.reason.contains("Wi-Fi"))
        #expect(journey.names == ["ArmFailSafe"] && journey.undo == .disarm)
        let thread = try self.journey(features: 2)
        #expect(thread.error?.reason.contains("Thread") == true)
    }

    @Test("credentials of another kind than the device has are an error that says what it has")
    func unsuitable() throws {
        let journey = try journey(features: 2) { $0.configuration.network.given = [try Self.wifi()] }
        let error = try #require(journey.error)
        #expect(error.code == .networkUnsuitable && error.reason == "the device has no Wi-Fi: it has Thread")
    }

    @Test("one stored network is joined without a question; a Thread device gets its dataset as it is")
    func stored() throws {
        let journey = try journey(features: 2) {
            $0.configuration.network.known = [try Self.wifi(), try Self.thread()]
        }
        #expect(journey.error == nil)
        let dataset = try #require(Self.mesh)
        #expect(
            journey.commands.contains {
                if case .network(.addThread(let bytes), _, _, _) = $0 { bytes == dataset.encoded } else { false }
            })
        #expect(
            journey.commands.contains {
                if case .network(.connect(let id), _, _, _) = $0 { id == dataset.extendedPANID } else { false }
            })
    }

    private static func seen(_ ssid: String, _ rssi: Int64) -> TLVValue {
        .structure([
            TLVElement(0, .uint(8)), TLVElement(1, .octets(Array(ssid.utf8))), TLVElement(2, .octets([])),
            TLVElement(3, .uint(6)), TLVElement(4, .uint(0)), TLVElement(5, .int(rssi)),
        ])
    }

    @Test("of several stored networks the strongest that the device sees is joined")
    func strongest() throws {
        let journey = try journey {
            $0.configuration.network.known = [try Self.wifi(), try Self.otherWiFi()]
            $0.device.networks = { command, _ in
                FakeDevice.networkAnswer(
                    command, 0, seen: [Self.seen("home", -80), Self.seen("other", -40), Self.seen("x", -20)])
            }
        }
        #expect(journey.error == nil && journey.choices.isEmpty)
        #expect(
            journey.commands.contains {
                if case .network(.connect(let id), _, _, _) = $0 { id == Array("other".utf8) } else { false }
            })
    }

    @Test("a person chooses from what the device sees, before there is a certificate, each network once")
    func choice() throws {
        let journey = try journey {
            $0.configuration.network.canAsk = true
            $0.device.networks = { command, _ in
                FakeDevice.networkAnswer(
                    command, 0, seen: [Self.seen("home", -80), Self.seen("home", -50), Self.seen("other", -60)])
            }
            let answer = try Self.wifi()
            $0.choose = { _ in answer }
        }
        #expect(journey.error == nil)
        let choice = try #require(journey.choices.first)
        #expect(choice.seen.map(\.name) == ["home", "other"] && choice.seen.first?.rssi == -50)
        let (asked, issued) = (journey.log.firstIndex(of: "choose"), journey.log.firstIndex(of: "issue"))
        let place = try #require(asked)
        #expect(place < issued ?? 0)
        #expect(journey.log[..<place].contains("verify"), "after the verdict")
        let silent = try self.journey { $0.configuration.network.canAsk = true }
        #expect(silent.error?.code == .networkNeeded && silent.undo == .disarm, "no answer is no network")
    }

    @Test("a search that fails costs nothing: the person may still name a network")
    func failedSearch() throws {
        let journey = try journey {
            $0.configuration.network.canAsk = true
            let answer = try Self.wifi()
            $0.choose = { _ in answer }
            $0.device.oddities["ScanNetworks"] = .status(StatusIB(.busy))
        }
        #expect(journey.error == nil && journey.choices.first?.seen.isEmpty == true)
    }

    // MARK: What goes wrong

    /// A device that answers ConnectNetwork, or another command, like this once.
    private func failing(
        _ command: String, _ status: UInt64, text: String = "", error: Int64? = nil, times: Int = 1
    ) -> @Sendable (NetworkCommissioningCommand, EndpointID) -> CommandResult.Outcome {
        let count = Mutex(0)
        return { given, _ in
            guard given.name == command,
                count.withLock({
                    $0 += 1; return $0
                }) <= times
            else {
                return FakeDevice.networkAnswer(given, 0)
            }
            return FakeDevice.networkAnswer(given, status, text: text, error: error)
        }
    }

    @Test(
        "each status of the device is a sentence with what the device adds, and the device is told to forget",
        arguments: [
            (5, "it does not see this network"), (6, "its channel is not allowed in the country DE"),
            (7, "wrong password"), (8, "it does not support the security"), (9, "the network did not admit it"),
            (10, "it got no IPv6"), (11, "no usable address"), (12, "it does not know why"),
            (99, "NetworkingStatus 99"),
        ] as [(UInt64, String)])
    func statuses(status: UInt64, words: String) throws {
        let journey = try journey {
            $0.configuration.network.given = [try Self.wifi()]
            $0.configuration.country = "DE"
            $0.device.networks = failing("ConnectNetwork", status, text: "no\u{1b}way", error: -15, times: 9)
        }
        let error = try #require(journey.error)
        #expect(error.code == .networkRefused && error.stage == .network)
        let expected = status == 10 ? "it joined, and got no IPv6 address" : words
        #expect(error.reason.hasPrefix("the device could not join Wi-Fi 'home': "), "\(error.reason)")
        #expect(error.reason.contains(expected), "\(error.reason)")
        #expect(error.reason.hasSuffix("(the device says 'no\\x1bway', error value -15)"), "\(error.reason)")
        #expect(journey.undo == .disarmPending)
        #expect(error.facts.map(\.name).contains("errorValue"))
        #expect(!"\(error)".contains("secret-1"))
    }

    @Test("after a wrong password another one may be given on the same session, with a fail-safe that lasts again")
    func rightPassword() throws {
        let right = try WiFiCredential(ssid: Array("home".utf8), password: SecretBytes(Array("secret-3".utf8)))
        let journey = try journey {
            $0.configuration.network.given = [try Self.wifi()]
            $0.configuration.network.canAsk = true
            $0.device.networks = failing("ConnectNetwork", 7)
            $0.choose = { _ in .wifi(right) }
        }
        #expect(journey.error == nil)
        let choice = try #require(journey.choices.first)
        let first = try Self.wifi()
        #expect(choice.failure?.answer.status == .authFailure && choice.failed == first)
        #expect(
            Self.tail(journey).prefix(9) == [
                "[network]", "ArmFailSafe", "AddOrUpdateWiFiNetwork", "ConnectNetwork", "choose", "ArmFailSafe",
                "AddOrUpdateWiFiNetwork", "ConnectNetwork", "[operational-discovery]",
            ])
        let given = try self.journey {
            $0.configuration.network.given = [try Self.wifi()]
            $0.configuration.network.canAsk = true
            $0.device.networks = failing("ConnectNetwork", 7)
        }
        #expect(given.error?.code == .networkRefused, "a person who gives up ends it")
    }

    @Test("a device that fails for a reason that may pass tries once more, by itself")
    func secondAttempt() throws {
        for status: UInt64 in [5, 9, 10, 11, 12] {
            let journey = try journey {
                $0.configuration.network.given = [try Self.wifi()]
                $0.device.networks = failing("ConnectNetwork", status)
            }
            #expect(journey.error == nil && journey.names.filter { $0 == "ConnectNetwork" }.count == 2, "\(status)")
        }
        let wrong = try journey {
            $0.configuration.network.given = [try Self.wifi()]
            $0.device.networks = failing("ConnectNetwork", 7)
        }
        #expect(wrong.error?.code == .networkRefused, "a wrong password does not become right")
    }

    @Test("a full table gives way once: an entry that is not in use first")
    func fullTable() throws {
        let journey = try journey {
            $0.configuration.network.given = [try Self.wifi()]
            let old: [(id: [UInt8], isConnected: Bool)] = [(Array("on".utf8), true), (Array("off".utf8), false)]
            $0.device.attributes.merge(FakeDevice.interface(1, networks: old)) { $1 }
            $0.device.networks = failing("AddOrUpdateWiFiNetwork", 2)
        }
        #expect(journey.error == nil)
        #expect(
            journey.commands.contains {
                if case .network(.remove(let id), _, _, _) = $0 { id == Array("off".utf8) } else { false }
            })
        let stubborn = try self.journey {
            $0.configuration.network.given = [try Self.wifi()]
            $0.device.attributes.merge(FakeDevice.interface(1, networks: [(Array("on".utf8), true)])) { $1 }
            $0.device.networks = failing("AddOrUpdateWiFiNetwork", 2, times: 9)
        }
        #expect(stubborn.error?.network?.answer.status == .boundsExceeded)
        #expect(stubborn.names.filter { $0 == "RemoveNetwork" }.count == 1)
    }

    @Test("if the first interface fails its network is removed, and the other interface is tried, at its own endpoint")
    func secondary() throws {
        let journey = try journey {
            $0.configuration.network.given = [try Self.wifi(), try Self.thread()]
            $0.device.attributes.merge(FakeDevice.interface(2, endpoint: 3)) { $1 }
            $0.device.networks = failing("ConnectNetwork", 8)
        }
        #expect(journey.error == nil)
        let places = journey.commands.compactMap { command -> String? in
            if case .network(let command, let endpoint, _, _) = command {
                "\(command.name) \(endpoint.rawValue)"
            } else {
                nil
            }
        }
        #expect(
            places == [
                "AddOrUpdateWiFiNetwork 0", "ConnectNetwork 0", "RemoveNetwork 0", "AddOrUpdateThreadNetwork 3",
                "ConnectNetwork 3",
            ])
    }

    @Test(
        "a device whose link is lost from the credentials on has moved on",
        arguments: ["AddOrUpdateWiFiNetwork", "ConnectNetwork"])
    func movedOn(command: String) throws {
        let journey = try journey {
            $0.configuration.network.given = [try Self.wifi()]
            $0.silentCommands = [command]
        }
        #expect(journey.error == nil && Self.tail(journey).contains("[operational-discovery]"))
        #expect(journey.names.last == "CommissioningComplete")
    }

    @Test("a device that cannot do both is not waited for, and a person is not asked: it is gone")
    func nonConcurrent() throws {
        let journey = try journey {
            $0.configuration.network.given = [try Self.wifi()]
            $0.configuration.network.canAsk = true
            $0.device.attributes[FakeDevice.general(4)] = .bool(false)
        }
        #expect(journey.error == nil && Self.tail(journey) == Self.joined)
        let seconds = journey.commands.compactMap { command -> UInt8? in
            if case .network(.connect, _, _, let seconds) = command { seconds } else { nil }
        }
        #expect(seconds == [1])
    }

    @Test("what an earlier attempt came to is said at the next one")
    func earlier() throws {
        let journey = try journey {
            $0.configuration.network.given = [try Self.wifi()]
            $0.device.attributes.merge(
                FakeDevice.interface(1, [5: .uint(7), 6: .octets(Array("home".utf8)), 7: .int(15)])
            ) { $1 }
        }
        #expect(
            journey.log.contains(
                "note: the device's last attempt to join 'home' failed: wrong password, error value 15"))
    }

    // MARK: Credentials

    @Test("only lengths that Wi-Fi has are credentials", arguments: [0, 5, 8, 13, 63])
    func possible(count: Int) throws {
        _ = try WiFiCredential(ssid: [0xFF], password: SecretBytes([UInt8](repeating: 0x7A, count: count)))
    }

    @Test("others are found out before anything is contacted", arguments: [1, 4, 6, 7, 64, 65])
    func impossible(count: Int) throws {
        let error = #expect(throws: NetworkCredentialError.self) {
            _ = try WiFiCredential(ssid: [0xFF], password: SecretBytes([UInt8](repeating: 0x7A, count: count)))
        }
        #expect(error?.code == .invalidPassword && error?.reason.contains("zz") == false)
        _ = try WiFiCredential(ssid: [1], password: SecretBytes([UInt8](repeating: 0x61, count: 64)))
        for ssid in [[], [UInt8](repeating: 1, count: 33)] {
            #expect(throws: NetworkCredentialError.self) {
                _ = try WiFiCredential(ssid: ssid, password: SecretBytes([]))
            }
        }
    }
}
