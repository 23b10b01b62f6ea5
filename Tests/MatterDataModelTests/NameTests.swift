import MatterBase
import Testing

@testable import MatterModel

@Suite("Names") struct NameTests {
    @Test(
        "kebab and camel case",
        arguments: [
            ("OnOff", "on-off", "onOff"), ("StartUpOnOff", "start-up-on-off", "startUpOnOff"), ("ACL", "acl", "acl"),
            ("VendorID", "vendor-id", "vendorID"), ("NOCs", "nocs", "nocs"),
            ("LEDSettings", "led-settings", "ledSettings"),
            ("RmakerNodeId", "rmaker-node-id", "rmakerNodeId"), ("IPv6Addresses", "ipv6-addresses", "ipv6Addresses"),
            ("WiFiSSID", "wi-fi-ssid", "wiFiSSID"), ("URLs", "urls", "urls"), ("CSRNonce", "csr-nonce", "csrNonce"),
            ("ICACCSRRequest", "icaccsr-request", "icaccsrRequest"), ("Pm25", "pm25", "pm25"),
            ("RequirePINforRemoteOperation", "require-pin-for-remote-operation", "requirePINforRemoteOperation"),
            ("NextChargeTargetSoC", "next-charge-target-soc", "nextChargeTargetSoC"),
            ("SoCReporting", "soc-reporting", "socReporting"), ("InvalidPINCode", "invalid-pin-code", "invalidPINCode"),
            ("x", "x", "x"),
            ("", "", ""),
        ])
    func styles(name: String, kebab: String, camel: String) {
        #expect(NameStyle.kebab(name) == kebab)
        #expect(NameStyle.camel(name) == camel)
    }

    @Test("case, blanks, hyphens and underscores do not matter, anything else does")
    func keys() {
        #expect(NameKey("On-Off").matches("OnOff"))
        #expect(NameKey("on off").matches("On/Off"))
        #expect(NameKey("1_2AA").matches("12aa"))
        #expect(!NameKey("onoff").matches("OnOff2"))
        #expect(!NameKey("onoff2").matches("OnOff"))
        #expect(!NameKey("").matches(""))
        #expect(!NameKey("--").matches("_"))
        #expect(!NameKey("önoff").matches("onoff"))
    }

    @Test("every spelling that we print leads back to the one name")
    func catalogueNames() throws {
        func check(_ names: [String], _ place: String) {
            var keys: [NameKey: String] = [:]
            for name in names {
                let other = keys.updateValue(name, forKey: NameKey(name))
                #expect(other == nil, "\(place): \(name)")
                #expect(NameKey(NameStyle.kebab(name)) == NameKey(name), "\(name)")
                #expect(NameKey(NameStyle.camel(name)) == NameKey(name), "\(name)")
            }
        }
        let clusters = Catalogue.standard.clusters
        check(clusters.map(\.name), "clusters")
        for cluster in clusters {
            check((cluster.attributes + cluster.globalAttributes).flatMap { [$0.name] + $0.aliases }, cluster.name)
            check(cluster.commands.flatMap { [$0.name] + $0.aliases }, cluster.name)
            check(cluster.events.map(\.name), cluster.name)
            for fields in cluster.commands.map(\.fields) + cluster.responses.map(\.fields)
                + cluster.structs.map(\.fields)
            {
                check(fields.map(\.name), cluster.name)
                // JSON keys must differ as they are, not only loosely.
                #expect(Set(fields.map(\.key)).count == fields.count)
                #expect(fields.allSatisfy { UInt8($0.key) == nil })
            }
            for definition in cluster.enums {
                check(definition.values.map(\.name), definition.name)
                for value in definition.values {
                    // A name of digits must not stand for another value's number.
                    if let number = UInt64(value.name) {
                        #expect(definition.value(number) == nil, "\(definition.name).\(value.name)")
                    }
                }
            }
            for definition in cluster.bitmaps { check(definition.fields.map(\.name), definition.name) }
        }
        check(Catalogue.standard.deviceTypes.map(\.name), "device types")
    }

    @Test("terminal text cannot steer a terminal or break a line")
    func escapes() {
        #expect(TerminalText.escaped("plain Küche 💡 \\") == "plain Küche 💡 \\")
        #expect(TerminalText.escaped("\u{1b}[2Jx\ty\nz\u{7f}") == "\\x1b[2Jx\\x09y\\x0az\\x7f")
        #expect(TerminalText.escaped("\u{202e}abc\u{2066}\u{9b}\u{feff}") == "\\u202eabc\\u2066\\x9b\\ufeff")
    }

    @Test(
        "what is invisible shows, so that two names that look alike are alike",
        arguments: [
            ("kit\u{200b}chen", "kit\\u200bchen"), ("kit\u{200d}chen", "kit\\u200dchen"),
            ("\u{200c}kitchen\u{200d}", "\\u200ckitchen\\u200d"), ("a\u{2060}b\u{ad}", "a\\u2060b\\xad"),
            ("a\u{e0061}", "a\\U000e0061"), ("1\u{200d}2", "1\\u200d2"),
        ])
    func invisible(text: String, expected: String) {
        #expect(TerminalText.escaped(text) == expected)
    }

    @Test("joiners stay in emoji and in scripts that need them", arguments: ["👩‍👩‍👧", "🏳️‍🌈", "می‌خواهم", "क्‍ष"])
    func joiners(text: String) {
        #expect(TerminalText.escaped(text) == text)
    }
}

@Suite("Suggestions") struct SuggestionTests {
    let names = ["OnOff", "LevelControl", "ColorControl", "DoorLock", "Thermostat", "FanControl", "Descriptor"]

    @Test(
        "the nearest spelling comes first",
        arguments: [
            ("onof", "OnOff"), ("on-of", "OnOff"), ("onofff", "OnOff"), ("LevleControl", "LevelControl"),
            ("doorlok", "DoorLock"), ("termostat", "Thermostat"), ("color", "ColorControl"),
            ("descritpor", "Descriptor"),
        ])
    func nearest(text: String, expected: String) {
        #expect(Suggestions.nearest(to: text, among: names).first == expected)
    }

    @Test("a word without a meaning gives nothing")
    func nothing() {
        #expect(Suggestions.nearest(to: "zzzzzzzz", among: names).isEmpty)
        #expect(Suggestions.nearest(to: "", among: names).isEmpty)
        #expect(Suggestions.nearest(to: "--", among: names).isEmpty)
        #expect(Suggestions.nearest(to: String(repeating: "a", count: 100_000), among: names).isEmpty)
    }

    @Test("at most three, each once")
    func limit() {
        let found = Suggestions.nearest(to: "control", among: names + names)
        #expect(found == ["FanControl", "ColorControl", "LevelControl"])
    }

    @Test("swapped letters count once")
    func swap() {
        #expect(Suggestions.nearest(to: "abdc", among: ["abcd"]) == ["abcd"])
        #expect(Suggestions.nearest(to: "badc", among: ["abcd"]).isEmpty)
    }
}
