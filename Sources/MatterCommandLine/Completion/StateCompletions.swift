import MatterController

/// The names that this house has: what the state directory knows, without asking a device.
struct StateCompletions {
    private let state: StateDirectory
    private let fabricName: String?

    /// - Parameters:
    ///   - home: `nil` for the usual directory.
    ///   - fabric: `nil` for the fabric that is in use.
    init?(home: String?, fabric: String?) {
        let environment = Environment.all
        guard let path = try? home ?? StateDirectory.defaultPath(environment: environment) else { return nil }
        state = StateDirectory(path: path, witness: StateDirectory.witnessPath(environment: environment))
        fabricName = fabric ?? Environment.variable("MATTERCTL_FABRIC")
    }

    private var fabric: String? { try? FabricStore(state).select(fabricName).name }

    private var nodes: [NodeBrief] { fabric.map { NodeStore(state, fabric: $0).briefs() } ?? [] }

    /// The node of a word; without its endpoint, if the word has one.
    func node(_ word: String) -> NodeRecord? {
        let name = String(word.prefix { $0 != "/" })
        guard let place = fabric.flatMap({ try? NodeStore(state, fabric: $0).place(name) }) else { return nil }
        var node = place.node
        // Of a bridge that is named by a device behind it, only that device.
        if let endpoint = place.endpoint { node.endpoints.removeAll { $0.number != endpoint } }
        return node
    }

    private func note<Note: NodeNote>(_ word: String, _ type: Note.Type) -> Note? {
        guard let fabric, let node = node(word) else { return nil }
        return NodeNoteStore<Note>(state, fabric: fabric).load(node.nodeID)
    }

    /// The entries of a node's access control list as `acl ls` showed them last: their numbers mean that list.
    func accessEntries(of word: String) -> [Candidate] {
        let entries = note(word, SeenList.self)?.entries ?? []
        return entries.enumerated().map { Candidate(word: "entry:\($0 + 1)", note: $1) }
    }

    /// The modes of a node by the labels of the device, as it told them last; of an endpoint, if the word has one.
    func modes(of word: String) -> [Candidate] {
        let endpoints = node(word)?.endpoints.map(\.number) ?? []
        let place = word.split(separator: "/").dropFirst().first.flatMap { UInt16($0) }
        let modes = (note(word, SeenModes.self)?.modes ?? []).filter { mode in
            place.map { $0 == mode.endpoint } ?? endpoints.contains(mode.endpoint)
        }
        return modes.map { Candidate(word: $0.label, note: $0.tags.joined(separator: ", ")) }
    }

    /// The standard catalogue with the user's definitions, those that are sound.
    var catalogue: Catalogue {
        let added = (try? VendorDefinitions.folder(state.path + "/clusters")) ?? []
        return added.isEmpty ? .standard : (try? Catalogue(loaded: added)) ?? .standard
    }

    // MARK: Names

    /// Nodes by name, those without one by id; `NODE/EP` if the word has a slash.
    ///
    /// - Parameter clusters: only what has one of these; everything if there are none. A node of which nothing is known yet
    ///   may have it.
    func nodeWords(_ word: String, serving clusters: [ClusterID] = []) -> [Candidate] {
        nodeWords(word) { endpoint in
            clusters.isEmpty || clusters.contains { endpoint.serverClusters.contains($0.rawValue) }
        }
    }

    /// The same for endpoints that suit.
    func nodeWords(_ word: String, where suits: (NodeRecord.Endpoint) -> Bool) -> [Candidate] {
        guard word.contains("/") else {
            var labels: [[UInt32]: String] = [:]
            func types(_ endpoint: NodeRecord.Endpoint) -> String {
                if let label = labels[endpoint.deviceTypes] { return label }
                let label = Self.types(endpoint)
                labels[endpoint.deviceTypes] = label
                return label
            }
            return nodes.filter { $0.endpoints.isEmpty || $0.endpoints.contains(where: suits) }.flatMap { node in
                let type = node.endpoints.lazy.filter { $0.number != 0 }.map(types).first { !$0.isEmpty }
                let note = [type, node.room].compactMap { $0 }.joined(separator: ", ")
                let devices = node.endpoints.compactMap { endpoint in endpoint.bridged.map { ($0, endpoint) } }
                return [Candidate(word: node.name ?? "\(node.nodeID.rawValue)", note: note)]
                    + devices.filter { $0.0.title != nil && suits($0.1) }.map { device, endpoint in
                        Candidate(word: device.title ?? "", note: types(endpoint))
                    }
            }
        }
        guard let node = node(word) else { return [] }
        let name = word.prefix { $0 != "/" }
        return node.endpoints.filter { $0.number != 0 && suits($0) }.map { endpoint in
            Candidate(word: "\(name)/\(endpoint.number)", note: Self.types(endpoint))
        }
    }

    private static func types(_ endpoint: NodeRecord.Endpoint) -> String {
        endpoint.deviceTypes.compactMap { Catalogue.standard.deviceType(DeviceTypeID($0))?.label }
            .joined(separator: ", ")
    }

    var rooms: [Candidate] {
        let rooms = fabric.map { RoomStore(state, fabric: $0).briefs() } ?? []
        return rooms.map { Candidate(word: $0.name, note: $0.nodes.joined(separator: ", ")) }
    }

    var fabrics: [Candidate] { ((try? FabricStore(state).sound().fabrics) ?? []).map { Candidate(word: $0.name) } }

    var groups: [Candidate] {
        let groups = fabric.flatMap { try? GroupStore(state, fabric: $0).sound().groups } ?? []
        return groups.map { Candidate(word: $0.name) }
    }

    /// The jobs, with what is left of them.
    var jobs: [Candidate] {
        let jobs = fabric.flatMap { try? JobStore(state, fabric: $0).sound().jobs } ?? []
        return jobs.map { job in
            Candidate(word: "\(job.id)", note: "\(job.kind.rawValue), \(job.doneCount) of \(job.entries.count) done")
        }
    }

    /// The members of the fabric.
    var members: [Candidate] {
        let roster = fabric.flatMap { try? MemberStore(state, fabric: $0).roster() } ?? nil
        return (roster?.members ?? []).map { Candidate(word: $0.name, note: $0.host ?? "") }
    }

    /// The device types that there are.
    var deviceTypes: [Candidate] {
        let known = Set(nodes.flatMap(\.endpoints).flatMap(\.deviceTypes))
        return known.sorted().compactMap { Catalogue.standard.deviceType(DeviceTypeID($0)) }.map {
            Candidate(word: NameStyle.kebab($0.name), note: $0.label)
        }
    }

    /// The clusters that some node has; all that have a name if there is no node.
    var clusters: [Candidate] {
        let known = Set(nodes.flatMap(\.endpoints).flatMap(\.serverClusters))
        let catalogue = catalogue
        let names = catalogue.clusterNames.filter { known.isEmpty || known.contains($0.id.rawValue) }
        return names.map { Candidate(word: NameStyle.kebab($0.name), note: hexadecimal($0.id)) }
    }

    /// The accounts at a vendor's service.
    func profiles() -> [Candidate] { VendorModule.all.flatMap { $0.profiles(state) }.map { Candidate(word: $0) } }
}
