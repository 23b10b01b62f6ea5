import Glibc

/// The names of files behind something that a shell takes for a part of the name, such as `@`.
enum FileWords {
    /// - Parameter lead: what stands before the name in the word.
    static func candidates(after lead: String, _ word: String) -> [Candidate] {
        let path = word.dropFirst(lead.count)
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        let begun = path.dropFirst(folder.count)
        guard let directory = opendir(folder.isEmpty ? "." : folder) else { return [] }
        defer { closedir(directory) }
        var candidates: [Candidate] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            // Hidden files are offered to those who ask for them.
            guard name.hasPrefix(begun), name != ".", name != "..", !name.hasPrefix(".") || begun.hasPrefix(".") else {
                continue
            }
            var status = stat()
            let isFolder = stat(folder + name, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
            candidates.append(
                Candidate(word: lead + folder + name + (isFolder ? "/" : ""), isFinished: !isFolder))
        }
        return candidates.sorted { $0.word < $1.word }
    }
}
