import MatterState

/// An administrator's work on a node: windows, rights, bindings, networks, removal.
public struct AdministrationService: FabricService {
    let context: FabricContext
    let links: NodeLinks
    let nodes: NodeService
    let issuers: Issuers

    init(_ context: FabricContext, _ links: NodeLinks, _ nodes: NodeService, _ issuers: Issuers) {
        self.context = context
        self.links = links
        self.nodes = nodes
        self.issuers = issuers
    }
}
