import Foundation
import JSON
import MatterController
import TestSupport
import Testing

@testable import HouseServer

@Suite struct FieldSpellingTests {
    @Test(
        "a name of the model gives that of the SDK",
        arguments: [
            ("NodeID", "nodeID"), ("GroupID", "groupID"), ("PAKEPasscodeVerifier", "PAKEPasscodeVerifier"),
            ("SSID", "ssid"), ("ID", "id"), ("UserIndex", "userIndex"), ("X", "x"), ("NOCs", "NOCs"), ("", ""),
            ("IPv6Addresses", "IPv6Addresses"), ("NewPosition", "newPosition"), ("already", "already"),
        ])
    func keys(name: String, key: String) {
        #expect(FieldSpelling.key(name) == key)
    }

    /// Elements that were numbered or named otherwise in the revision of the specification that chip.clusters 2025.7.0
    /// follows, by cluster and the names there.
    private static let otherRevision: Set<String> = [
        "BasicInformation.MfgSpecificPing is unknown",
        "CameraAvStreamManagement.VideoStreamAllocate.10 watermarkEnabled",
        "CameraAvStreamManagement.VideoStreamAllocate.11 OSDEnabled",
        "CameraAvStreamManagement.VideoStreamAllocate.8 minKeyFrameInterval",
        "CameraAvStreamManagement.VideoStreamAllocate.9 maxKeyFrameInterval",
        "CameraAvStreamManagement.VideoStreamStruct.10 maxKeyFrameInterval",
        "CameraAvStreamManagement.VideoStreamStruct.11 watermarkEnabled",
        "CameraAvStreamManagement.VideoStreamStruct.12 OSDEnabled",
        "CameraAvStreamManagement.VideoStreamStruct.13 referenceCount",
        "CameraAvStreamManagement.VideoStreamStruct.9 minKeyFrameInterval",
        "ClosureDimension.CurrentStateStruct is unknown",
        "ClosureDimension.TargetStruct is unknown",
        "JointFabricAdministrator.ICACCSRResponse.0 icaccsr",
        "JointFabricDatastore.DatastoreAdministratorInformationEntryStruct.1 nodeID",
        "JointFabricDatastore.DatastoreAdministratorInformationEntryStruct.2 friendlyName",
        "JointFabricDatastore.DatastoreAdministratorInformationEntryStruct.3 vendorID",
        "JointFabricDatastore.DatastoreAdministratorInformationEntryStruct.4 icac",
        "JointFabricDatastore.DatastoreEndpointEntryStruct.3 statusEntry",
        "JointFabricDatastore.DatastoreGroupKeySetStruct.8 groupKeyMulticastPolicy",
        "JointFabricDatastore.DatastoreNodeInformationEntryStruct.1 nodeID",
        "JointFabricDatastore.DatastoreNodeInformationEntryStruct.2 friendlyName",
        "JointFabricDatastore.DatastoreNodeInformationEntryStruct.3 commissioningStatusEntry",
        "NetworkCommissioning.AddOrUpdateWiFiNetwork.3 networkIdentity",
        "NetworkCommissioning.AddOrUpdateWiFiNetwork.4 clientIdentifier",
        "NetworkCommissioning.AddOrUpdateWiFiNetwork.5 possessionNonce",
        "NetworkCommissioning.NetworkConfigResponse.3 clientIdentity",
        "NetworkCommissioning.NetworkConfigResponse.4 possessionSignature",
        "NetworkCommissioning.NetworkInfoStruct.2 networkIdentifier",
        "NetworkCommissioning.NetworkInfoStruct.3 clientIdentifier",
        "NetworkCommissioning.QueryIdentity is unknown",
        "NetworkCommissioning.QueryIdentityResponse is unknown",
        "PushAvStreamTransport.CMAFContainerOptionsStruct.0 chunkDuration",
        "PushAvStreamTransport.CMAFContainerOptionsStruct.1 CENCKey",
        "PushAvStreamTransport.CMAFContainerOptionsStruct.2 metadataEnabled",
        "PushAvStreamTransport.CMAFContainerOptionsStruct.3 CENCKeyID",
        "PushAvStreamTransport.PushTransportEnd.1 triggerType",
        "PushAvStreamTransport.PushTransportEnd.2 activationReason",
        "PushAvStreamTransport.TransportOptionsStruct.3 endpointID",
        "Timer.AddTime is unknown",
        "Timer.ReduceTime is unknown",
        "Timer.ResetTimer is unknown",
        "Timer.SetTimer is unknown",
        "TlsCertificateManagement.ProvisionClientCertificate.1 clientCertificateDetails",
        "TlsCertificateManagement.TLSClientCSRResponse.2 nonce",
        "TlsClientManagement.TLSEndpointStruct.5 status",
    ]

    @Test("all names of chip.clusters are ours", .enabled(if: PeerPython.hasController))
    func official() throws {
        var count = 0
        var differences: Set<String> = []
        for element in try Self.names(PeerPython.path.path) {
            let place = "\(element.cluster).\(element.name)"
            guard let ours = element.ours else {
                differences.insert("\(place) is unknown")
                continue
            }
            count += 1
            if let name = ours.name, name != element.name { differences.insert("\(place) is \(name)") }
            for (tag, label) in element.fields {
                count += 1
                let field = ours.fields.first { $0.id == tag }
                let isFabric = tag == FieldSpelling.fabricIndex.tag && label == FieldSpelling.fabricIndex.key
                if field.map({ FieldSpelling.key($0.name) == label }) ?? isFabric { continue }
                differences.insert("\(place).\(tag) \(label)")
            }
        }
        print("chip.clusters: \(count) names, \(differences.count) of another revision")
        #expect(count > 2600)
        for difference in differences.subtracting(Self.otherRevision).sorted() { Issue.record("\(difference)") }
        for gone in Self.otherRevision.subtracting(differences).sorted() { Issue.record("no difference: \(gone)") }
    }

    /// Commands and fields of the clients that the model does not have, or that it numbers otherwise, by the names there: those of
    /// another revision, commands that a derived cluster leaves out, and obsolete fields, which are null if they are sent.
    private static let unknown: [String: Set<String>] = [
        "": revisionOf2025, "ha8": revisionOf2025,
        "ha7": [
            "BasicInformation.MfgSpecificPing",
            "NetworkCommissioning.AddOrUpdateWiFiNetwork.3 networkIdentity",
            "NetworkCommissioning.AddOrUpdateWiFiNetwork.4 clientIdentifier",
            "NetworkCommissioning.AddOrUpdateWiFiNetwork.5 possessionNonce",
            "NetworkCommissioning.QueryIdentity",
            "OvenCavityOperationalState.Pause",
            "OvenCavityOperationalState.Resume",
            "ScenesManagement.AddScene.4 extensionFieldSets",
            "WebRTCTransportProvider.ProvideICECandidate",
            "WebRTCTransportProvider.ProvideOffer.2 streamType",
            "WebRTCTransportProvider.ProvideOffer.3 videoStreamID",
            "WebRTCTransportProvider.ProvideOffer.4 audioStreamID",
            "WebRTCTransportProvider.ProvideOffer.5 ICEServers",
            "WebRTCTransportProvider.ProvideOffer.6 ICETransportPolicy",
            "WebRTCTransportProvider.ProvideOffer.7 metadataOptions",
            "WebRTCTransportProvider.SolicitOffer.0 streamType",
            "WebRTCTransportProvider.SolicitOffer.1 videoStreamID",
            "WebRTCTransportProvider.SolicitOffer.2 audioStreamID",
            "WebRTCTransportProvider.SolicitOffer.3 ICEServers",
            "WebRTCTransportProvider.SolicitOffer.4 ICETransportPolicy",
            "WebRTCTransportProvider.SolicitOffer.5 metadataOptions",
        ],
        "ha15": [
            "Channel.GetProgramGuide.5 recordingFlag",
            "Channel.GetProgramGuide.6 externalIDList",
            "Channel.GetProgramGuide.7 data",
            "ContentLauncher.LaunchURL.3 playbackPreferences",
            "DoorLock.Toggle",
            "GroupKeyManagement.KeySetReadAllIndices.0 doNotUse",
            "Heiman.SirenActivate",
            "MicrowaveOvenMode.ChangeToMode",
            "OvenCavityOperationalState.Pause",
            "OvenCavityOperationalState.Resume",
            "RefrigeratorAlarm.ModifyEnabledAlarms",
            "RefrigeratorAlarm.Reset",
            "RvcOperationalState.Start",
            "RvcOperationalState.Stop",
            "WindowCovering.GoToLiftPercentage.1 ignored",
            "WindowCovering.GoToTiltPercentage.1 ignored",
        ],
    ]

    /// python-matter-server 8.1.2 has the clusters of the official controller that is compared above.
    private static let revisionOf2025: Set<String> = [
        "BasicInformation.MfgSpecificPing",
        "CameraAvStreamManagement.VideoStreamAllocate.10 watermarkEnabled",
        "CameraAvStreamManagement.VideoStreamAllocate.11 OSDEnabled",
        "CameraAvStreamManagement.VideoStreamAllocate.8 minKeyFrameInterval",
        "CameraAvStreamManagement.VideoStreamAllocate.9 maxKeyFrameInterval",
        "NetworkCommissioning.AddOrUpdateWiFiNetwork.3 networkIdentity",
        "NetworkCommissioning.AddOrUpdateWiFiNetwork.4 clientIdentifier",
        "NetworkCommissioning.AddOrUpdateWiFiNetwork.5 possessionNonce",
        "NetworkCommissioning.QueryIdentity",
        "TlsCertificateManagement.ProvisionClientCertificate.1 clientCertificateDetails",
    ]

    @Test(
        "the commands of each of Home Assistant's clients are found, and the fields that they send",
        arguments: ["", "ha7", "ha8", "ha15"])
    func clients(folder: String) throws {
        let python = PeerPython.path.deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent(folder.isEmpty ? "bin/python" : "\(folder)/bin/python")
        guard FileManager.default.fileExists(atPath: python.path) else { return }
        var count = 0
        var unknown: Set<String> = []
        for element in try Self.names(python.path) where element.kind == "request" {
            guard let cluster = Catalogue.standard.cluster(element.clusterID) else { continue }
            guard let command = try? CommandPayload.command(element.name, of: element.clusterID, in: .standard) else {
                unknown.insert("\(cluster.name).\(element.name)")
                continue
            }
            for (tag, label) in element.fields {
                count += 1
                // A field that is found has the number that the client means.
                guard FieldSpelling.definition(label, among: command.fields)?.id != tag else { continue }
                unknown.insert("\(cluster.name).\(element.name).\(tag) \(label)")
            }
        }
        #expect(count > 500)
        for name in unknown.subtracting(Self.unknown[folder] ?? []).sorted() { Issue.record("\(name)") }
        for name in (Self.unknown[folder] ?? []).subtracting(unknown).sorted() { Issue.record("is known: \(name)") }
    }

    private struct Element {
        var clusterID: ClusterID
        var cluster: String
        var kind: String
        var id: UInt32?
        var name: String
        var fields: [(tag: UInt8, label: String)]

        /// The element of the model, with its name if it has one on the wire.
        var ours: (name: String?, fields: [FieldDefinition])? {
            guard let cluster = Catalogue.standard.cluster(clusterID) else { return nil }
            switch kind {
            case "request":
                let command = id.flatMap { cluster.command(CommandID($0)) }
                return command.map { command in
                    let renamed = CommandPayload.renamed.first { $0.cluster == clusterID && $0.ours == command.name }
                    return (renamed?.name ?? command.name, command.fields)
                }
            case "response": return id.flatMap { cluster.response(CommandID($0)) }.map { (nil, $0.fields) }
            case "event": return id.flatMap { cluster.event(EventID($0)) }.map { (nil, $0.fields) }
            default:
                // Structures of several clusters are in a list of their own, and have no names on the wire.
                return structures(cluster).first { $0.name == name }.map { (nil, $0.fields) }
            }
        }

        /// The structures that something of the cluster has for its type.
        private func structures(_ cluster: ClusterDefinition) -> [StructDefinition] {
            var found = cluster.structs
            var waiting = cluster.attributes.map(\.type) + cluster.commands.flatMap { $0.fields.map(\.type) }
            waiting +=
                cluster.responses.flatMap { $0.fields.map(\.type) } + cluster.events.flatMap { $0.fields.map(\.type) }
            waiting += found.flatMap { $0.fields.map(\.type) }
            while let type = waiting.popLast() {
                guard case .structure(let definition) = type.kind,
                    !found.contains(where: { $0.name == definition.name })
                else { continue }
                found.append(definition)
                waiting += definition.fields.map(\.type)
            }
            return found
        }
    }

    private static func names(_ python: String) throws -> [Element] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("names-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Tools/chip_names.py").standardizedFileURL
        let process = Process()
        process.executableURL = URL(fileURLWithPath: python)
        process.arguments = [script.path, folder.path]
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        let json = try JSONValue(parsing: String(contentsOf: folder, encoding: .utf8))
        return try #require(json.arrayValue).map { item in
            Element(
                clusterID: ClusterID(try #require(item["cluster"]?.integer())),
                cluster: try #require(item["clusterName"]?.stringValue), kind: try #require(item["kind"]?.stringValue),
                id: item["id"]?.integer(), name: try #require(item["name"]?.stringValue),
                fields: try #require(item["fields"]?.objectValue).members.compactMap { member in
                    guard let tag = UInt8(member.key), let label = member.value.stringValue else { return nil }
                    return (tag, label)
                })
        }
    }
}
