import JSON
import Testing

@testable import MatterModel

@Suite("Listing") struct ListingTests {
    @Test("a cluster's JSON reads back as the same definition")
    func jsonReadsBack() throws {
        for cluster in Catalogue.standard.clusters {
            let text = JSONValue.object(["clusters": .array([cluster.json])]).serialized()
            let again = try #require(try VendorDefinitions(json: Array(text.utf8), source: cluster.name).clusters.first)
            // Formats and substitutes are ours, not the schema's.
            #expect(again.json == cluster.json, "\(cluster.name)")
            #expect(again.attributes.map(\.type.unit) == cluster.attributes.map(\.type.unit))
            #expect(again.commands.map(\.fields.count) == cluster.commands.map(\.fields.count))
        }
    }

    @Test("the JSON has the schema's keys and leaves out what is false")
    func jsonShape() throws {
        let json = try #require(Catalogue.standard.cluster(6)).json
        #expect(json["id"] == 6)
        #expect(json["name"] == "OnOff")
        #expect(json["attributes"]?.arrayValue?.first?.serialized() == #"{"id":0,"name":"OnOff","type":"bool"}"#)
        #expect(
            json["attributes"]?.arrayValue?.last?.serialized()
                == #"{"id":16387,"name":"StartUpOnOff","type":"StartUpOnOffEnum","nullable":true,"optional":true,"writable":true,"write":"manage"}"#
        )
        #expect(
            json["commands"]?.arrayValue?.first?.serialized()
                == #"{"id":0,"name":"Off","direction":"request","fields":[]}"#)
    }

    @Test("a title says a name once, and a limit how it is meant")
    func titleAndLimits() throws {
        let thermostat = try #require(Catalogue.standard.cluster(0x201)).listing
        #expect(thermostat.first == "Thermostat, 0x0201, revision 11")
        #expect(thermostat.contains("  0x0000 local-temperature  temperature?  [0.01 °C, ≥ -27315]"))
        // A least that is the most: an exact size.
        let credentials = try VendorDefinitions(
            json: Array(
                #"{"clusters":[{"id":"0xFFF1FC10","name":"A","attributes":[{"id":0,"name":"Key","type":"octets","minLength":65,"maxLength":65},{"id":1,"name":"Short","type":"string","maxLength":32}]}]}"#
                    .utf8), source: "a.json")
        let own = try #require(credentials.clusters.first).listing
        #expect(own.contains("  0x0000 key  octets  [65 bytes]"), "\(own)")
        #expect(own.contains("  0x0001 short  string  [≤ 32 bytes]"), "\(own)")
    }

    @Test("the listing shows what can be typed")
    func lines() throws {
        let level = try #require(Catalogue.standard.cluster(8)).listing
        #expect(level.first == "LevelControl (Level Control), 0x0008, revision 6")
        #expect(level.contains("  0x0000 current-level  uint8?  [1/254, 1…254]"))
        #expect(
            level.contains(
                "  0x0000 move-to-level level=uint8 transition-time=uint16? [options-mask=OptionsBitmap] [options-override=OptionsBitmap]"
            ))
        #expect(level.contains("  1 Lighting (LT)"))
        #expect(level.contains("  MoveModeEnum: 0 Up, 1 Down"))
        let lock = try #require(Catalogue.standard.cluster(0x101)).listing
        #expect(
            lock.contains {
                $0.hasPrefix("  0x0022 set-credential ") && $0.contains("→ {status: DlStatus")
                    && $0.hasSuffix("[timed, administer, optional]")
            })
        #expect(lock.contains("  0x0014 number-of-week-day-schedules-supported-per-user  uint8  [≤ 253, optional]"))
        let features = lock.drop { $0 != "features:" }.dropFirst().prefix { $0.hasPrefix("  ") }
        #expect(features.compactMap { Int($0.split(separator: " ")[0]) } == Array(0...14))
        #expect(lock.contains { $0.hasPrefix("  0x0000 door-lock-alarm {alarmCode: AlarmCodeEnum}  [critical") })
    }
}
