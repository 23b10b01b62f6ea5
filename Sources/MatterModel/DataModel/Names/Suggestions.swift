/// Finds the likely spelling of a misspelt name.
public enum Suggestions {
    /// Longer inputs are no typing errors, and comparing them would take time.
    private static let longestName = 96

    /// The nearest of the known names, best first: few typing errors away, or containing the text.
    ///
    /// - Parameter limit: how many there may be.
    public static func nearest(to text: String, among names: some Sequence<String>, limit: Int = 3) -> [String] {
        let wanted = NameKey(text).octets
        guard !wanted.isEmpty, wanted.count <= longestName else { return [] }
        var found: [(name: String, key: [UInt8], rank: Int)] = []
        for name in names {
            let key = NameKey(name).octets
            guard !found.contains(where: { $0.key == key }), let rank = rank(wanted, key) else { continue }
            found.append((name, key, rank))
        }
        return found.sorted { ($0.rank, $0.key.count, $0.name) < ($1.rank, $1.key.count, $1.name) }
            .prefix(limit).map(\.name)
    }

    /// `did you mean a or b?`; `nil` if nothing is near.
    package static func question(_ names: [String]) -> String? {
        guard let last = names.last else { return nil }
        let head = names.dropLast().joined(separator: ", ")
        return "did you mean \(head.isEmpty ? "" : "\(head) or ")\(last)?"
    }

    /// The distance of two names; `nil` if they are too different.
    private static func rank(_ wanted: [UInt8], _ known: [UInt8]) -> Int? {
        guard known.count <= longestName else { return nil }
        // People hardly ever get the first letter wrong; who has it right may have forgotten more of the others.
        let length = wanted.first == known.first ? max(wanted.count, known.count) : min(wanted.count, known.count)
        let tolerance = max(1, length / 3)
        if abs(wanted.count - known.count) <= tolerance, let distance = distance(wanted, known, atMost: tolerance) {
            return distance
        }
        guard wanted.count >= 3 else { return nil }
        // A part of the name comes after every plain misspelling.
        if known.starts(with: wanted) { return 100 }
        return contains(known, wanted) ? 200 : nil
    }

    private static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
        guard let first = part.first, text.count >= part.count else { return false }
        return (0...(text.count - part.count)).contains { text[$0] == first && text[$0...].starts(with: part) }
    }

    /// Insertions, deletions, replacements and swaps of neighbours that turn one text into the other; `nil` if more are
    /// needed than asked for.
    private static func distance(_ left: [UInt8], _ right: [UInt8], atMost limit: Int) -> Int? {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                var best = last[column] + (left[row] == right[column] ? 0 : 1)
                best = min(best, last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            // A swap reaches back two rows, so both must be beyond the limit.
            guard current.contains(where: { $0 <= limit }) || last.contains(where: { $0 <= limit }) else { return nil }
            beforeLast = last
            last = current
        }
        return last[right.count] <= limit ? last[right.count] : nil
    }
}
