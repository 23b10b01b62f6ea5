import JSON
import TestSupport
import Testing

@testable import RainMaker

@Suite("Metadata that was collected again", .together) struct MetadataUpdateTests {
    private static func object(_ text: String) throws -> JSONObject {
        try #require(try JSONValue(parsing: text).objectValue)
    }

    private static let old = """
        {"Matter":{"deviceName":"Porch","ours":1,"softwareVersion":1,"endpointsData":[0,1,2],
        "serversData":{"0":[29],"2":[6]},"endpoints":{"0x0":{"clusters":{"servers":{"0x1d":{"attributes":null}}}},"0x2":{}}},
        "other":true}
        """
    private static let new = """
        {"Matter":{"deviceName":"Porch","softwareVersion":2,"endpointsData":[0,1],
        "serversData":{"0":[29],"1":[8]},"endpoints":{"0x0":{"clusters":{"servers":{"0x1d":{"attributes":null}}}},"0x1":{}}}}
        """

    @Test("each member that differs is a change, as deep as it goes; what the cloud alone has is none")
    func changes() throws {
        let update = MetadataUpdate(try Self.object(Self.old), try Self.object(Self.new))
        let lines = update.changes.map { change in
            "\(change.path.joined(separator: "/")) \(change.before?.serialized() ?? "-") \(change.after?.serialized() ?? "-")"
        }
        #expect(
            lines == [
                "Matter/softwareVersion 1 2", "Matter/endpointsData [0,1,2] [0,1]", "Matter/serversData/1 - [8]",
                "Matter/serversData/2 [6] -", "Matter/endpoints/0x1 - {}", "Matter/endpoints/0x2 {} -",
            ])
    }

    @Test("all of 'Matter' is sent: a cloud that merges loses what is gone, one that replaces keeps what is not ours")
    func body() throws {
        let update = MetadataUpdate(try Self.object(Self.old), try Self.object(Self.new))
        let matter = try #require(update.body["Matter"]?.objectValue)
        #expect(update.body.keys == ["Matter"] && matter["ours"] == 1 && matter["deviceName"] == "Porch")
        #expect(matter["serversData"] == ["0": [29], "1": [8], "2": nil])
        #expect(matter["endpoints"]?["0x2"]?.isNull == true && matter["endpointsData"] == [0, 1])
    }

    @Test("nothing has changed: also where a merge has left null behind, and where the cloud knew nothing, all has")
    func extremes() throws {
        let new = try Self.object(Self.new)
        let told = MetadataUpdate(try Self.object(Self.old), new).body
        #expect(MetadataUpdate(told, new).changes.isEmpty)
        #expect(MetadataUpdate(JSONObject(), new).changes.count == new["Matter"]?.objectValue?.count)
    }
}
