import Foundation
import MatterBase
import Testing

@testable import MatterModel

/// The clusters of well-known makers, which are compiled in.
@Suite("Clusters of makers") struct VendorClustersTests {
    private let catalogue = Catalogue.standard

    private static let files = {
        let folder = Checkout.root.appendingPathComponent("Tests/Tools/clusters").path
        return Result { try VendorDefinitions.folder(folder) }
    }()

    @Test("every definition file is read by the reader for users' files, and is what is compiled in")
    func files() throws {
        let files = try Self.files.get()
        #expect(files.count == 9 && files.flatMap(\.clusters).count == 11)
        for cluster in files.flatMap(\.clusters) {
            let ours = try #require(catalogue.cluster(cluster.id), "\(cluster.name)")
            #expect(ours == cluster, "\(cluster.name)")
            #expect(try catalogue.cluster(named: cluster.name) == ours)
            for attribute in cluster.attributes {
                #expect(try ours.attribute(named: NameStyle.kebab(attribute.name)) == attribute)
            }
            for command in cluster.commands { #expect(try ours.command(named: command.name) == command) }
            for event in cluster.events { #expect(try ours.event(named: event.name) == event) }
        }
        let blinds = try catalogue.cluster(named: "window-covering")
        for attribute in files.flatMap(\.extensions).flatMap(\.attributes) {
            #expect(try blinds.attribute(named: attribute.name) == attribute)
        }
    }

    @Test("no two of them have one id, nor one name")
    func collisions() throws {
        let all = Catalogue.standard.clusterNames
        #expect(Set(all.map(\.id)).count == all.count && Set(all.map { NameKey($0.name) }).count == all.count)
        #expect(try Catalogue(loaded: Self.files.get()).contested.isEmpty)
    }

    @Test("facts that one device alone has shown are left out", .enabled(if: Checkout.hasReference))
    func confidence() throws {
        let json = try JSONSerialization.jsonObject(with: Data(Checkout.referenceFile("vendor-clusters.json")))
        let clusters = try #require((json as? [String: Any])?["clusters"] as? [[String: Any]])
        #expect(clusters.count == 14)
        func number(_ value: Any?) -> UInt32? {
            (value as? String).flatMap { UInt32($0.dropFirst(2), radix: 16) }
        }
        for cluster in clusters {
            let id = ClusterID(try #require(number(cluster["id"])))
            let ours = catalogue.cluster(id)
            #expect((ours == nil) == (cluster["confidence"] as? String == "low"), "\(hexadecimal(id))")
            guard let ours else { continue }
            for attribute in try #require(cluster["attributes"] as? [[String: Any]]) {
                let known = ours.attribute(AttributeID(try #require(number(attribute["id"]))))
                #expect(
                    known?.name == (attribute["confidence"] as? String == "low" ? nil : attribute["name"] as? String))
            }
        }
    }

    @Test("energy figures read with their units")
    func units() throws {
        for (cluster, attribute, value, said) in [
            ("eve", "watt", .float(12.5), "12.5 W"), ("eve", "watt-accumulated", .float(1.25), "1.25 kWh"),
            ("eve", "voltage", .float(230.5), "230.5 V"), ("neo", "watt", .uint(125), "12.5 W"),
            ("neo", "current", .uint(543), "0.543 A"), ("neo", "watt-accumulated", .uint(7), "7 Wh"),
            ("third-reality-metering", "instantaneous-demand", .int(12_500), "12.500 W"),
            ("third-reality-metering", "current-summation-delivered", .uint(1500), "1.500 Wh"),
            ("window-covering", "wago-travel-time-up", .uint(1234), "12.34 s"),
            // Some firmware sends a fraction where others send whole numbers.
            ("neo", "current", .float(543), "0.543 A"),
        ] as [(String, String, TLVValue, String)] {
            let type = try catalogue.type(cluster, attribute)
            #expect(ValuePrinter().meaning(value, as: type) == said, "\(cluster)/\(attribute)")
        }
        #expect(ValuePrinter().text(.uint(3), as: try catalogue.type("eve", "weather-trend")) == "Cloudy")
    }

    @Test("a user's definition wins over a compiled-in one: by its id, and by its name")
    func users() throws {
        func load(_ text: String) throws -> Catalogue {
            try Catalogue(loaded: [VendorDefinitions(json: Array(text.utf8), source: "mine.json")])
        }
        let attribute = #""attributes":[{"id":0,"name":"Mine","type":"bool"}]"#
        let byID = try load(#"{"clusters":[{"id":"0x130AFC01","name":"Eve","vendor":1,\#(attribute)}]}"#)
        #expect(try byID.cluster(named: "eve").attribute(named: "mine").id == 0)
        #expect(byID.clusterNames.count == catalogue.clusterNames.count)
        let byName = try load(#"{"clusters":[{"id":"0xFFF1FC77","name":"Eve",\#(attribute)}]}"#)
        #expect(try byName.cluster(named: "eve").id == 0xFFF1_FC77)
        #expect(byName.clusterName(0x130A_FC01) == "Eve")
        let extended = try load(
            #"{"clusters":[],"extensions":[{"cluster":6,"attributes":[{"id":"0x15340001","name":"Bell","type":"bool"}]}]}"#
        )
        #expect(try extended.cluster(named: "on-off").attribute(named: "bell").id == 0x1534_0001)
        #expect(try extended.cluster(named: "on-off").attribute(named: "on-off").id == 0)
        #expect(throws: DataModelError.self) { try load(#"{"clusters":[],"extensions":[{"attributes":[]}]}"#) }
    }

    @Test("of two vendors' definitions of one cluster, that of the node's vendor counts")
    func contested() throws {
        func cluster(_ vendor: Int, _ name: String, _ attribute: String) -> String {
            #"{"id":"0xFFF1FC77","name":"\#(name)","vendor":\#(vendor),"attributes":[{"id":0,"name":"\#(attribute)","type":"bool"}]}"#
        }
        let text = #"{"clusters":[\#(cluster(1, "One", "First")),\#(cluster(2, "Two", "Second"))]}"#
        let files = try [
            VendorDefinitions(json: Array(#"{"clusters":[\#(cluster(1, "One", "First"))]}"#.utf8), source: "one"),
            VendorDefinitions(json: Array(#"{"clusters":[\#(cluster(2, "Two", "Second"))]}"#.utf8), source: "two"),
        ]
        // Within one file an id is one cluster's.
        #expect(throws: DataModelError.self) { try VendorDefinitions(json: Array(text.utf8), source: "both") }
        let both = try Catalogue(loaded: files)
        #expect(both.contested.map(\.vendors) == [[1, 2]] && both.contested.first?.id == 0xFFF1_FC77)
        #expect(both.clusterName(0xFFF1_FC77) == "One")
        #expect(both.preferring(vendor: 2).attribute(cluster: 0xFFF1_FC77, 0)?.name == "Second")
        #expect(both.preferring(vendor: 3).clusterName(0xFFF1_FC77) == "One")
        #expect(both.clusterNames.filter { $0.id == 0xFFF1_FC77 }.count == 1)
        #expect(catalogue.contested.isEmpty)
    }
}
