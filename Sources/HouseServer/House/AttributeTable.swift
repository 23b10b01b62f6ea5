import MatterController

/// The attributes of a node with their values, packed: a house of a thousand nodes has a hundred thousand of them.
///
/// The paths are in the order of their numbers; the values follow each other in TLV.
struct AttributeTable: Sendable, Equatable {
    /// The result of ``set(_:_:at:)``.
    enum Change: Sendable {
        /// There was no value before.
        case new
        case changed
        case same
    }

    /// The time of a value that was known before the server started.
    static let unknownTime = UInt32.max

    /// The paths, in order.
    private(set) var paths: [CachePath] = []
    /// The end of each value in ``octets``.
    private var ends: [UInt32] = []
    /// When each value was reported last, in seconds of the board's own clock.
    private var times: [UInt32] = []
    private var octets: [UInt8] = []

    var isEmpty: Bool { paths.isEmpty }
    var count: Int { paths.count }

    /// The value at a path; `nil` if there is none.
    subscript(path: CachePath) -> TLVValue? { position(of: path).flatMap { value(at: $0) } }

    /// When the value at a path was reported last.
    ///
    /// - Returns: seconds of the board's clock; `nil` if there is no value, or if it is older than the server.
    func time(of path: CachePath) -> UInt32? {
        guard let position = position(of: path), times[position] != Self.unknownTime else { return nil }
        return times[position]
    }

    /// All values by path.
    var values: some Sequence<(path: CachePath, value: TLVValue)> {
        paths.indices.lazy.compactMap { position in
            self.value(at: position).map { (path: self.paths[position], value: $0) }
        }
    }

    /// The encoding of the value at a path.
    func encoded(_ path: CachePath) -> [UInt8]? { position(of: path).map { Array(octets[range($0)]) } }

    /// Takes a value that was reported.
    mutating func set(_ path: CachePath, _ value: TLVValue, at time: UInt32) -> Change {
        let encoded = TLVElement(.anonymous, value).encoded()
        let position = place(of: path)
        guard position < paths.count, paths[position] == path else {
            let start = position > 0 ? Int(ends[position - 1]) : 0
            paths.insert(path, at: position)
            times.insert(time, at: position)
            octets.insert(contentsOf: encoded, at: start)
            ends.insert(UInt32(start), at: position)
            grow(from: position, by: encoded.count)
            return .new
        }
        times[position] = time
        let range = range(position)
        guard !octets[range].elementsEqual(encoded) else { return .same }
        octets.replaceSubrange(range, with: encoded)
        grow(from: position, by: encoded.count - range.count)
        return .changed
    }

    /// Keeps the values of these paths only.
    mutating func keep(where isKept: (CachePath) -> Bool) {
        guard !paths.allSatisfy(isKept) else { return }
        var kept = AttributeTable()
        for position in paths.indices where isKept(paths[position]) {
            kept.paths.append(paths[position])
            kept.times.append(times[position])
            kept.octets += octets[range(position)]
            kept.ends.append(UInt32(kept.octets.count))
        }
        self = kept
    }

    /// Gives back the room that the table has grown into, once all of a node has come.
    mutating func compact() {
        paths = paths.withUnsafeBufferPointer { Array($0) }
        ends = ends.withUnsafeBufferPointer { Array($0) }
        times = times.withUnsafeBufferPointer { Array($0) }
        octets = octets.withUnsafeBufferPointer { Array($0) }
    }

    // MARK: Places

    /// The first position whose path is not less.
    private func place(of path: CachePath) -> Int {
        // A node tells its attributes in order, mostly.
        guard let last = paths.last, !(last < path) else { return paths.count }
        var (low, high) = (0, paths.count)
        while low < high {
            let middle = (low + high) / 2
            if paths[middle] < path { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func position(of path: CachePath) -> Int? {
        let position = place(of: path)
        return position < paths.count && paths[position] == path ? position : nil
    }

    private func range(_ position: Int) -> Range<Int> {
        (position > 0 ? Int(ends[position - 1]) : 0)..<Int(ends[position])
    }

    private func value(at position: Int) -> TLVValue? {
        // Devices break the rules of tags, and their values were taken as they wrote them.
        try? TLVElement(decoding: Array(octets[range(position)]), tags: .asWritten).value
    }

    private mutating func grow(from position: Int, by count: Int) {
        guard count != 0 else { return }
        for later in position..<ends.count { ends[later] = UInt32(clamping: Int(ends[later]) + count) }
    }
}
