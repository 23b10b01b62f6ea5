import JSON
import MatterController
import TestSupport
import Testing

@testable import MatterCommandLine

/// The schemas of docs/schemas. That results are as they say is checked wherever a test runs a command with `--json`.
@Suite("Schemas of results", .together) struct ReportSchemaTests {
    /// Commands whose results are no reports.
    private static let exceptions: Set = ["simulate", "serve run"]

    @Test("every command has a schema")
    func everyCommand() {
        let missing = UsageTests.commands.map(\.words).filter {
            ReportSchemas.file(for: $0) == nil && !Self.exceptions.contains($0.joined(separator: " "))
        }
        #expect(missing.isEmpty, "\(missing.map { $0.joined(separator: " ") })")
        #expect(DeviceKind.all.allSatisfy { ReportSchemas.file(for: [$0.kind.name, "it"]) != nil })
        #expect(ReportSchemas.file(for: ["--home", "/x", "node", "ls", "--json"]) == "node-ls.json")
        #expect(ReportSchemas.file(for: ["no-such-command"]) == nil)
    }

    @Test("the results on the page about JSON have a form that a schema describes")
    func page() throws {
        let blocks = try DocumentsTests.page("json").matches(of: /(?ms)^```json\n(.*?)^```/).map { String($0.1) }
        var checked = 0
        for line in blocks.flatMap({ $0.split(separator: "\n") }) {
            // A shortened one, or a part of one, is not a value.
            guard !line.contains("…"), let value = try? JSONValue(parsing: String(line)) else { continue }
            checked += 1
            #expect(ReportSchemas.names.contains { ReportSchemas.faults(of: value, under: $0).isEmpty }, "\(line)")
        }
        #expect(checked > 50, "\(checked)")
    }

    @Test(
        "what is missing, of another type, of another form or not described is found",
        arguments: [
            (#"{"node":1,"name":"it","result":"done"}"#, nil),
            (#"{"node":"14555239686939833911","result":"done"}"#, nil),
            (#"{"node":1}"#, "no member 'result'"),
            (#"{"node":1,"result":7}"#, "$.result: not of the type"),
            (#"{"node":true,"result":"done"}"#, "$.node: not of the type"),
            (#"{"node":1,"result":"done","more":1}"#, "$.more: a member that the schema does not have"),
            (#"{"node":1,"result":"done","time":"yesterday"}"#, "$.time: not of the form"),
            (#"{"node":1,"result":"gone"}"#, "$.result: none of"),
            (#"[{"node":1}]"#, "not of the type"),
        ] as [(String, String?)])
    func faults(text: String, fault: String?) throws {
        let schema = try JSONValue(
            parsing: """
                {"type":"object","properties":{"node":{"$ref":"#/$defs/id"},"name":{"type":"string"},
                "result":{"type":"string","enum":["done","failed"]},"time":{"type":"string","pattern":"^[0-9]{4}-"}},
                "required":["node","result"],"additionalProperties":false,"$defs":{"id":{"type":["integer","string"]}}}
                """)
        let faults = JSONSchema(schema).faults(of: try JSONValue(parsing: text))
        #expect(faults.isEmpty == (fault == nil), "\(faults)")
        if let fault { #expect(faults.contains { $0.contains(fault) }, "\(faults)") }
    }

    @Test("a keyword that is not known, and a reference to nothing, are faults and not ignored")
    func unknownKeywords() throws {
        for text in [#"{"minimum":3}"#, ##"{"$ref":"#/$defs/none"}"##, #"{"$ref":"none.json#/$defs/id"}"#] {
            #expect(try !JSONSchema(JSONValue(parsing: text)).faults(of: 1).isEmpty, "\(text)")
        }
    }

    @Test("of several forms one is enough; none is a fault of the nearest")
    func forms() throws {
        let schema = JSONSchema(
            try JSONValue(
                parsing: """
                    {"anyOf":[{"type":"string"},{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],
                    "additionalProperties":false}]}
                    """))
        #expect(schema.faults(of: "x").isEmpty)
        #expect(schema.faults(of: try JSONValue(parsing: #"{"a":1}"#)).isEmpty)
        #expect(!schema.faults(of: try JSONValue(parsing: #"{"a":1,"b":2}"#)).isEmpty)
    }
}
