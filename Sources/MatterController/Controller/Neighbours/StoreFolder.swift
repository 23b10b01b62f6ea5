import CProcess
import FoundationEssentials
import Glibc
import MatterBase

/// A folder of another program, which is read only.
struct StoreFolder {
    /// The largest file that is read, in bytes.
    static let largest = 256 << 20

    let path: String

    /// The names of its entries, sorted.
    func names() -> [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }

    func path(of name: String) -> String { path.hasSuffix("/") ? path + name : "\(path)/\(name)" }

    /// The bytes of a regular file; `nil` if there is none that can be read, or it is too large.
    func contents(_ name: String) -> [UInt8]? { Self.contents(at: path(of: name)) }

    static func contents(at path: String) -> [UInt8]? {
        guard let status = status(of: path), status.isFile, status.size <= largest else { return nil }
        return FileManager.default.contents(atPath: path).map(Array.init)
    }

    /// The folder that a file is in.
    static func parent(of path: String) -> String {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        return parts.isEmpty ? "." : parts == [""] ? "/" : parts.joined(separator: "/")
    }

    /// The facts about a file or folder that matter here.
    struct Status {
        let isFile: Bool
        let isFolder: Bool
        let size: Int
        /// The last change, in seconds since 1970.
        let changed: Int64
    }

    static func status(of path: String) -> Status? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        let kind = status.st_mode & S_IFMT
        return Status(
            isFile: kind == S_IFREG, isFolder: kind == S_IFDIR, size: Int(status.st_size),
            changed: Int64(status.st_mtim.tv_sec))
    }
}

/// The owner of a store, as far as it shows that it runs.
enum StoreOwner {
    /// How long a store must have been left alone, in seconds: the server writes at least every 120 s while values change.
    static let quiet: Int64 = 180

    /// Why the store may be in use; `nil` if nothing says so.
    ///
    /// - Parameters:
    ///   - files: the files of the store that are written while it is in use.
    ///   - now: seconds since 1970.
    static func sign(of neighbour: Neighbour, folder: StoreFolder, files: [String], now: Int64) -> String? {
        if neighbour == .matterjs, let process = lock(folder) { return "the process \(process) has locked it" }
        if let process = process(of: neighbour) { return "\(neighbour.rawValue) runs as process \(process)" }
        for file in files {
            guard let changed = StoreFolder.status(of: file)?.changed, now - changed < quiet, changed <= now else {
                continue
            }
            let name = file.split(separator: "/").last.map(String.init) ?? file
            return "\(name) was written \(now - changed) s ago"
        }
        return nil
    }

    /// The living process that has locked a folder of matter.js.
    private static func lock(_ folder: StoreFolder) -> Int32? {
        guard StoreFolder.status(of: folder.path(of: "matter.lock")) != nil,
            let text = folder.contents("matter.pid"),
            let process = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isWhitespace).first
                .flatMap({ Int32($0) }), process > 0
        else { return nil }
        return kill(process, 0) == 0 || errno == EPERM ? process : nil
    }

    /// The words of a command line that say which program a process is.
    private static func isWord(_ word: Substring, of neighbour: Neighbour) -> Bool {
        let name = word.split(separator: "/").last ?? word
        return switch neighbour {
        case .chipTool: name == "chip-tool"
        case .pythonMatterServer: name == "matter-server" || name == "matter_server" || name == "matter_server.server"
        case .matterjs: name == "matter-server" || name == "matterjs-server" || name == "matter-controller"
        }
    }

    private static func process(of neighbour: Neighbour) -> Int32? {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { Int32($0) }.sorted().first { process in
            guard let line = FileManager.default.contents(atPath: "/proc/\(process)/cmdline") else { return false }
            // Program, interpreter's script, or `-m MODULE`.
            return String(decoding: line, as: UTF8.self).split(separator: "\0").prefix(4).contains {
                isWord($0, of: neighbour)
            }
        }
    }
}
