public import MatterBase

/// An entry of a fabric-scoped list: an attribute of which each fabric sees and writes its own part (Matter core
/// specification, 7.13.2.1).
public protocol FabricListEntry: Equatable, Sendable {
    /// An entry as a node sends it.
    ///
    /// - Throws: ``TLVError`` if a field is missing or of another type.
    init(_ value: TLVValue) throws(TLVError)

    /// The entry as it is written: without the index of the fabric, which the node adds.
    var tlv: TLVValue { get }
    /// The index of the fabric that the entry belongs to; `nil` in one that has not been written yet.
    var fabricIndex: UInt8? { get set }
}

extension FabricListEntry {
    /// The entry without its fabric, for comparison.
    var unplaced: Self {
        var entry = self
        entry.fabricIndex = nil
        return entry
    }
}

extension Array where Element: FabricListEntry {
    /// True if both lists have the same entries, in any order.
    public func means(_ other: [Element]) -> Bool {
        guard count == other.count else { return false }
        var rest = other.map(\.unplaced)
        for entry in self {
            guard let position = rest.firstIndex(of: entry.unplaced) else { return false }
            rest.remove(at: position)
        }
        return true
    }

    /// True if the other list begins with these entries, in this order, and has more.
    func isBeginning(of other: [Element]) -> Bool {
        count < other.count && other.map(\.unplaced).starts(with: map(\.unplaced))
    }
}

/// Our fabric's part of a list, as a node reported it (Matter core specification 7.13.2).
public struct FabricList<Entry: FabricListEntry>: Sendable {
    /// The entries, in the order of the node.
    public var entries: [Entry]
    /// The version of the cluster's data; `nil` if the node did not say.
    public var dataVersion: UInt32?
}
