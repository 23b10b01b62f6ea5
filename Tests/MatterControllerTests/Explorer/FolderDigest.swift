import Foundation

extension Hasher {
    /// Takes in the names and contents of all files in a folder. The times of files in memory are too coarse to tell a change.
    mutating func combine(contentsOf path: String) {
        guard let folder = opendir(path) else { return }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name != ".", name != ".." else { continue }
            combine(name)
            if entry.pointee.d_type == DT_DIR {
                combine(contentsOf: path + "/" + name)
            } else {
                combine(FileManager.default.contents(atPath: path + "/" + name))
            }
        }
    }
}
