import TestSupport

@testable import MatterController
@testable import MatterModel
@testable import MatterSimulator

/// Endpoints that are not what they say.
extension Mutation {
    static var endpoints: [Mutation] { lists + types + wholes + forgotten }

    /// An endpoint that is not the root.
    private static func endpoint(_ bench: ConformanceBench, _ dice: inout SeededGenerator) -> EndpointID? {
        bench.node.endpointNumbers.filter { $0 != 0 }.randomElement(using: &dice)
    }

    private static func at(
        _ rules: ConformanceRule, kinds: [String]? = nil, _ words: String,
        _ plant: @escaping (ConformanceBench, EndpointID) -> Void
    ) -> Mutation {
        Mutation(rules, kinds: kinds) { bench, dice in
            guard let endpoint = endpoint(bench, &dice) else { return nil }
            plant(bench, endpoint)
            return "endpoint \(endpoint) \(words)"
        }
    }

    private static func force(
        _ bench: ConformanceBench, _ endpoint: EndpointID, _ cluster: ClusterID, _ attribute: AttributeID,
        _ value: TLVValue
    ) {
        bench.breakServer(endpoint, cluster) { $0.forced[attribute] = value }
    }

    // MARK: The Descriptor

    private static var lists: [Mutation] {
        typealias Attribute = Descriptor.Attribute
        return [
            at(.descriptorServerList, "lacks one of its clusters in ServerList") { bench, endpoint in
                let servers = bench.node.endpoints[endpoint]?.clusterNumbers ?? []
                force(bench, endpoint, Descriptor.id, Attribute.serverList, .array(of: servers.dropFirst().map(\.tlv)))
            },
            at(.descriptorServerList, "has one cluster too many in ServerList") { bench, endpoint in
                let servers = bench.node.endpoints[endpoint]?.clusterNumbers ?? []
                force(
                    bench, endpoint, Descriptor.id, Attribute.serverList,
                    .array(of: (servers + [ClusterID(0x0406)]).map(\.tlv)))
            },
            at(.descriptorPartsRoot, "is missing in the root's PartsList") { bench, endpoint in
                let others = bench.node.endpointNumbers.filter { $0 != 0 && $0 != endpoint }
                force(bench, 0, Descriptor.id, Attribute.partsList, .array(of: others.map(\.tlv)))
            },
            at(.descriptorPartsList, "has a part that is not there") { bench, endpoint in
                bench.node.endpoints[endpoint]?.parts.append(99)
            },
            at(.descriptorPartsTree, "is a part of itself") { bench, endpoint in
                bench.node.endpoints[endpoint]?.parts = [endpoint]
            },
            at(.descriptorTags, "has a tag twice") { bench, endpoint in
                let tag = GlobalTypes.SemanticTag(namespaceID: 7, tag: 1).tlv
                bench.breakServer(endpoint, Descriptor.id) {
                    $0.features = Descriptor.Feature.tagList
                    $0.forced[Attribute.tagList] = .array(of: [tag, tag])
                }
            },
            unknownTag(namespace: 7, tag: 11), unknownTag(namespace: 0x09, tag: 0), unknownTag(namespace: 0x44, tag: 7),
            at(.descriptorClosureTag, "is a closure of no kind") { bench, endpoint in
                bench.node.endpoints[endpoint]?.deviceTypes.append(.init(0x0230, revision: 1))
            },
            at(.descriptorClosureTag, "is a panel of two kinds") { bench, endpoint in
                bench.node.endpoints[endpoint]?.deviceTypes.append(.init(0x0231, revision: 1))
                let tags = [UInt8(0), 1].map { GlobalTypes.SemanticTag(namespaceID: 0x45, tag: $0).tlv }
                bench.breakServer(endpoint, Descriptor.id) {
                    $0.features = Descriptor.Feature.tagList
                    $0.forced[Attribute.tagList] = .array(of: tags)
                }
            },
            at(.descriptorUniqueID, "has a long EndpointUniqueID") { bench, endpoint in
                let long = String(repeating: "x", count: 33)
                force(bench, endpoint, Descriptor.id, Attribute.endpointUniqueID, .string(long))
            },
            Mutation(.descriptorPartsFamily, kinds: ["aggregator"]) { bench, _ in
                bench.node.endpoints[1]?.parts = [2, 3]
                bench.node.endpoints[3]?.parts = [4]
                return "a bridge that does not name the part of its part"
            },
            Mutation(.descriptorSiblings, kinds: ["aggregator"]) { bench, _ in
                let types = bench.node.endpoints[2]?.deviceTypes ?? []
                bench.node.endpoints[3]?.deviceTypes = types
                return "two lights of one type without tags"
            },
            Mutation(.endpointDescriptor) { bench, dice in
                guard let endpoint = endpoint(bench, &dice) else { return nil }
                bench.remove(Descriptor.id, from: endpoint)
                return "endpoint \(endpoint) without a Descriptor"
            },
            Mutation(.endpointNumber) { bench, _ in
                bench.added[.init(endpoint: 0xFFFF, cluster: Identify.id, attribute: 0)] = .uint(0)
                return "a report of endpoint 65535"
            },
        ]
    }

    private static func unknownTag(namespace: UInt8, tag: UInt8) -> Mutation {
        at(.descriptorTagUnknown, "has the tag \(tag) of namespace \(namespace)") { bench, endpoint in
            bench.breakServer(endpoint, Descriptor.id) {
                $0.features = Descriptor.Feature.tagList
                $0.forced[Descriptor.Attribute.tagList] = .array(of: [
                    GlobalTypes.SemanticTag(namespaceID: namespace, tag: tag).tlv
                ])
            }
        }
    }

    // MARK: Device types

    private static var types: [Mutation] {
        func add(_ type: DeviceTypeID, _ revision: UInt16? = nil) -> (ConformanceBench, EndpointID) -> Void {
            { bench, endpoint in
                let revision = revision ?? ConformanceModel.revision(of: type) ?? 1
                bench.node.endpoints[endpoint]?.deviceTypes.append(.init(type, revision: revision))
            }
        }
        return [
            at(.typeUnknown, "has an unknown device type", add(0x0BFE)),
            at(.typeManufacturer, "has a manufacturer's device type", add(0x1234_0001)),
            at(.rootElsewhere, "is a root node too", add(.rootNode)),
            at(.descriptorDeviceTypes, "has no device type") { bench, endpoint in
                bench.node.endpoints[endpoint]?.deviceTypes = []
            },
            at(.typeRevision, "has an old device type") { bench, endpoint in
                bench.node.endpoints[endpoint]?.deviceTypes[0].revision += 7
            },
            Mutation(.typeCombination, kinds: ["contact-sensor", "thermostat", "fan", "button", "on-off-light"]) {
                bench, _ in
                add(.occupancySensor)(bench, 1)
                return "endpoint 1 is an occupancy sensor too"
            },
            Mutation(.rootApplication) { bench, _ in
                add(.onOffLight)(bench, 0)
                return "endpoint 0 is a light"
            },
            Mutation(.rootDeviceType) { bench, _ in
                bench.node.endpoints[0]?.deviceTypes = [.init(.powerSource, revision: 1)]
                return "endpoint 0 is not a root node"
            },
            Mutation(.typeClient, kinds: ["on-off-switch"]) { bench, _ in
                bench.node.endpoints[1]?.clients = [Identify.id]
                return "a switch that switches nothing"
            },
            Mutation(.typePart, kinds: ["smoke-alarm"]) { bench, _ in
                for endpoint in bench.node.endpointNumbers {
                    bench.node.endpoints[endpoint]?.deviceTypes.removeAll { $0.id == .powerSource }
                }
                return "a smoke alarm without a power source"
            },
        ]
    }

    // MARK: Clusters of an endpoint

    private static var wholes: [Mutation] {
        [
            Mutation(.typeClusterMissing) { bench, dice in
                guard let endpoint = bench.node.endpointNumbers.randomElement(using: &dice),
                    let type = bench.node.endpoints[endpoint]?.deviceTypes.first.flatMap({
                        ConformanceModel.deviceType($0.id)
                    }),
                    let cluster = type.servers.filter({ $0.conformance.text == "M" }).randomElement(using: &dice)
                else { return nil }
                bench.remove(cluster.id, from: endpoint)
                return "endpoint \(endpoint) without cluster \(hexadecimal(cluster.id))"
            },
            at(.typeClusterExtra, kinds: ["contact-sensor", "fan", "button", "temperature-sensor"], "has a lock") {
                bench, endpoint in
                bench.add(DoorLockServer(), to: endpoint)
            },
            at(.typeClusterNotAllowed, kinds: ["door-lock"], "is a lock in groups") { bench, endpoint in
                bench.add(GroupsServer(), to: endpoint)
            },
            Mutation(.typeClusterChoice, kinds: ["energy-plug"]) { bench, _ in
                bench.remove(ElectricalPowerMeasurement.id, from: 1)
                bench.remove(ElectricalEnergyMeasurement.id, from: 1)
                return "a meter that measures nothing"
            },
            Mutation(.typeElementMissing, .featureMissing, kinds: ["on-off-light", "dimmable-light", "on-off-plug"]) {
                bench, _ in
                bench.breakServer(1, Identify.id) { $0.commands = [Identify.Command.identify] }
                return "a light without TriggerEffect"
            },
            Mutation(.typeElementNotAllowed) { bench, _ in
                bench.breakServer(0, AccessControl.id) { $0.features = $0.featureMap.union(.init(bit: 1)) }
                return "a managed access control list on a light"
            },
            Mutation(.typeValue, kinds: ["dimmable-light", "color-light", "color-temperature-light"]) { bench, _ in
                force(bench, 1, LevelControl.id, LevelControl.Attribute.maxLevel, .uint(200))
                return "a light with a MaxLevel of 200"
            },
            at(.clusterPlacement, "has an access control list") { bench, endpoint in
                bench.add(AccessControlServer(), to: endpoint)
            },
            added(.clusterTestVendor, 0xFFF1_FC05), added(.defaultTestCluster, 0xFFF1_FC06),
            added(.clusterID, 0x9000), added(.clusterID, 0x1234_0001), added(.clusterUnknown, 0x7FF0),
            added(.clusterProvisional, provisional), added(.clusterManufacturer, 0x1234_FC00),
            Mutation(.clusterClosure, kinds: ["window-covering"]) { bench, _ in
                bench.added[.init(endpoint: 1, cluster: 0x0104, attribute: GlobalAttribute.clusterRevision)] = .uint(1)
                return "a blind that is a closure too"
            },
        ]
    }

    /// A cluster of which nothing is settled.
    private static let provisional =
        ConformanceModel.clusterIDs.first { ConformanceModel.cluster($0)?.isProvisional ?? false } ?? 0

    private static func added(_ rule: ConformanceRule, _ cluster: ClusterID) -> Mutation {
        at(rule, "has the cluster \(hexadecimal(cluster))") { bench, endpoint in
            bench.added[.init(endpoint: endpoint, cluster: cluster, attribute: GlobalAttribute.clusterRevision)] =
                .uint(1)
        }
    }

    /// A node of Matter 1.6.1 without Groupcast, or with a part of what it asks for.
    private static func groupcast(_ kinds: [String], features: UInt64?) -> Mutation {
        Mutation(.nodeGroupcast, kinds: kinds) { bench, _ in
            force(
                bench, 0, BasicInformation.id, BasicInformation.Attribute.specificationVersion, .uint(0x0106_0100))
            if let features {
                bench.added[.init(endpoint: 0, cluster: 0x0065, attribute: GlobalAttribute.featureMap)] = .uint(
                    features)
            }
            return "a node of Matter 1.6.1 with the features \(features.map { "\($0)" } ?? "none") of Groupcast"
        }
    }

    // MARK: What was forgotten

    private static var forgotten: [Mutation] {
        typealias Basic = BasicInformation.Attribute
        func basic(_ rule: ConformanceRule, _ attribute: AttributeID, _ value: TLVValue) -> Mutation {
            Mutation(rule) { bench, _ in
                force(bench, 0, BasicInformation.id, attribute, value)
                return "BasicInformation/\(hexadecimal(attribute)) = \(value)"
            }
        }
        return [
            basic(.defaultNames, Basic.vendorName, .string("TEST_VENDOR")),
            basic(.defaultNames, Basic.productName, .string("My test")),
            basic(.defaultVendor, Basic.vendorID, .uint(0)),
            basic(.nodeSpecification, Basic.specificationVersion, .uint(0x0103_0000)),
            groupcast(["on-off-light", "dimmable-light"], features: nil),
            groupcast(["on-off-light", "dimmable-light"], features: 1),
            groupcast(["on-off-switch"], features: 1),
            Mutation(.defaultLabels) { bench, dice in
                let labels = [
                    FixedLabel.Label(label: "room", value: "bedroom 2"), FixedLabel.Label(label: "floor", value: "2"),
                ]
                let value = TLVValue.array(of: Bool.random(using: &dice) ? labels.map(\.tlv) : [])
                bench.add(GivenValuesServer(FixedLabel.id, [FixedLabel.Attribute.labelList: value]), to: 1)
                return "labels of an example"
            },
            Mutation(.defaultCalendar) { bench, _ in
                typealias Attribute = TimeFormatLocalization.Attribute
                let server = GivenValuesServer(
                    TimeFormatLocalization.id,
                    [
                        Attribute.hourFormat: .uint(0), Attribute.activeCalendarType: .uint(0),
                        Attribute.supportedCalendarTypes: .array(of: [.uint(0)]),
                    ])
                bench.add(server, to: 0)
                return "a Buddhist calendar"
            },
            Mutation(.powerEndpoints, kinds: ["battery", "smoke-alarm"]) { bench, _ in
                force(
                    bench, 1, PowerSource.id, PowerSource.Attribute.endpointList,
                    .array(of: [TLVValue.uint(1), .uint(77)]))
                return "a battery of endpoint 77"
            },
            Mutation(.powerEndpoints, kinds: ["aggregator"]) { bench, _ in
                let value = TLVValue.array(of: [TLVValue.uint(2), .uint(3)])
                bench.add(GivenValuesServer(PowerSource.id, [PowerSource.Attribute.endpointList: value]), to: 2)
                return "a bridged device whose battery supplies another one"
            },
            Mutation(.accessManaged) { bench, _ in
                bench.breakServer(0, AccessControl.id) { $0.features = AccessControl.Feature.managedDevice }
                return "a light that is a managed device"
            },
            Mutation(.nodeEvents) { bench, _ in
                bench.hasEvents = false
                return "a log without events"
            },
            Mutation(.nodeReports) { bench, _ in
                bench.unattributed = ["a report without a path"]
                return "a report without a path"
            },
        ]
    }
}
