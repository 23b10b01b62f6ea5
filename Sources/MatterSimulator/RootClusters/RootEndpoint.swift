import MatterCrypto
import MatterModel

/// The endpoint that every node has, with the clusters that make it one (Matter device library, Root Node).
enum RootEndpoint {
    static func plan(_ configuration: NodeConfiguration, bootCount: UInt16, parts: Int) -> EndpointPlan {
        EndpointPlan(
            deviceTypes: [SimulatedType.revision(.rootNode)],
            servers: servers(configuration, bootCount: bootCount) + sleep(configuration)
                + (configuration.place?.servers ?? []) + configuration.moreRootServers())
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

    private static func networkCommissioning(_ configuration: NodeConfiguration) -> any ClusterServer {
        switch configuration.network {
        case .ethernet: EthernetCommissioningServer()
        case .wifi, .thread: RadioCommissioningServer(configuration)
        }
    }
}
