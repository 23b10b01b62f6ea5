import MatterCrypto
import MatterModel

/// The endpoint that every node has, with the clusters that make it one (Matter device library, Root Node).
enum RootEndpoint {
    static func plan(_ configuration: NodeConfiguration, bootCount: UInt16, parts: Int) -> EndpointPlan {
        EndpointPlan(
            deviceTypes: [SimulatedType.revision(.rootNode)]
                + (configuration.updates == nil ? [] : [SimulatedType.revision(.otaRequestor)]),
            servers: servers(configuration, bootCount: bootCount) + sleep(configuration) + updates(configuration)
                + (configuration.place?.servers ?? []) + configuration.moreRootServers(),
            clients: configuration.updates == nil ? [] : [OtaSoftwareUpdateProvider.id])
    }

    private static func servers(_ configuration: NodeConfiguration, bootCount: UInt16) -> [any ClusterServer] {
        [
            DescriptorServer(), AccessControlServer(), BasicInformationServer(configuration),
            GeneralCommissioningServer(
                configuration.limits, terms: configuration.terms, isConcurrent: configuration.isConcurrent),
            networkCommissioning(configuration),
            GeneralDiagnosticsServer(configuration, bootCount: bootCount), AdministratorCommissioningServer(),
            OperationalCredentialsServer(configuration.limits), GroupKeyManagementServer(configuration.limits),
            TimeSynchronizationServer(), UserLabelServer(),
        ]
    }

    private static func sleep(_ configuration: NodeConfiguration) -> [any ClusterServer] {
        configuration.sleep.map { [ICDManagementServer($0)] } ?? []
    }

    private static func updates(_ configuration: NodeConfiguration) -> [any ClusterServer] {
        configuration.updates.map { [SoftwareUpdateRequestorServer($0, productID: configuration.productID)] } ?? []
    }

    private static func networkCommissioning(_ configuration: NodeConfiguration) -> any ClusterServer {
        switch configuration.network {
        case .ethernet: EthernetCommissioningServer()
        case .wifi, .thread: RadioCommissioningServer(configuration)
        }
    }
}
