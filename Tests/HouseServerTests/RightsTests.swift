import JSON
import MatterController
import Testing

@testable import HouseServer

@Suite("Rights") struct RightsTests {
    /// Each command of the interface that is about no cluster, with what it needs: those of python-matter-server's schema 11, and
    /// those of the schemas 12 to 14 (matterjs-server).
    private static let interface: [(command: String, role: HouseServer.Role)] = [
        ("start_listening", .read), ("server_info", .read), ("diagnostics", .read), ("get_nodes", .read),
        ("get_node", .read), ("commission_with_code", .administer), ("commission_on_network", .administer),
        ("set_wifi_credentials", .administer), ("set_thread_dataset", .administer),
        ("remove_wifi_credentials", .administer), ("remove_thread_dataset", .administer),
        ("get_all_credentials", .read), ("open_commissioning_window", .administer), ("discover", .read),
        ("discover_commissionable_nodes", .read), ("interview_node", .administer), ("read_attribute", .read),
        ("ping_node", .read), ("get_node_ip_addresses", .read), ("remove_node", .administer),
        ("get_vendor_names", .read), ("import_test_node", .administer), ("check_node_update", .read),
        ("update_node", .administer), ("set_default_fabric_label", .administer), ("get_fabric_label", .read),
        ("set_acl_entry", .administer), ("set_node_binding", .administer), ("get_matter_fabrics", .read),
        ("remove_matter_fabric", .administer), ("get_thread_border_routers", .read), ("get_thread_diagnostics", .read),
        ("get_network_topology", .read), ("initiate_ota_upload", .administer), ("get_icd_state", .read),
        ("register_icd", .administer), ("unregister_icd", .administer), ("resync_icd", .administer),
        ("send_webrtc_provider_command", .administer), ("get_loglevel", .read), ("set_loglevel", .administer),
        ("subscribe_attribute", .read), ("read", .read), ("subscribe", .read), ("unsubscribe", .read),
        ("enable_auto_subscription", .administer), ("disable_auto_subscription", .administer),
        ("parse_onboarding_payload", .read), ("camera_start_stream", .administer), ("", .administer),
        ("give_up_share", .administer),
        ("START_LISTENING", .administer), ("a command of a later version", .administer),
    ]

    /// Visitors with one role each, and what they may do.
    private static let visitors: [(role: HouseServer.Role, may: Set<HouseServer.Role>)] = [
        (.read, [.read]), (.control, [.read, .control]), (.unlock, [.read, .unlock]),
        (.administer, Set(HouseServer.Role.allCases)),
    ]

    private static func needs(_ command: String, _ arguments: String = "{}", types: Set<UInt32>? = []) throws -> Set<
        HouseServer.Role
    > {
        Rights.needs(command, try JSONValue(parsing: Array(arguments.utf8))) { _, _ in types }
    }

    private static func id(_ deviceType: String) throws -> UInt32 {
        try Catalogue.standard.deviceType(named: deviceType).id.rawValue
    }

    private static func invoke(_ cluster: String, _ command: String, types: Set<UInt32>? = []) throws -> Set<
        HouseServer.Role
    > {
        let id = try Catalogue.standard.cluster(named: cluster).id.rawValue
        return try needs(
            "device_command",
            #"{"node_id":1,"endpoint_id":1,"cluster_id":\#(id),"command_name":"\#(command)","payload":{}}"#,
            types: types)
    }

    private static func write(_ path: String, types: Set<UInt32>? = []) throws -> Set<HouseServer.Role> {
        try needs("write_attribute", #"{"node_id":1,"attribute_path":"\#(path)","value":1}"#, types: types)
    }

    @Test("each command of the interface with each role", arguments: interface)
    func each(command: String, role: HouseServer.Role) throws {
        let needs = try Self.needs(command)
        #expect(needs == [role])
        for (own, may) in Self.visitors {
            let visitor = Visitor(name: own.rawValue, roles: [own])
            #expect(needs.allSatisfy(visitor.may) == may.contains(role), "\(command) with \(own)")
        }
        #expect(!needs.allSatisfy(Visitor(name: "anyone", roles: []).may))
    }

    @Test("every row names clusters, commands, attributes and device types that there are, and says why")
    func rows() throws {
        for row in RightsTable.clusters {
            let cluster = try Catalogue.standard.cluster(named: row.cluster)
            #expect(cluster.name == row.cluster && !row.reason.isEmpty)
            for name in row.commands {
                #expect(cluster.commands.contains { $0.name == name }, "\(row.cluster).\(name)")
            }
            for name in row.attributes {
                #expect(cluster.attributes.contains { $0.name == name && $0.isWritable }, "\(row.cluster).\(name)")
            }
            #expect(!row.commands.isEmpty || !row.attributes.isEmpty)
        }
        for (deviceType, reason) in RightsTable.ways { #expect(try Self.id(deviceType) > 0 && !reason.isEmpty) }
        for row in RightsTable.interface { #expect(!row.names.isEmpty && !row.reason.isEmpty && row.role == .read) }
    }

    @Test(
        "commands to devices by what they do",
        arguments: [
            ("OnOff", "Toggle", .control), ("OnOff", "toggle", .control), ("OnOff", "Nothing", .administer),
            ("LevelControl", "moveToLevelWithOnOff", .control), ("ColorControl", "MoveToColor", .control),
            ("WindowCovering", "UpOrOpen", .control), ("Thermostat", "SetpointRaiseLower", .control),
            ("Thermostat", "SetWeeklySchedule", .administer), ("Thermostat", "GetWeeklySchedule", .read),
            ("DoorLock", "LockDoor", .unlock), ("DoorLock", "UnlockDoor", .unlock), ("DoorLock", "UnboltDoor", .unlock),
            ("DoorLock", "SetCredential", .administer), ("DoorLock", "GetUser", .administer),
            ("DoorLock", "SetUser", .administer), ("DoorLock", "ClearHolidaySchedule", .administer),
            ("ValveConfigurationAndControl", "Open", .unlock), ("ValveConfigurationAndControl", "Close", .unlock),
            ("ClosureControl", "MoveTo", .unlock), ("ClosureControl", "Calibrate", .administer),
            ("ClosureDimension", "SetTarget", .unlock), ("ScenesManagement", "RecallScene", .control),
            ("ScenesManagement", "StoreScene", .administer), ("Actions", "InstantAction", .administer),
            ("OperationalCredentials", "RemoveFabric", .administer),
            ("AdministratorCommissioning", "OpenCommissioningWindow", .administer),
            ("GroupKeyManagement", "KeySetRead", .administer), ("NetworkCommissioning", "ConnectNetwork", .administer),
            ("WiFiNetworkManagement", "NetworkPassphraseRequest", .administer),
            ("ThreadBorderRouterManagement", "GetActiveDatasetRequest", .administer),
            ("AccountLogin", "GetSetupPIN", .administer), ("SmokeCoAlarm", "SelfTestRequest", .administer),
            ("WebRTCTransportProvider", "ProvideOffer", .administer),
        ] as [(String, String, HouseServer.Role)])
    func commands(cluster: String, command: String, role: HouseServer.Role) throws {
        #expect(try Self.invoke(cluster, command) == [role])
    }

    @Test("no command of a lock, a closure or a valve is for control, and no row of theirs for less than unlock")
    func ways() throws {
        for name in ["DoorLock", "ClosureControl", "ClosureDimension", "ValveConfigurationAndControl"] {
            let cluster = try Catalogue.standard.cluster(named: name)
            for command in cluster.commands {
                let needs = try Self.invoke(name, command.name)
                #expect(needs == [.unlock] || needs == [.administer], "\(name).\(command.name)")
            }
            for attribute in cluster.attributes where attribute.isWritable {
                #expect(try Self.write("1/\(cluster.id.rawValue)/\(attribute.id.rawValue)") == [.administer])
            }
        }
    }

    @Test("on the endpoint of a lock, a garage door or a valve, control is not enough, whatever the cluster")
    func deviceTypes() throws {
        for deviceType in ["DoorLock", "Closure", "ClosurePanel", "WaterValve"] {
            let types: Set<UInt32> = [0x0013, try Self.id(deviceType)]
            #expect(try Self.invoke("OnOff", "On", types: types) == [.unlock], "\(deviceType)")
            #expect(try Self.invoke("WindowCovering", "UpOrOpen", types: types) == [.unlock], "\(deviceType)")
            #expect(try Self.invoke("ScenesManagement", "RecallScene", types: types) == [.unlock])
            #expect(try Self.invoke("ModeSelect", "ChangeToMode", types: types) == [.unlock])
            #expect(try Self.write("1/6/16385", types: types) == [.unlock], "OnTime")
            #expect(try Self.invoke("Identify", "Identify", types: types) == [.control])
            #expect(try Self.invoke("ScenesManagement", "ViewScene", types: types) == [.read])
            #expect(try Self.invoke("DoorLock", "SetUser", types: types) == [.administer])
        }
        #expect(try Self.invoke("WindowCovering", "UpOrOpen", types: [try Self.id("WindowCovering")]) == [.control])
    }

    @Test("on an endpoint that is not known, which may be a door, nothing moves without all rights")
    func unknownEndpoint() throws {
        #expect(try Self.invoke("OnOff", "On", types: nil) == [.administer])
        #expect(try Self.write("1/513/18", types: nil) == [.administer])
        #expect(try Self.invoke("DoorLock", "LockDoor", types: nil) == [.unlock])
        #expect(try Self.invoke("Identify", "Identify", types: nil) == [.control])
        #expect(try Self.invoke("ScenesManagement", "ViewScene", types: nil) == [.read])
    }

    @Test(
        "attributes by what they set; what is malformed, global, of a maker or on all endpoints needs all rights",
        arguments: [
            ("1/513/18", .control), ("1/513/28", .control), ("1/514/0", .control), ("1/514/2", .control),
            ("1/6/16385", .control), ("1/6/16387", .administer), ("1/8/17", .administer), ("1/257/35", .administer),
            ("0/40/5", .administer), ("0/31/0", .administer), ("1/30/0", .administer), ("1/513/16", .administer),
            ("1/513/65533", .administer), ("*/513/18", .administer), ("1/*/18", .administer), ("1/513/*", .administer),
            ("", .administer), ("1/513", .administer), ("1/513/18/0", .administer), ("-1/513/18", .administer),
            ("1/323616778/18", .administer), ("70000/513/18", .administer), ("1/4294967809/18", .administer),
        ] as [(String, HouseServer.Role)])
    func attributes(path: String, role: HouseServer.Role) throws { #expect(try Self.write(path) == [role]) }

    @Test("a batch needs what each of its commands needs")
    func batch() throws {
        func batch(_ commands: String) throws -> Set<HouseServer.Role> {
            try Self.needs("batched_device_commands", #"{"node_id":1,"commands":[\#(commands)]}"#)
        }
        let on = #"{"endpoint_id":1,"cluster_id":6,"command_name":"On","payload":{}}"#
        let lock = #"{"endpoint_id":1,"cluster_id":257,"command_name":"LockDoor","payload":{}}"#
        #expect(try batch(on) == [.control])
        #expect(try batch("\(on),\(lock)") == [.control, .unlock])
        #expect(try batch("\(on),5") == [.control, .administer])
        #expect(try batch("") == [.administer])
    }

    @Test(
        "arguments that are not what they should be need all rights",
        arguments: [
            "{}", "[]", "null", #"{"node_id":1}"#, #"{"endpoint_id":1,"cluster_id":"6","command_name":"On"}"#,
            #"{"endpoint_id":1,"cluster_id":6,"command_name":1}"#, #"{"cluster_id":6,"command_name":"On"}"#,
            #"{"endpoint_id":1,"cluster_id":-6,"command_name":"On"}"#,
            #"{"endpoint_id":1,"cluster_id":6.0,"command_name":"On"}"#,
            #"{"endpoint_id":1,"cluster_id":4294967302,"command_name":"On"}"#,
            #"{"endpoint_id":1,"cluster_id":65542,"command_name":"On"}"#,
        ])
    func malformed(arguments: String) throws {
        for command in ["device_command", "batched_device_commands", "write_attribute"] {
            #expect(try Self.needs(command, arguments) == [.administer], "\(command)")
        }
    }

    @Test("the device types are those of the node and the endpoint that are meant")
    func asked() throws {
        var asked: [(UInt64?, UInt16?)] = []
        let arguments = #"{"node_id":18446744073709551615,"endpoint_id":3,"cluster_id":6,"command_name":"On"}"#
        let needs = Rights.needs("device_command", try JSONValue(parsing: Array(arguments.utf8))) { node, endpoint in
            asked.append((node, endpoint))
            return []
        }
        #expect(needs == [.control] && asked.count == 1 && asked.first?.0 == .max && asked.first?.1 == 3)
    }
}
