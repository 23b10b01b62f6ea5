public import MatterNetwork

/// The attributes in which a device says what values it takes: for others of the cluster, and for fields of its commands.
struct ValueBounds {
    let cluster: ClusterID
    var attributes: [AttributeID] = []
    /// Commands whose field of that number has these bounds.
    var commands: [(command: CommandID, field: UInt8)] = []
    /// The first that the device has counts.
    var lower: [AttributeID] = []
    var upper: [AttributeID] = []

    private typealias Heat = Thermostat.Attribute

    private static let all = [
        ValueBounds(
            cluster: Thermostat.id, attributes: [Heat.occupiedHeatingSetpoint, Heat.unoccupiedHeatingSetpoint],
            lower: [Heat.minHeatSetpointLimit, Heat.absMinHeatSetpointLimit],
            upper: [Heat.maxHeatSetpointLimit, Heat.absMaxHeatSetpointLimit]),
        ValueBounds(
            cluster: Thermostat.id, attributes: [Heat.occupiedCoolingSetpoint, Heat.unoccupiedCoolingSetpoint],
            lower: [Heat.minCoolSetpointLimit, Heat.absMinCoolSetpointLimit],
            upper: [Heat.maxCoolSetpointLimit, Heat.absMaxCoolSetpointLimit]),
        ValueBounds(
            cluster: Thermostat.id, attributes: [Heat.minHeatSetpointLimit, Heat.maxHeatSetpointLimit],
            lower: [Heat.absMinHeatSetpointLimit], upper: [Heat.absMaxHeatSetpointLimit]),
        ValueBounds(
            cluster: Thermostat.id, attributes: [Heat.minCoolSetpointLimit, Heat.maxCoolSetpointLimit],
            lower: [Heat.absMinCoolSetpointLimit], upper: [Heat.absMaxCoolSetpointLimit]),
        ValueBounds(
            cluster: LevelControl.id,
            attributes: [LevelControl.Attribute.onLevel, LevelControl.Attribute.startUpCurrentLevel],
            commands: [
                (LevelControl.Command.moveToLevel, 0), (LevelControl.Command.moveToLevelWithOnOff, 0),
            ],
            lower: [LevelControl.Attribute.minLevel], upper: [LevelControl.Attribute.maxLevel]),
        ValueBounds(
            cluster: ColorControl.id, attributes: [ColorControl.Attribute.startUpColorTemperatureMireds],
            commands: [(ColorControl.Command.moveToColorTemperature, 0)],
            lower: [ColorControl.Attribute.colorTempPhysicalMinMireds],
            upper: [ColorControl.Attribute.colorTempPhysicalMaxMireds]),
        ValueBounds(
            cluster: FanControl.id, attributes: [FanControl.Attribute.speedSetting],
            upper: [FanControl.Attribute.speedMax]),
        ValueBounds(
            cluster: DoorLock.id,
            commands: [(DoorLock.Command.setUser, 1), (DoorLock.Command.getUser, 0), (DoorLock.Command.clearUser, 0)],
            upper: [DoorLock.Attribute.numberOfTotalUsersSupported]),
        ValueBounds(
            cluster: DoorLock.id,
            commands: [
                (DoorLock.Command.setWeekDaySchedule, 0), (DoorLock.Command.getWeekDaySchedule, 0),
            ],
            upper: [DoorLock.Attribute.numberOfWeekDaySchedulesSupportedPerUser]),
        ValueBounds(
            cluster: DoorLock.id,
            commands: [
                (DoorLock.Command.setYearDaySchedule, 0), (DoorLock.Command.getYearDaySchedule, 0),
            ],
            upper: [DoorLock.Attribute.numberOfYearDaySchedulesSupportedPerUser]),
    ]

    /// - Returns: `nil` if no attribute bounds this one.
    static func of(_ attribute: AttributeID, of cluster: ClusterID) -> ValueBounds? {
        all.first { $0.cluster == cluster && $0.attributes.contains(attribute) }
    }

    /// - Returns: the field of the command that attributes of the device bound, with its bounds; `nil` if there is none.
    static func of(_ command: CommandID, of cluster: ClusterID) -> (field: UInt8, bounds: ValueBounds)? {
        for bounds in all where bounds.cluster == cluster {
            if let place = bounds.commands.first(where: { $0.command == command }) { return (place.field, bounds) }
        }
        return nil
    }
}

extension NodeLink {
    /// The values that the device takes, after it has refused one: from the device, else from the specification.
    ///
    /// - Parameters:
    ///   - title: the node's name in messages, such as `node 'kitchen'`.
    ///   - label: the node as it is typed.
    /// - Returns: `nil` if neither says anything.
    public func bounds(
        of path: ConcreteAttributePath, title: String, label: String, in catalogue: Catalogue,
        deadline: Instant
    ) async -> Hint? {
        if let bounds = ValueBounds.of(path.attribute, of: path.cluster),
            let hint = await hint(
                of: bounds, at: path.endpoint, what: title, label: label, in: catalogue, deadline: deadline)
        {
            return hint
        }
        return catalogue.attribute(cluster: path.cluster, path.attribute).flatMap { Self.allowed(by: $0.type) }
            .map { Hint("the specification allows \($0)") }
    }

    /// The values that the device takes in a field of a command, after it has refused one: from the device, else from the
    /// specification for the fields that are outside of its limits.
    ///
    /// - Parameters: as above.
    /// - Returns: `nil` if neither says anything.
    public func bounds(
        of command: Command, title: String, label: String, in catalogue: Catalogue, deadline: Instant
    ) async -> Hint? {
        let definition = catalogue.cluster(command.path.cluster)?.command(command.path.command)
        let fields = definition?.fields ?? []
        if let endpoint = command.path.endpoint,
            let (number, bounds) = ValueBounds.of(command.path.command, of: command.path.cluster),
            command.fields.field(number) != nil
        {
            let name = fields.first { $0.id == number }.map { " as \(NameStyle.kebab($0.name))" } ?? ""
            if let hint = await hint(
                of: bounds, at: endpoint, what: title, field: name, label: label, in: catalogue, deadline: deadline)
            {
                return hint
            }
        }
        let outside = fields.compactMap { field -> String? in
            guard let number: UInt64 = command.fields.field(field.id)?.integer(), !field.type.limits.contains(number),
                let allowed = Self.allowed(by: field.type)
            else { return nil }
            return "\(allowed) as \(NameStyle.kebab(field.name))"
        }
        return outside.isEmpty ? nil : Hint("the specification allows \(outside.joined(separator: ", "))")
    }

    /// - Parameters:
    ///   - what: the device in messages.
    ///   - field: the field of a command, as words to be added.
    private func hint(
        of bounds: ValueBounds, at endpoint: EndpointID, what title: String, field: String = "", label: String,
        in catalogue: Catalogue, deadline: Instant
    ) async -> Hint? {
        let cluster = bounds.cluster
        let wanted = (bounds.lower + bounds.upper).map {
            AttributePath(endpoint: endpoint, cluster: cluster, attribute: $0)
        }
        let reports = (try? await read(wanted, deadline: deadline))?.attributes ?? []
        func found(_ attributes: [AttributeID]) -> (id: AttributeID, text: String)? {
            attributes.lazy.compactMap { id -> (AttributeID, String)? in
                guard let value = reports.first(where: { $0.path.attribute == id })?.value, value != .null else {
                    return nil
                }
                let type = catalogue.attribute(cluster: cluster, id)?.type
                return (id, ValuePrinter().meaning(value, as: type) ?? ValuePrinter().text(value, as: type))
            }.first
        }
        let (low, high) = (found(bounds.lower), found(bounds.upper))
        guard let range = Self.range(low?.text, high?.text) else { return nil }
        let paths = [low?.id, high?.id].compactMap { $0 }.map {
            ElementPath(endpoint: endpoint, cluster: cluster, element: $0.rawValue).text(.attribute, in: catalogue)
        }
        return Hint("\(title) takes \(range)\(field); ") + .step("limits.see", label, paths.joined(separator: " "))
    }

    /// The specification's limits for values of a type.
    private static func allowed(by type: DataType) -> String? {
        func text(_ number: Int64?) -> String? {
            number.map { ValuePrinter().meaning(.int($0), as: type) ?? "\($0)" }
        }
        let limits = type.limits
        return range(text(limits.minimum), text(limits.maximum))
            ?? range(limits.minimumLength, limits.maximumLength).map { "\($0) bytes" }
            ?? range(limits.minimumItems, limits.maximumItems).map { "\($0) entries" }
    }

    private static func range(_ low: (some CustomStringConvertible)?, _ high: (some CustomStringConvertible)?)
        -> String?
    {
        switch (low, high) {
        case (nil, nil): nil
        case (let low?, nil): "\(low) or more"
        case (nil, let high?): "at most \(high)"
        case (let low?, let high?): "\(low) … \(high)"
        }
    }
}
