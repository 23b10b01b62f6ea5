/// Turns the lines of one record of the generated table into demands. The generator describes the lines.
enum ConformanceDecoder {
    static func cluster(_ lines: TableReader) -> ClusterDemands? {
        var cluster: ClusterDemands?
        for line in lines {
            switch line.kind {
            case UInt8(ascii: "C"):
                cluster = ClusterDemands(
                    id: line.id(0), name: line.string(1), revision: UInt16(clamping: line.decimal(2) ?? 1),
                    isProvisional: line.string(3) == "p")
            case UInt8(ascii: "F"):
                guard let bit = line.decimal(0).flatMap({ Int(exactly: $0) }), let rule = rule(line, 2) else {
                    continue
                }
                cluster?.features.append(.init(id: bit, name: line.string(1), conformance: rule))
            case UInt8(ascii: "A"):
                guard let rule = rule(line, 2) else { continue }
                cluster?.attributes.append(.init(id: line.id(0), name: line.string(1), conformance: rule))
            case UInt8(ascii: "Q"):
                guard let rule = rule(line, 2) else { continue }
                cluster?.requests.append(.init(id: line.id(0), name: line.string(1), conformance: rule))
            case UInt8(ascii: "R"):
                guard let rule = rule(line, 2) else { continue }
                cluster?.responses.append(.init(id: line.id(0), name: line.string(1), conformance: rule))
            default: break
            }
        }
        return cluster
    }

    static func deviceType(_ lines: TableReader) -> DeviceTypeDemands? {
        var type: DeviceTypeDemands?
        var open: (cluster: DeviceTypeDemands.Cluster, isServer: Bool)?
        func close() {
            guard let ended = open else { return }
            if ended.isServer { type?.servers.append(ended.cluster) } else { type?.clients.append(ended.cluster) }
            open = nil
        }
        for line in lines {
            switch line.kind {
            case UInt8(ascii: "D"):
                type = DeviceTypeDemands(
                    id: line.id(0), name: line.string(1), revision: line.decimal(2).flatMap { UInt16(exactly: $0) },
                    deviceClass: .init(rawValue: line.string(3)) ?? .simple,
                    superset: line.octets(4).isEmpty ? nil : line.id(4))
            case UInt8(ascii: "s"), UInt8(ascii: "c"):
                close()
                // A row without a rule is about elements of the cluster only.
                guard let rule = rule(line, 2) ?? Conformance("desc") else { continue }
                open = (
                    .init(id: line.id(0), conformance: rule, isSingleton: line.string(1) == "i"),
                    line.kind == UInt8(ascii: "s")
                )
            case UInt8(ascii: "f"):
                open?.cluster.features.append(
                    .init(id: line.string(0), conformance: rule(line, 1), values: values(line.string(2))))
            case UInt8(ascii: "a"):
                open?.cluster.attributes.append(
                    .init(id: line.id(0), conformance: rule(line, 1), values: values(line.string(2))))
            case UInt8(ascii: "q"):
                open?.cluster.requests.append(
                    .init(id: line.id(0), conformance: rule(line, 1), values: values(line.string(2))))
            case UInt8(ascii: "p"):
                guard let rule = rule(line, 1) else { continue }
                type?.parts.append(.init(deviceType: line.id(0), conformance: rule))
            case UInt8(ascii: "k"):
                guard let rule = rule(line, 2) else { continue }
                type?.gifts.append(.init(deviceType: line.id(0), condition: line.string(1), conformance: rule))
            default: break
            }
        }
        close()
        return type
    }

    private static func rule(_ line: TableLine, _ position: Int) -> Conformance? { Conformance(line.string(position)) }

    /// `254`, `1 to 254`; `nil` for what is prose.
    private static func values(_ text: String) -> ClosedRange<Int64>? {
        let parts = text.split(separator: " ")
        guard let first = parts.first.flatMap({ Int64($0) }) else { return nil }
        guard parts.count > 1 else { return first...first }
        guard parts.count == 3, let last = Int64(parts[2]), last >= first else { return nil }
        return first...last
    }
}
