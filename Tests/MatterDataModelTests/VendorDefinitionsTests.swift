import Foundation
import MatterBase
import TestSupport
import Testing

@testable import MatterModel

@Suite("VendorDefinitions") struct VendorDefinitionsTests {
    /// A small file that uses the whole schema.
    private static let sample = """
        {"version":"1","source":"us","clusters":[
        {"id":"0xFFF1FC30","name":"Kettle","label":"Tea Kettle","aliases":["boiler"],"revision":2,"origin":"vendor","vendor":65521,"notes":["hot"],
        "features":[{"bit":0,"code":"KW","name":"KeepWarm"}],
        "attributes":[{"id":0,"name":"Target","type":"temperature","writable":true,"write":"manage","min":0,"max":10000,"default":9000,"aliases":["goal"]},
        {"id":1,"name":"Programs","type":"ProgramStruct","list":true,"maxItems":4,"read":"manage"},
        {"id":2,"name":"State","type":"StateEnum","nullable":true,"sinceRevision":2,"changesOmitted":true},
        {"id":3,"name":"Address","type":"ipadr","optional":true,"unreadable":true},{"id":4,"name":"Load","type":"brew-time"}],
        "commands":[{"id":0,"name":"Boil","direction":"request","response":"BoilResponse","timed":true,"invoke":"administer",
        "fields":[{"id":1,"name":"Options","type":"OptionsBitmap","optional":true},{"id":0,"name":"Goal","type":"temperature"}]},
        {"id":1,"name":"Say","direction":"request","bareFieldsOnWire":true,"untilRevision":1,"fields":[{"id":0,"name":"Text","type":"string","maxLength":8}]},
        {"id":0,"name":"BoilResponse","direction":"response","fields":[{"id":0,"name":"Status","type":"status"}]}],
        "events":[{"id":0,"name":"Boiled","priority":"critical","read":"manage","fields":[{"id":0,"name":"At","type":"epoch-s"}]}],
        "enums":{"StateEnum":{"type":"enum8","values":{"0":"Cold","1":"Hot","2":"2nd"},"labels":{"1":"HOT-HOT"}}},
        "bitmaps":{"OptionsBitmap":{"type":"bitmap8","masks":{"1":"Loud","12":"Colour"}}},
        "structs":{"ProgramStruct":{"fabricScoped":true,"fields":[{"id":0,"name":"Steps","type":"StepStruct","list":true},{"id":254,"name":"FabricIndex","type":"fabric-idx"}]},
        "StepStruct":{"fields":[{"id":0,"name":"Goal","type":"temperature","nullable":true},{"id":1,"name":"State","type":"StateEnum","default":1}]}}}
        ],"globalTypes":{"semantic":{"brew-time":{"base":"uint16","unit":"s"}},"enums":{},"bitmaps":{},"structs":{}},
        "deviceTypes":[{"id":4293984272,"name":"KettleDevice","class":"Simple","revision":1,"requiredServerClusters":[6,"0xFFF1FC30"]}]}
        """

    @Test("the reader takes every key of the published JSON Schema, and the schema has every key of the sample")
    func schema() throws {
        let path = Checkout.root.appendingPathComponent("docs/commands/cluster-definitions.schema.json")
        let schema = try #require(JSONSerialization.jsonObject(with: Data(contentsOf: path)) as? [String: Any])
        let definitions = try #require(schema["$defs"] as? [String: [String: Any]])
        func keys(_ name: String) throws -> Set<String> {
            Set(try #require(definitions[name]?["properties"] as? [String: Any]).keys)
        }
        func isKnown(_ key: String, _ text: String) -> Bool {
            do throws(DataModelError) { _ = try load(text) } catch {
                return !error.reason.contains("\(key): this key is")
            }
            return true
        }
        let sample = try #require(JSONSerialization.jsonObject(with: Data(Self.sample.utf8)) as? [String: Any])
        let cluster = try #require((sample["clusters"] as? [[String: Any]])?.first)
        for (kind, parent) in [
            ("cluster", "clusters"), ("extension", "extensions"), ("feature", "features"), ("attribute", "attributes"),
            ("command", "commands"), ("event", "events"),
        ] {
            func text(_ key: String) -> String {
                let list = "\"\(parent)\":[{\"\(key)\":null}]"
                return switch kind {
                case "cluster": "{\(list)}"
                case "extension": "{\"clusters\":[],\(list)}"
                default: "{\"clusters\":[{\"id\":1,\"name\":\"A\",\(list)}]}"
                }
            }
            for key in try keys(kind) { #expect(isKnown(key, text(key)), "\(kind) \(key)") }
            #expect(!isKnown("colour", text("colour")), "\(kind)")
            let found = kind == "cluster" ? [cluster] : cluster[parent] as? [[String: Any]] ?? []
            #expect(try Set(found.flatMap(\.keys)).isSubset(of: keys(kind)), "\(kind)")
        }
        for key in try keys("file") { #expect(isKnown(key, "{\"\(key)\":null}"), "\(key)") }
        #expect(Set(sample.keys).isSubset(of: try keys("file")))
    }

    private func load(_ text: String) throws(DataModelError) -> VendorDefinitions {
        try VendorDefinitions(json: Array(text.utf8), source: "kettle.json")
    }

    private func catalogue() throws -> Catalogue { try Catalogue(loaded: [load(Self.sample)]) }

    @Test("a loaded cluster works like a compiled-in one")
    func loaded() throws {
        let catalogue = try catalogue()
        let kettle = try catalogue.cluster(named: "kettle")
        #expect(kettle.id == 0xFFF1_FC30)
        #expect(try catalogue.cluster(named: "tea-kettle") == kettle)
        #expect(try catalogue.cluster(named: "boiler") == kettle)
        #expect(catalogue.clusterName(0xFFF1_FC30) == "Kettle")
        #expect(catalogue.clusterNames.count == 169)
        #expect(
            try ElementPath("1/kettle/goal", .attribute) { () throws(DataModelError) in catalogue }
                == ElementPath(endpoint: 1, cluster: 0xFFF1_FC30, element: 0))
        let parser = ValueParser(catalogue: catalogue)
        #expect(try parser.quietly("95C", as: kettle.attribute(named: "target").type) == .int(9500))
        #expect(try parser.quietly("3m", as: kettle.attribute(named: "load").type) == .uint(180))
        #expect(try parser.quietly("hot-hot", as: kettle.attribute(named: "state").type) == .uint(1))
        let programs = try kettle.attribute(named: "programs").type
        let value = try parser.quietly(
            #"[{"steps":[{"goal":"95C","state":"2nd"},{"goal":null,"state":0}]}]"#, as: programs)
        #expect(
            ValuePrinter().text(value, as: programs)
                == #"[{"steps":[{"goal":9500,"state":"2nd"},{"goal":null,"state":"Cold"}]}]"#)
        let boil = try kettle.command(named: "boil")
        #expect(boil.isTimed && boil.invokePrivilege == .administer)
        #expect(boil.fields.map(\.id) == [0, 1])
        #expect(kettle.response(to: boil)?.fields.first?.type.name == "status")
        #expect(
            try parser.fields(words: ["goal=95C", "options=Loud,Colour=2"], of: boil).value
                == .structure([.init(0, .int(9500)), .init(1, .uint(9))]))
        #expect(try parser.fields(words: ["text=hi"], of: kettle.command(named: "say")).value == .string("hi"))
        #expect(try kettle.attribute(named: "feature-map").id == 0xFFFC)
        #expect(try parser.quietly("KW", as: kettle.attribute(named: "feature-map").type) == .uint(1))
        #expect(try kettle.event(named: "boiled").priority == .critical)
        #expect(try catalogue.deviceType(named: "kettle-device").requiredServerClusters == [6, 0xFFF1_FC30])
        #expect(
            try parser.quietly("kettle", as: #require(GlobalDefinitions.shared.scope.resolve("cluster-id")))
                == .uint(0xFFF1_FC30))
    }

    @Test("a minimal file is enough")
    func minimal() throws {
        let file = try load(
            #"{"clusters":[{"id":4294048768,"name":"Tiny","attributes":[{"id":0,"name":"On","type":"bool"}]}]}"#)
        #expect(file.clusters.first?.label == "Tiny")
        #expect(file.clusters.first?.attributes.first?.readPrivilege == .view)
        #expect(try load(#"{"clusters":[]}"#).clusters.isEmpty)
    }

    @Test("a loaded cluster takes the place of the compiled-in one with its id")
    func replacement() throws {
        let catalogue = try Catalogue(loaded: [
            load(#"{"clusters":[{"id":320601088,"name":"RainMaker","revision":4}]}"#)
        ])
        #expect(catalogue.cluster(0x131B_FC00)?.revision == 4)
        #expect(catalogue.clusterNames.count == 168)
        #expect(throws: DataModelError.self) { try catalogue.cluster(0x131B_FC00)?.attribute(named: "status") }
    }

    @Test("clusters that get in each other's way are refused")
    func collisions() throws {
        let a = try load(#"{"clusters":[{"id":4294048768,"name":"Tiny"}]}"#)
        let sameID = try load(#"{"clusters":[{"id":4294048768,"name":"Other"}]}"#)
        let sameName = try load(#"{"clusters":[{"id":4294048769,"name":"TINY"}]}"#)
        let standardName = try load(#"{"clusters":[{"id":4294048769,"name":"on-off"}]}"#)
        for files in [[a, sameID], [a, sameName], [standardName], [a, a]] {
            #expect(code { _ = try Catalogue(loaded: files) } == .badDefinitions)
        }
    }

    @Test(
        "every mistake names its place",
        arguments: [
            (#"{"clusters":{}}"#, "clusters: an array"), (#"{}"#, "'clusters' is missing"), (#"[]"#, "an object"),
            (#"{"clusters":[1]}"#, "clusters[0]: an object"),
            (#"{"clusters":[],"cluster":[]}"#, "cluster: this key is unknown"),
            (#"{"clusters":[{"id":1}]}"#, "clusters[0]: the key 'name'"),
            (#"{"clusters":[{"name":"A"}]}"#, "clusters[0]: the key 'id'"),
            (#"{"clusters":[{"id":-1,"name":"A"}]}"#, "clusters[0].id: a whole number"),
            (#"{"clusters":[{"id":4294967296,"name":"A"}]}"#, "clusters[0].id"),
            (#"{"clusters":[{"id":"0x100000000","name":"A"}]}"#, "clusters[0].id"),
            (#"{"clusters":[{"id":1,"name":"1A"}]}"#, "clusters[0].name"),
            (#"{"clusters":[{"id":1,"name":"A/B"}]}"#, "clusters[0].name"),
            (#"{"clusters":[{"id":1,"name":""}]}"#, "clusters[0].name"),
            (#"{"clusters":[{"id":1,"name":"--"}]}"#, "clusters[0].name"),
            (#"{"clusters":[{"id":1,"name":"A"},{"id":1,"name":"B"}]}"#, "clusters[1]: the id 1"),
            (#"{"clusters":[{"id":1,"name":"A"},{"id":2,"name":"a"}]}"#, "clusters[1]: the name"),
            (
                #"{"clusters":[{"id":1,"name":"A","attributes":[{"id":0,"name":"X","type":"uint9"}]}]}"#,
                "clusters[0].attributes[0].type: no type is called 'uint9'"
            ),
            (
                #"{"clusters":[{"id":1,"name":"A","attributes":[{"id":0,"name":"X","type":"bool","writeable":true}]}]}"#,
                "clusters[0].attributes[0].writeable: this key is unknown"
            ),
            (
                #"{"clusters":[{"id":1,"name":"A","attributes":[{"id":0,"name":"X","type":"bool","writable":1}]}]}"#,
                "clusters[0].attributes[0].writable: true or false"
            ),
            (
                #"{"clusters":[{"id":1,"name":"A","attributes":[{"id":0,"name":"X","type":"bool","read":"all"}]}]}"#,
                "clusters[0].attributes[0].read: 'all' is none of"
            ),
            (
                #"{"clusters":[{"id":1,"name":"A","attributes":[{"id":65533,"name":"X","type":"bool"}]}]}"#,
                "the id 65533 is used twice"
            ),
            (
                #"{"clusters":[{"id":1,"name":"A","attributes":[{"id":0,"name":"X","type":"bool","default":[]}]}]}"#,
                "clusters[0].attributes[0].default"
            ),
            (
                #"{"clusters":[{"id":1,"name":"A","attributes":[{"id":0,"name":"X","type":"uint8","unit":"furlong"}]}]}"#,
                "clusters[0].attributes[0].unit: no unit"
            ),
            (
                #"{"clusters":[{"id":1,"name":"A","attributes":[{"id":0,"name":"X","type":"bool"},{"id":1,"name":"Y","type":"bool","aliases":["x"]}]}]}"#,
                "clusters[0].attributes[1]: the name"
            ),
            (
                #"{"clusters":[{"id":1,"name":"A","commands":[{"id":0,"name":"C","response":"D"}]}]}"#,
                "clusters[0].commands[0]: no response command"
            ),
            (
                #"{"clusters":[{"id":1,"name":"A","commands":[{"id":0,"name":"C","direction":"up"}]}]}"#,
                "clusters[0].commands[0].direction"
            ),
            (
                #"{"clusters":[{"id":1,"name":"A","commands":[{"id":0,"name":"C","bareFieldsOnWire":true,"fields":[]}]}]}"#,
                "bareFieldsOnWire"
            ),
            (
                #"{"clusters":[{"id":1,"name":"A","commands":[{"id":0,"name":"C","fields":[{"id":256,"name":"F","type":"bool"}]}]}]}"#,
                "clusters[0].commands[0].fields[0].id"
            ),
            (
                #"{"clusters":[{"id":1,"name":"A","commands":[{"id":0,"name":"C","fields":[{"id":0,"name":"F","type":"bool"},{"id":0,"name":"G","type":"bool"}]}]}]}"#,
                "fields[1]: the id 0"
            ),
            (
                #"{"clusters":[{"id":1,"name":"A","events":[{"id":0,"name":"E","priority":"high"}]}]}"#,
                "clusters[0].events[0].priority"
            ),
            (#"{"clusters":[{"id":1,"name":"A","features":[{"bit":32,"name":"F"}]}]}"#, "clusters[0].features[0]"),
            (
                #"{"clusters":[{"id":1,"name":"A","enums":{"E":{"type":"enum8","values":{"256":"X"}}}}]}"#,
                "clusters[0].enums.E.values.256"
            ),
            (
                #"{"clusters":[{"id":1,"name":"A","enums":{"E":{"type":"enum9","values":{}}}}]}"#,
                "clusters[0].enums.E.type"
            ),
            (
                #"{"clusters":[{"id":1,"name":"A","enums":{"E":{"type":"enum8","values":{"1":"X","2":"x"}}}}]}"#,
                "clusters[0].enums.E.values.2"
            ),
            (
                #"{"clusters":[{"id":1,"name":"A","enums":{"E":{"type":"enum8","values":{},"labels":{"1":"x"}}}}]}"#,
                "clusters[0].enums.E.labels.1"
            ),
            (#"{"clusters":[{"id":1,"name":"A","bitmaps":{"B":{"type":"bitmap8","masks":{"5":"X"}}}}]}"#, "the mask 5"),
            (#"{"clusters":[{"id":1,"name":"A","bitmaps":{"B":{"type":"bitmap8","masks":{"0":"X"}}}}]}"#, "the mask 0"),
            (
                #"{"clusters":[{"id":1,"name":"A","bitmaps":{"B":{"type":"bitmap8","masks":{"1":"X","3":"Y"}}}}]}"#,
                "overlaps"
            ),
            (
                #"{"clusters":[{"id":1,"name":"A","structs":{"S":{"fields":[{"id":0,"name":"F","type":"S"}]}}}]}"#,
                "clusters[0].structs.S: this structure contains itself"
            ),
            (
                #"{"clusters":[{"id":1,"name":"A","structs":{"S":{"fields":[{"id":0,"name":"F","type":"T"}]},"T":{"fields":[{"id":0,"name":"F","type":"S"}]}}}]}"#,
                "contains itself"
            ),
            (#"{"clusters":[{"id":1,"name":"A","structs":{"uint8":{"fields":[]}}}]}"#, "cannot be the name of a type"),
            (
                #"{"clusters":[{"id":1,"name":"A","structs":{"T":{"fields":[]}},"enums":{"T":{"type":"enum8","values":{}}}}]}"#,
                "two types are called"
            ),
            (
                #"{"clusters":[],"globalTypes":{"semantic":{"x":{"base":"uint9"}}}}"#,
                "globalTypes.semantic.x.base: no base type"
            ),
            (
                #"{"clusters":[],"deviceTypes":[{"id":1,"name":"D","requiredServerClusters":["six"]}]}"#,
                "deviceTypes[0].requiredServerClusters[0]"
            ),
            (#"{"clusters":["#, "not valid JSON"), ("", "not valid JSON"),
        ])
    func mistakes(text: String, place: String) {
        do {
            _ = try load(text)
            Issue.record("\(text) was accepted")
        } catch {
            #expect(error.code == .badDefinitions)
            #expect(error.reason.hasPrefix("kettle.json: "))
            #expect(error.reason.contains(place), "\(error.reason)")
        }
    }

    @Test("a misspelt key or type is answered with the nearest one")
    func suggestions() {
        #expect(
            failure { _ = try load(#"{"clusters":[{"id":1,"name":"A","atributes":[]}]}"#) }?.suggestions == [
                "attributes"
            ])
        let type = failure {
            _ = try load(#"{"clusters":[{"id":1,"name":"A","attributes":[{"id":0,"name":"X","type":"uint9"}]}]}"#)
        }
        #expect(type?.suggestions.contains("uint8") == true)
    }

    @Test("structures may nest, but not without end")
    func deepStructs() {
        let structs = (0..<100_000).map { #""S\#($0)":{"fields":[{"id":0,"name":"F","type":"S\#($0 + 1)"}]}"# }.joined(
            separator: ",")
        #expect(
            code { _ = try load(#"{"clusters":[{"id":1,"name":"A","structs":{\#(structs)}}]}"#) } == .badDefinitions)
    }

    @Test("text from a file cannot steer the terminal")
    func escapes() throws {
        for text in [
            #"{"clusters":[{"id":1,"name":"A","\u001bkey":1}]}"#, #"{"clusters":[{"id":1,"name":"\u001b[2J"}]}"#, "{",
        ] {
            let error = try #require(
                failure { _ = try VendorDefinitions(json: Array(text.utf8), source: "a\u{1b}b.json") })
            #expect(!error.reason.contains("\u{1b}"))
        }
    }

    @Test("damaged files are understood or refused")
    func mutations() {
        let slim =
            #"{"clusters":[{"id":1,"name":"A","attributes":[{"id":0,"name":"X","type":"S","list":true,"max":5}],"structs":{"S":{"fields":[{"id":0,"name":"F","type":"E"}]}},"enums":{"E":{"type":"enum8","values":{"0":"X","1":"Y"}}}}]}"#
        let command =
            #"{"clusters":[{"id":"0x2","name":"B","commands":[{"id":0,"name":"C","fields":[{"id":0,"name":"F","type":"bitmap8","nullable":true}]}],"bitmaps":{"M":{"type":"bitmap8","masks":{"1":"X","6":"Y"}}}}]}"#
        var mutator = Mutator(seed: 11, corpus: [slim, command].map { Array($0.utf8) })
        var accepted = 0
        for _ in 0..<Effort.inputs(20_000) {
            do {
                let file = try VendorDefinitions(json: mutator.next(), source: "x")
                accepted += 1
                _ = try? Catalogue(loaded: [file])
            } catch {
                guard error.code != .badDefinitions || error.reason.isEmpty else { continue }
                Issue.record("\(error)")
            }
        }
        #expect(accepted > Effort.inputs(100))
        var whole = Mutator(seed: 12, corpus: [Array(Self.sample.utf8)])
        for _ in 0..<300 { _ = try? VendorDefinitions(json: whole.next(), source: "x") }
    }

    @Test("files and folders are read, and what cannot be read is named")
    func files() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("definitions-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(Self.sample.utf8).write(to: folder.appendingPathComponent("b.json"))
        try Data(#"{"clusters":[{"id":4294048768,"name":"Tiny"}]}"#.utf8).write(
            to: folder.appendingPathComponent("a.json"))
        try Data("no JSON".utf8).write(to: folder.appendingPathComponent("notes.txt"))
        let files = try VendorDefinitions.folder(folder.path)
        #expect(files.flatMap(\.clusters).map(\.name) == ["Tiny", "Kettle"])
        #expect(try VendorDefinitions(file: folder.appendingPathComponent("b.json").path).clusters.count == 1)
        #expect(try VendorDefinitions.folder(folder.appendingPathComponent("absent").path).isEmpty)
        #expect(
            code { _ = try VendorDefinitions(file: folder.appendingPathComponent("absent.json").path) }
                == .badDefinitions)
        #expect(code { _ = try VendorDefinitions(file: folder.path) } == .badDefinitions)
        #expect(
            code { _ = try VendorDefinitions.folder(folder.appendingPathComponent("b.json").path) } == .badDefinitions)
        try Data("{".utf8).write(to: folder.appendingPathComponent("c.json"))
        #expect(code { _ = try VendorDefinitions.folder(folder.path) } == .badDefinitions)
    }
}
