import Glibc
import MatterBase
import MatterModel

/// The answer to a read of everything: what it costs to parse its messages and to print its values in a pipe. Fails if that
/// is too much.
@main
enum ReadingBench {
    private static let runs = 20
    private static let batches = 5
    private static let count = 2000
    private static let limit = 10.0
    /// As many as fit a message of 1,280 bytes.
    private static let perMessage = 40

    static func main() throws {
        let catalogue = Catalogue.standard
        let messages = messages()
        let printer = ValuePrinter()
        let sink = open("/dev/null", O_WRONLY)
        var best = Double.infinity
        for _ in 0..<batches {
            let start = clock()
            for _ in 0..<runs {
                var transaction = ReadTransaction(ReadRequest(attributePaths: [AttributePath()]))
                _ = try transaction.start(maxPayload: 1200)
                for message in messages {
                    _ = try transaction.handle(opcode: ReportData.opcode.rawValue, payload: message)
                }
                let lines = (transaction.output?.attributes ?? []).map { report in
                    let path = ElementPath(
                        endpoint: report.path.endpoint, cluster: report.path.cluster,
                        element: report.path.attribute.rawValue)
                    let type = catalogue.attribute(cluster: report.path.cluster, report.path.attribute)?.type
                    let value = report.value.map { printer.text($0, as: type) } ?? ""
                    return [path.text(.attribute, in: catalogue), value].joined(separator: "\t")
                }
                guard lines.count == count else { end("\(lines.count) attributes were read", 1) }
                let text = Array(lines.joined(separator: "\n").utf8)
                _ = write(sink, text, text.count)
            }
            best = min(best, Double(clock() - start) / Double(CLOCKS_PER_SEC) * 1000 / Double(runs))
        }
        print(
            "reading: \(count) attributes parsed and printed: \(Double(Int(best * 100)) / 100) ms of CPU (at most \(limit))"
        )
        guard best <= limit else { end("too slow", 1) }
    }

    /// Lights as they are: some lists and structures, and mostly numbers.
    private static func messages() -> [[UInt8]] {
        let list = TLVValue.array(of: [6, 8, 29, 3, 4].map { .uint($0) })
        let types = TLVValue.array(of: [.structure([TLVElement(0, .uint(0x0101)), TLVElement(1, .uint(3))])])
        let values: [(ClusterID, AttributeID, TLVValue)] = [
            (OnOff.id, OnOff.Attribute.onOff, .bool(true)),
            (OnOff.id, OnOff.Attribute.globalSceneControl, .bool(true)),
            (OnOff.id, OnOff.Attribute.onTime, .uint(0)),
            (OnOff.id, OnOff.Attribute.offWaitTime, .uint(0)),
            (OnOff.id, OnOff.Attribute.startUpOnOff, .null),
            (LevelControl.id, LevelControl.Attribute.currentLevel, .uint(127)),
            (LevelControl.id, LevelControl.Attribute.remainingTime, .uint(0)),
            (LevelControl.id, LevelControl.Attribute.minLevel, .uint(1)),
            (LevelControl.id, LevelControl.Attribute.maxLevel, .uint(254)),
            (LevelControl.id, LevelControl.Attribute.options, .uint(0)),
            (LevelControl.id, LevelControl.Attribute.onLevel, .null),
            (LevelControl.id, LevelControl.Attribute.startUpCurrentLevel, .null),
            (Descriptor.id, Descriptor.Attribute.deviceTypeList, types),
            (Descriptor.id, Descriptor.Attribute.serverList, list),
            (Descriptor.id, Descriptor.Attribute.clientList, .array([])),
            (Descriptor.id, Descriptor.Attribute.partsList, .array([])),
            (Identify.id, Identify.Attribute.identifyTime, .uint(0)),
            (Identify.id, Identify.Attribute.identifyType, .uint(2)),
            (OnOff.id, 0xFFFB, list),
            (OnOff.id, 0xFFFD, .uint(6)),
        ]
        let reports = (0..<count / values.count).flatMap { endpoint in
            values.map { cluster, attribute, value in
                AttributeReportIB.data(
                    AttributeDataIB(
                        dataVersion: 0x1234_5678,
                        path: AttributePath(
                            endpoint: EndpointID(UInt16(endpoint + 1)), cluster: cluster, attribute: attribute),
                        data: value))
            }
        }
        return stride(from: 0, to: count, by: perMessage).map { start in
            let end = min(start + perMessage, count)
            return ReportData(
                attributes: Array(reports[start..<end]), hasMoreChunks: end < count, suppressesResponse: end == count
            ).encoded()
        }
    }

    private static func end(_ message: String, _ status: Int32) -> Never {
        let line = Array((message + "\n").utf8)
        _ = write(STDERR_FILENO, line, line.count)
        exit(status)
    }
}
