import MatterTestKit
import Synchronization

@testable import MatterController
@testable import MatterCrypto
@testable import MatterModel
@testable import MatterNetwork
@testable import MatterSimulator
@testable import MatterState

/// A change of a list of a device, while another administrator changes the same list.
struct ListEdit: Play {
    enum List: String, CaseIterable, Sendable {
        /// An entry is granted.
        case acl
        /// A switch is bound to a lamp: its own list changes, and the lamp's access control list.
        case bind
        /// A lamp becomes a member of a group.
        case group
    }

    private enum Outcome: Hashable, Sendable {
        case done
        case unknown(String)
        /// It is not done, and what was done of it may stand.
        case unfinished
        case failed(String)
        case killed
    }

    private static let budget = Duration.seconds(25)
    /// For undoing.
    private static let more = Duration.seconds(25)
    /// Whom the change names, and whom the other administrator's does.
    private static let (granted, rival): (UInt64, UInt64) = (45, 99)

    static let all = List.allCases.map { ListEdit(list: $0) }

    var list: List

    var description: String { "change of \(list.rawValue)" }
    var faults: Set<Fault> { [.lost, .late, .doubled, .killed, .restarted, .edited] }

    func prepare() async throws { try await Household.prepare() }

    func perform(on stage: Stage) async throws {
        let (devices, folder) = try await Household.enter(stage, list == .bind ? [.button, .lamp] : [.lamp])
        defer { folder.remove() }
        guard let device = devices.first, let lamp = devices.last else { return }
        let own = try await device.owner()
        let isEdited = Mutex(false)
        let first = Stage.Device(
            address: try await device.address, node: list == .bind ? 2 : nil, restart: { await device.reboot() },
            edit: {
                if await device.edit(list, by: own) {
                    isEdited.withLock { $0 = true }
                } else {
                    stage.complain("the other administrator was refused")
                }
            })
        if list == .bind {
            stage.set(first, Stage.Device(address: try await lamp.address, node: 1))
        } else {
            stage.set(first)
        }
        let owner = Controller(stage.options(stage.time))
        if list == .group { _ = try await owner.groups.createGroup("hall", id: 7) }
        await owner.close()
        stage.beginFaults()
        let outcome = await process(stage)
        stage.endFaults()
        try await stage.time.sleep(for: Stage.aftermath)
        let edits = await device.edits(list)
        judge(outcome, edits, stage)
        if list == .bind, case .failed(let why) = outcome, await lamp.edits(.acl).granted > 0 {
            stage.complain("the lamp has a new entry, and the binding counts as failed: \(why)")
        }
        let last = await process(stage)
        if last != .done { stage.complain("there is no way out: \(last)") }
        judge(last, await device.edits(list), stage)
        if await device.edits(list).rival != isEdited.withLock({ $0 }) {
            stage.complain("the entry of the other administrator is gone")
        }
        if list == .bind, await lamp.edits(.acl).granted != 1 {
            stage.complain("the switch has other rights on the lamp than one entry gives")
        }
        for device in devices { await device.stop() }
    }

    private func process(_ stage: Stage) async -> Outcome {
        await stage.process(atMost: Self.budget + Self.more) { controller, began in
            do {
                try await change(controller, until: began + Self.budget)
                return .done
            } catch let error as ControllerError {
                switch error.code {
                case .outcomeUnknown: return .unknown("\(error)")
                case .bindingUnfinished: return .unfinished
                default: return .failed("\(error)")
                }
            } catch {
                return .failed("\(error)")
            }
        } ?? .killed
    }

    private func change(_ controller: Controller, until deadline: Instant) async throws {
        let node = try controller.nodes.record(of: "lamp")
        // A budget counts from now, by the clock of this machine.
        let budget = Budget(deadline - .now)
        switch list {
        case .acl:
            let edit = AccessListEdit(
                .grant([AccessControlEntry(.operate, subjects: [NodeID(Self.granted)])]),
                own: try controller.context.credentials().identity, of: node)
            _ = try await controller.links.link(to: node).change(accessListBy: edit, deadline: deadline)
        case .bind:
            _ = try await controller.administration.bind(
                BindingRequest(
                    source: try controller.nodes.record(of: "button"), endpoint: Household.endpoint,
                    target: .node(node, endpoint: Household.endpoint), clusters: [OnOff.id]), budget: budget)
        case .group:
            let group = try controller.context.groups().find("hall")
            _ = try await controller.groups.join(
                group, GroupParty(node, [Household.endpoint]), budget: budget)
        }
    }

    private func judge(_ outcome: Outcome, _ edits: (own: Int, rival: Bool, owner: Bool, granted: Int), _ stage: Stage)
    {
        if !edits.owner { stage.complain("the owner is locked out") }
        if edits.own > 1 { stage.complain("the entry is there \(edits.own) times") }
        switch outcome {
        case .done where edits.own != 1: stage.complain("the change is not made and counts as done")
        case .failed(let why) where edits.own > 0: stage.complain("the change is made and counts as failed: \(why)")
        default: break
        }
    }
}

extension SimulatedDevice {
    private static let acl = ConcreteAttributePath(
        endpoint: 0, cluster: AccessControl.id, attribute: AccessControl.Attribute.acl)
    private static let bindings = ConcreteAttributePath(
        endpoint: Household.endpoint, cluster: Binding.id, attribute: Binding.Attribute.binding)
    private static let keys = ConcreteAttributePath(
        endpoint: 0, cluster: GroupKeyManagement.id, attribute: GroupKeyManagement.Attribute.groupKeyMap)
    private static let (granted, rival, group, button): (UInt64, UInt64, UInt16, UInt64) = (45, 99, 7, 2)

    /// The administrator of the fabric.
    fileprivate func owner() throws -> NodeID {
        let access = withNode { node, _ in node.fabrics[Household.fabricIndex]?.access ?? [] }
        guard let id = access.first(where: { $0.privilege == .administer })?.subjects?.first else {
            throw ControllerError(.status, "the device has no administrator")
        }
        return NodeID(id)
    }

    private func items(_ path: ConcreteAttributePath) -> [TLVValue] {
        withNode { node, _ in node.read(path)?.items ?? [] }
    }

    /// The change of another administrator of the same rights.
    fileprivate func edit(_ list: ListEdit.List, by owner: NodeID) -> Bool {
        let path: ConcreteAttributePath
        let entry: TLVValue
        switch list {
        case .acl:
            path = Self.acl
            entry = AccessControlEntry(.view, subjects: [NodeID(Self.rival)]).tlv
        case .bind:
            path = Self.bindings
            entry = BindingEntry(node: NodeID(Self.rival), endpoint: 1, cluster: OnOff.id).tlv
        case .group:
            path = Self.keys
            entry = GroupKeyManagement.GroupKeyMap(groupId: UInt16(Self.rival), groupKeySetID: 42).tlv
        }
        let present = items(path).map { item in
            TLVValue.structure((item.members ?? []).filter { $0.tag != .context(254) })
        }
        return withNode { node, _ in
            var receiver = WriteReceiver()
            var progress = SimulatedNode.WriteProgress()
            let request = WriteRequest(
                writes: [
                    AttributeDataIB(path: AttributePath(path), data: .array(of: present + [entry]))
                ])
            guard let chunk = try? receiver.receive(request.encoded()) else { return false }
            return node.write(
                chunk, progress: &progress, caller: Caller(.case(owner, tags: []), fabricIndex: Household.fabricIndex)
            ).allSatisfy(\.isSuccess)
        }
    }

    /// How often the change is there, whether that of the other administrator is, and whether the owner has its rights.
    fileprivate func edits(_ list: ListEdit.List) -> (own: Int, rival: Bool, owner: Bool, granted: Int) {
        let access = withNode { node, _ in node.fabrics[Household.fabricIndex]?.access ?? [] }
        let isOwned = access.contains { $0.privilege == .administer && $0.targets?.isEmpty ?? true }
        switch list {
        case .acl:
            func count(_ id: UInt64) -> Int { access.count { $0.subjects?.contains(id) ?? false } }
            return (count(Self.granted), count(Self.rival) > 0, isOwned, count(Self.button))
        case .bind:
            let entries = items(Self.bindings).compactMap { try? BindingEntry($0) }
            return (
                entries.count { $0.node == NodeID(1) }, entries.contains { $0.node == NodeID(Self.rival) }, isOwned,
                0
            )
        case .group:
            let entries = items(Self.keys).compactMap { GroupKeyManagement.GroupKeyMap(tlv: $0) }
            return (
                entries.count { $0.groupId == Self.group }, entries.contains { $0.groupId == UInt16(Self.rival) },
                isOwned, 0
            )
        }
    }
}
