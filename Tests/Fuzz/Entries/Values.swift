import JSON
import MatterBase

@testable import MatterModel
@testable import MatterNetwork

extension FuzzEntry {
    /// Values: what devices report for attributes, what people type, and files of definitions.
    static let values = [
        FuzzEntry("values") {
            Seeds.attributeValues
        } run: { bytes in
            // Cluster and attribute, then any TLV as its value: printing never fails, and stays one line.
            guard bytes.count > 4, let fields = try? TLVFields(decoding: [0x15] + bytes.dropFirst(3) + [0x18], "value"),
                let value = fields[0]
            else { return .refused }
            let cluster = ClusterID(UInt32(bytes[0]) | UInt32(bytes[1] & 0x0F) << 8)
            let definition = Catalogue.standard.attribute(cluster: cluster, AttributeID(UInt32(bytes[2])))
            for printer in [ValuePrinter(), ValuePrinter(numeric: true)] {
                let text = printer.text(value, as: definition?.type)
                precondition(
                    text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }, "more than a line")
                _ = printer.meaning(value, as: definition?.type)
                let json = printer.json(value, as: definition?.type)
                guard let again = try? JSONValue(parsing: json.utf8()) else { preconditionFailure("not JSON") }
                // A printed value may be typed again.
                if let type = definition?.type { _ = try? ValueParser().value(json: again, as: type, at: "value") }
            }
            return definition == nil ? .refused : .deep
        },
        FuzzEntry("typed-values") {
            Seeds.typedValues
        } run: { bytes in
            guard bytes.count > 3 else { return .refused }
            let cluster = ClusterID(UInt32(bytes[0]) | UInt32(bytes[1] & 0x0F) << 8)
            guard let type = Catalogue.standard.attribute(cluster: cluster, AttributeID(UInt32(bytes[2])))?.type else {
                return .refused
            }
            let word = String(decoding: bytes.dropFirst(3), as: UTF8.self)
            _ = try? ValueParser().value(untyped: word, at: "value")
            guard let parsed = try? ValueParser().value(word: word, as: type, at: "value") else { return .refused }
            _ = ValuePrinter().text(parsed.value, as: type)
            return .deep
        },
        FuzzEntry("path") {
            Seeds.paths
        } run: { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            var depth = Depth.refused
            for kind in [ElementKind.attribute, .command, .event] {
                guard let path = try? ElementPath(text, kind) else { continue }
                depth = .deep
                precondition((try? ElementPath(path.text(kind, in: .standard), kind)) == path, "'\(text)' as \(kind)")
            }
            return depth
        },
        FuzzEntry("definitions") {
            Seeds.definitions
        } run: { bytes in
            guard let definitions = try? VendorDefinitions(json: bytes, source: "test") else { return .refused }
            _ = try? Catalogue(loaded: [definitions])
            return .deep
        },
        FuzzEntry("report") {
            Seeds.reports
        } run: { bytes in
            // A sound attribute stands before and after one that the input makes: both stay what they are.
            let sound = ConcreteAttributePath(endpoint: 1, cluster: 6, attribute: 0)
            let before = AttributeReportIB.data(AttributeDataIB(path: AttributePath(sound), data: .bool(true)))
            let other = ConcreteAttributePath(endpoint: 1, cluster: 8, attribute: 0)
            let after = AttributeReportIB.data(AttributeDataIB(path: AttributePath(other), data: .uint(7)))
            guard let fields = try? TLVFields(decoding: [0x15] + bytes + [0x18], "report"), let odd = fields[0],
                case .structure = odd
            else { return .refused }
            guard let report = try? AttributeReportIB(tlv: odd) else { return .refused }
            var read = ReadTransaction(ReadRequest(attributePaths: [AttributePath()]))
            guard (try? read.start(maxPayload: LinkProperties.udp.largestPayload)) != nil else {
                preconditionFailure("a read that does not start")
            }
            let payload = ReportData(attributes: [before, report, after]).encoded()
            guard (try? read.handle(opcode: ReportData.opcode.rawValue, payload: payload)) != nil,
                let result = read.output
            else { return .refused }
            for (path, value) in [(sound, TLVValue.bool(true)), (other, .uint(7))] {
                let found = result.attributes.first { $0.path == path }
                precondition(found != nil, "an odd attribute hides a sound one")
                if case .data(let data) = report, data.path.concrete == path { continue }
                if case .status(let status) = report, status.path.concrete == path { continue }
                precondition(found?.value == value, "an odd attribute changes a sound one")
            }
            return .deep
        },
    ]
}
