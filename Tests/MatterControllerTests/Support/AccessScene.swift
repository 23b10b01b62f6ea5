import MatterTestKit
import TestSupport

@testable import MatterController
@testable import MatterCrypto
@testable import MatterModel

/// Random access control lists and changes of them, and a second opinion on what they mean.
struct AccessScene {
    typealias Entry = AccessControlEntry

    /// One subject with one target; `nil` for all.
    struct Right: Hashable {
        var privilege: AccessControlEntry.Privilege
        var mode: AccessControlEntry.AuthMode
        var subject: NodeID?
        var target: Entry.Target?
    }

    static let ownID = NodeID(77)
    static let tag = CASEAuthenticatedTag(0x01A2_0003)

    static func own(_ id: NodeID = ownID) throws -> NodeIdentity {
        NodeIdentity(
            nodeID: id, fabricID: FabricID(1), cats: [tag], publicKey: try P256PrivateKey.generate().publicKey)
    }

    private static let identity = Result { try own() }

    /// One that is made once: keys take time.
    static func sharedOwn() throws(ControllerError) -> NodeIdentity {
        do { return try identity.get() } catch { throw ControllerError(.status, "\(error)") }
    }

    // MARK: The second opinion

    /// Whether someone with an id may write the access control list; ours comes with our tag.
    static func admits(_ list: [Entry], _ own: NodeID = ownID) -> Bool {
        list.contains { entry in
            let isMeant =
                entry.subjects.isEmpty
                || entry.subjects.contains { subject in
                    subject == own
                        || own == ownID
                            && (0xFFFF_FFFD_01A2_0001...0xFFFF_FFFD_01A2_0003).contains(subject.rawValue)
                }
            let isThere =
                entry.targets.isEmpty
                || entry.targets.contains {
                    [nil, 31].contains($0.cluster) && [nil, 0].contains($0.endpoint)
                        && [nil, 22].contains($0.deviceType)
                }
            return entry.privilege == .administer && entry.authMode == .case && isMeant && isThere
        }
    }

    static func rights(_ list: [Entry]) -> Set<Right> {
        var rights: Set<Right> = []
        for entry in list {
            for subject in entry.subjects.isEmpty ? [nil] : entry.subjects.map(Optional.init) {
                for target in entry.targets.isEmpty ? [nil] : entry.targets.map(Optional.init) {
                    rights.insert(
                        Right(privilege: entry.privilege, mode: entry.authMode, subject: subject, target: target))
                }
            }
        }
        return rights
    }

    /// Whether one right is at least another one.
    static func gives(_ right: Right, _ other: Right) -> Bool {
        let isEnough =
            right.privilege == other.privilege
            || (right.privilege.rawValue > other.privilege.rawValue && other.privilege != .proxyView)
        let isWider =
            right.target == nil
            || (other.target != nil
                && [nil, other.target?.cluster].contains(right.target?.cluster)
                && [nil, other.target?.endpoint].contains(right.target?.endpoint)
                && [nil, other.target?.deviceType].contains(right.target?.deviceType))
        return isEnough && right.mode == other.mode && [nil, other.subject].contains(right.subject) && isWider
    }

    // MARK: Chance

    private var chance: SeededGenerator
    let limits = AccessListEdit.Limits()
    private let own: NodeID

    init(seed: UInt64, own: NodeID = ownID) {
        chance = SeededGenerator(seed: seed)
        self.own = own
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &chance)]
    }

    private mutating func some<Element>(_ count: ClosedRange<Int>, of elements: [Element]) -> [Element] {
        Array(elements.shuffled(using: &chance).prefix(Int.random(in: count, using: &chance)))
    }

    /// - Parameter valid: whether a node may accept it; if not, that is left to chance.
    mutating func entry(valid: Bool = true) -> Entry {
        let group = Int.random(in: 0..<5, using: &chance) == 0
        var subjects =
            group
            ? [NodeID(258), NodeID(7)]
            : [own, NodeID(7), NodeID(8), NodeID(9), NodeID(10), Self.tag.subject]
                + [0x01A2_0001, 0x01A2_0004, 0x06D9_0001].map { CASEAuthenticatedTag($0).subject }
        var targets = [
            Entry.Target(cluster: OnOff.id, endpoint: 1), .init(endpoint: 1), .init(cluster: OnOff.id),
            .init(endpoint: 0),
            .init(cluster: AccessControl.id), .init(cluster: AccessControl.id, endpoint: 1), .init(deviceType: 0x16),
            .init(cluster: OnOff.id, deviceType: 0x0100),
        ]
        if !valid {
            subjects.append(pick([NodeID(0), NodeID(0xFFFF_FFFF_FFFF_0001)]))
            targets.append(pick([.init(), .init(endpoint: 1, deviceType: 0x16)]))
        }
        let numbers: [UInt8] = group ? (valid ? [1, 3, 4] : [1, 3, 4, 5]) : [1, 2, 3, 4, 5, 5]
        return Entry(
            .init(rawValue: pick(numbers)), authMode: group ? .group : .case, subjects: some(0...4, of: subjects),
            targets: some(0...3, of: targets))
    }

    /// A list that admits us.
    mutating func list() -> [Entry] {
        var list: [Entry] = []
        repeat {
            list = [Entry(.administer, subjects: [own] + some(0...2, of: [NodeID(9), NodeID(10)]))]
            for _ in 0..<Int.random(in: 0...3, using: &chance) { list.append(entry()) }
            list.shuffle(using: &chance)
            if Int.random(in: 0..<4, using: &chance) == 0 { list.removeFirst() }
        } while !Self.admits(list, own)
        return list
    }

    mutating func change(of list: [Entry]) -> AccessListEdit.Change {
        let valid = Int.random(in: 0..<5, using: &chance) > 0
        switch Int.random(in: 0..<5, using: &chance) {
        case 0: return .grant([entry(valid: valid)])
        case 1:
            let known = Bool.random(using: &chance) ? list.randomElement(using: &chance) : nil
            return .withdraw([known ?? entry()])
        case 2:
            let entry = Bool.random(using: &chance) ? list.randomElement(using: &chance) : nil
            return .revoke(
                some(1...2, of: (entry ?? self.entry()).subjects).map {
                    AccessSubject(id: $0, authMode: (entry ?? self.entry()).authMode)
                })
        case 3: return .remove(some(1...2, of: Array(0...list.count + 1)))
        default: return .replace((0..<Int.random(in: 0...5, using: &chance)).map { _ in entry(valid: valid) })
        }
    }
}
