import ArgumentParser
import Glibc
import MatterDataModel
import MatterStore

/// Options of commands that speak of clusters by name.
struct CatalogueOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp("Definitions of further clusters, as JSON; may be repeated.", valueName: "FILE"))
    var clusterDefs: [String] = []

    /// The standard catalogue, with what the user added: `--cluster-defs` and the folder `clusters` of the state
    /// directory.
    func catalogue(_ state: StateDirectory) throws -> Catalogue {
        let named = try clusterDefs.map { file throws in try VendorDefinitions(file: file) }
        let loaded = try named + VendorDefinitions.folder(state.path + "/clusters")
        return loaded.isEmpty ? .standard : try Catalogue(loaded: loaded)
    }
}

/// Files that users name.
enum InputFile {
    private static let largest = 16 << 20

    /// The contents of a file, or of stdin for `-`.
    static func contents(_ path: String) throws -> [UInt8] {
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw UsageError("usage.file", "cannot read \(path): \(String(cString: strerror(errno)))")
        }
        defer { if descriptor != STDIN_FILENO { close(descriptor) } }
        var contents: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            if descriptor == STDIN_FILENO { try StandardInput.wait() }
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw UsageError("usage.file", "cannot read \(path): \(String(cString: strerror(errno)))")
            }
            if count == 0 { return contents }
            contents += buffer[..<count]
            guard contents.count <= largest else { throw UsageError("usage.file", "\(path) is larger than 16 MiB") }
        }
    }
}
