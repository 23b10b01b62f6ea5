import Logging
import MatterController

/// Commands, values and lists of devices.
extension InterfaceCommands {
    private static let usual = Duration.seconds(30)

    private func deadline(_ arguments: InterfaceArguments) throws(InterfaceError) -> Instant {
        let given = try arguments.optionalInteger("interaction_timeout_ms", as: Int64.self)
        return house.time.now + (given.map { .milliseconds(min(max($0, 100), 600_000)) } ?? Self.usual)
    }

    func deviceCommand(_ arguments: InterfaceArguments) async throws -> Result {
        guard let response = try await response(to: arguments) else { return Self.null }
        return [NamedEncoding.response(response.fields, response.id, of: response.cluster, in: catalogue).utf8()]
    }

    /// The response of a device to a command; `nil` for a plain success.
    func response(
        to arguments: InterfaceArguments
    ) async throws -> (id: CommandID, cluster: ClusterID, fields: TLVValue)? {
        let id = try arguments.node()
        let (endpoint, cluster) = (
            try arguments.endpoint(), ClusterID(try arguments.integer("cluster_id", as: UInt32.self))
        )
        let name = try arguments.text("command_name")
        guard !isTest(id) else { return nil }
        let record = try await ready(id)
        let command = try CommandPayload.command(name, of: cluster, in: catalogue)
        let fields = try CommandPayload.fields(try arguments.object("payload"), of: command)
        let request = Command(endpoint: endpoint, cluster: cluster, command: command.id, fields: fields)
        let timed = try arguments.optionalInteger("timed_request_timeout_ms", as: UInt32.self)
        let link = try await controller.links.link(to: record)
        let result = try await link.invoke(
            request, isTimed: timed != nil || command.isTimed, NodeLink.Repeatability(of: request, in: catalogue),
            work: catalogue.expectedWork(ofCommand: command.id, inCluster: cluster), deadline: deadline(arguments))
        guard result.status.isSuccess else { throw Self.failure(result.status) }
        guard case .response(let response, let fields?) = result.outcome else { return nil }
        return (response, cluster, fields)
    }

    static func failure(_ status: StatusIB) -> InterfaceError {
        InterfaceError(
            .stack, "the device answered with \(status)",
            status: (status.status.rawValue, status.significantClusterStatus))
    }

    func readAttribute(_ arguments: InterfaceArguments) async throws -> Result {
        let id = try arguments.node()
        let isList = if case .array? = arguments["attribute_path"] { true } else { false }
        var texts: [String] = []
        for item in isList ? try arguments.list("attribute_path") : [.string(try arguments.text("attribute_path"))] {
            guard case .string(let text) = item else {
                throw InterfaceError(.invalidArguments, "an attribute path is not a text")
            }
            texts.append(text)
        }
        var paths: [AttributePath] = []
        for text in texts { paths.append(try AttributePathText.path(text)) }
        guard !paths.isEmpty else { throw InterfaceError(.invalidArguments, "there is no attribute path") }
        guard !isTest(id) else { return [Array("{}".utf8)] }
        let record = try await ready(id)
        let link = try await controller.links.link(to: record)
        let result = try await link.read(
            paths, isFabricFiltered: try arguments.flag("fabric_filtered", or: false),
            deadline: house.time.now + Self.usual)
        await house.takeReading(id, result)
        var octets = Array("{".utf8)
        for report in result.attributes {
            guard let value = report.value else { continue }
            if octets.count > 1 { octets.append(UInt8(ascii: ",")) }
            octets += "\"\(CachePath(report.path))\":".utf8
            ValueEncoding.append(value, to: &octets)
        }
        octets.append(UInt8(ascii: "}"))
        let failures = result.attributes.compactMap { report in
            if case .failure(let status) = report.outcome { status } else { nil }
        }
        if let status = failures.first, failures.count == result.attributes.count { throw Self.failure(status) }
        return [octets]
    }

    func writeAttribute(_ arguments: InterfaceArguments) async throws -> Result {
        let id = try arguments.node()
        let path = try AttributePathText.path(try arguments.text("attribute_path"))
        guard let concrete = path.concrete else {
            throw InterfaceError(.invalidArguments, "a path to be written has no wildcards")
        }
        guard arguments.has("value") else { throw InterfaceError(.invalidArguments, "the argument value is missing") }
        guard !isTest(id) else { return Self.null }
        let record = try await ready(id)
        let value = try CommandPayload.value(arguments["value"] ?? .null, for: concrete, in: catalogue)
        let isTimed = try arguments.optionalInteger("timed_request_timeout_ms", as: UInt32.self) != nil
        return try await write(value, to: concrete, of: record, isTimed: isTimed)
    }

    private func write(
        _ value: TLVValue, to path: ConcreteAttributePath, of record: NodeRecord, isTimed: Bool = false
    ) async throws -> Result {
        let link = try await controller.links.link(to: record)
        let mustBeTimed = catalogue.attribute(cluster: path.cluster, path.attribute)?.mustTimedWrite ?? false
        let results = try await link.write(
            [AttributeWrite(path, value: value)], isTimed: isTimed || mustBeTimed,
            catalogue.mayRepeat(writeOf: path.attribute, inCluster: path.cluster) ? .absolute : .atMostOnce,
            deadline: house.time.now + Self.usual)
        let items: [JSONValue] = results.map { result in
            [
                "Path": [
                    "EndpointId": .int(Int64(path.endpoint.rawValue)), "ClusterId": .int(Int64(path.cluster.rawValue)),
                    "AttributeId": .int(Int64(path.attribute.rawValue)),
                ], "Status": .int(Int64(result.status.status.rawValue)),
            ]
        }
        return [JSONValue.array(items).utf8()]
    }

    // MARK: Lists

    func setAccessList(_ arguments: InterfaceArguments) async throws -> Result {
        let record = try await ready(try arguments.node())
        var entries: [AccessControlEntry] = []
        for item in try arguments.list("entry") {
            guard case .object(let object) = item else {
                throw InterfaceError(.invalidArguments, "an entry is not an object")
            }
            entries.append(try Self.entry(InterfaceArguments(object)))
        }
        let edit = AccessListEdit(.replace(entries), own: try controller.context.credentials().identity, of: record)
        let link = try await controller.links.link(to: record)
        _ = try await link.change(accessListBy: edit, deadline: house.time.now + Self.usual)
        let path = ConcreteAttributePath(endpoint: 0, cluster: AccessControl.id, attribute: AccessControl.Attribute.acl)
        return [JSONValue.array([Self.written(path)]).utf8()]
    }

    private static func written(_ path: ConcreteAttributePath) -> JSONValue {
        [
            "Path": [
                "EndpointId": .int(Int64(path.endpoint.rawValue)), "ClusterId": .int(Int64(path.cluster.rawValue)),
                "AttributeId": .int(Int64(path.attribute.rawValue)),
            ], "Status": .int(0),
        ]
    }

    private static func entry(_ arguments: InterfaceArguments) throws -> AccessControlEntry {
        let privilege = AccessControlEntry.Privilege(rawValue: try arguments.integer("privilege", as: UInt8.self))
        // Clients write it as the SDK does, the reference as Python does.
        let key = arguments.has("authMode") ? "authMode" : "auth_mode"
        let mode = AccessControlEntry.AuthMode(rawValue: try arguments.integer(key, as: UInt8.self))
        var subjects: [NodeID] = []
        for item in arguments["subjects"] == nil ? [] : try arguments.list("subjects") {
            guard let number = InterfaceArguments.integer(item, as: UInt64.self) else {
                throw InterfaceError(.invalidArguments, "a subject is not a number")
            }
            subjects.append(NodeID(number))
        }
        var targets: [AccessControlEntry.Target] = []
        for item in arguments["targets"] == nil ? [] : try arguments.list("targets") {
            guard case .object(let object) = item else {
                throw InterfaceError(.invalidArguments, "a target is not an object")
            }
            let target = InterfaceArguments(object)
            targets.append(
                AccessControlEntry.Target(
                    cluster: try target.optionalInteger("cluster", as: UInt32.self).map { ClusterID($0) },
                    endpoint: try target.optionalInteger("endpoint", as: UInt16.self).map { EndpointID($0) },
                    deviceType: try target.optionalInteger(
                        target.has("deviceType") ? "deviceType" : "device_type", as: UInt32.self
                    ).map { DeviceTypeID($0) }))
        }
        return AccessControlEntry(privilege, authMode: mode, subjects: subjects, targets: targets)
    }

    func setBinding(_ arguments: InterfaceArguments) async throws -> Result {
        let record = try await ready(try arguments.node())
        let endpoint = try arguments.endpoint("endpoint")
        var targets: [TLVValue] = []
        for item in try arguments.list("bindings") {
            guard case .object(let object) = item else {
                throw InterfaceError(.invalidArguments, "a binding is not an object")
            }
            let target = InterfaceArguments(object)
            targets.append(
                Binding.Target(
                    node: try target.optionalInteger("node", as: UInt64.self),
                    group: try target.optionalInteger("group", as: UInt16.self),
                    endpoint: try target.optionalInteger("endpoint", as: UInt16.self).map { EndpointID($0) },
                    cluster: try target.optionalInteger("cluster", as: UInt32.self).map { ClusterID($0) }
                ).tlv)
        }
        let path = ConcreteAttributePath(endpoint: endpoint, cluster: Binding.id, attribute: Binding.Attribute.binding)
        return try await write(TLVValue.array(of: targets), to: path, of: record)
    }
}
