import FoundationEssentials
import Glibc
import MatterBase

/// A library of the system that is opened when it is needed.
struct SystemLibrary {
    private let handle: UnsafeMutableRawPointer
    private let title: String

    /// - Throws: `neighbour.library-missing`.
    init(_ file: String, title: String, package: String) throws(NeighbourError) {
        guard let handle = dlopen(file, RTLD_NOW | RTLD_LOCAL) else {
            throw NeighbourError(
                .libraryMissing, "\(title), which reads this kind of store, is not installed",
                hint: "apt install \(package)")
        }
        self.handle = handle
        self.title = title
    }

    func function<Function>(_ name: String, as type: Function.Type) throws(NeighbourError) -> Function {
        guard let symbol = dlsym(handle, name) else {
            throw NeighbourError(.libraryMissing, "\(title) has no \(name): it is too old")
        }
        // A C function of this type, as the library's header declares it; no data from outside is reinterpreted.
        return unsafeBitCast(symbol, to: type)
    }
}

/// A file that gzip has packed, read by zlib.
enum GzipFile {
    /// - Returns: `nil` for a file that is damaged, or longer than allowed.
    static func contents(_ path: String, largest: Int) throws(NeighbourError) -> [UInt8]? {
        let library = try SystemLibrary("libz.so.1", title: "zlib", package: "zlib1g")
        typealias Open = @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>) -> OpaquePointer?
        typealias Read = @convention(c) (OpaquePointer, UnsafeMutableRawPointer, UInt32) -> Int32
        typealias Close = @convention(c) (OpaquePointer) -> Int32
        let open = try library.function("gzopen", as: Open.self)
        let read = try library.function("gzread", as: Read.self)
        let close = try library.function("gzclose", as: Close.self)
        guard let file = open(path, "rb") else { return nil }
        var contents: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while contents.count <= largest {
            let count = buffer.withUnsafeMutableBytes { bytes in
                bytes.baseAddress.map { read(file, $0, UInt32(bytes.count)) } ?? -1
            }
            guard count > 0 else {
                // It also says here that the end of the packed data is missing.
                let sound = close(file) == 0 && count == 0
                return sound ? contents : nil
            }
            contents += buffer[..<Int(count)]
        }
        _ = close(file)
        return nil
    }
}

/// A database file, read by SQLite.
enum SQLiteFile {
    enum Value: Equatable {
        case null
        case text(String)
    }

    /// The rows that a query gives, with columns as texts.
    ///
    /// It works on a copy: SQLite would write beside the original to read what is in its log.
    static func rows(of folder: StoreFolder, _ name: String, _ query: String) throws(NeighbourError) -> [[Value]] {
        let library = try SystemLibrary("libsqlite3.so.0", title: "SQLite", package: "libsqlite3-0")
        let manager = FileManager.default
        let copy = manager.temporaryDirectory.appendingPathComponent("matterctl-store-\(UUID().uuidString)")
        func copied() -> Bool {
            do {
                try manager.createDirectory(
                    at: copy, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
                for suffix in ["", "-wal"] where StoreFolder.status(of: folder.path(of: name + suffix)) != nil {
                    try manager.copyItem(
                        atPath: folder.path(of: name + suffix),
                        toPath: copy.appendingPathComponent("store.db" + suffix).path)
                }
                return true
            } catch { return false }
        }
        defer { try? manager.removeItem(at: copy) }
        guard copied() else { throw NeighbourError(.damaged, "it cannot be copied to a temporary folder") }
        return try read(library, copy.appendingPathComponent("store.db").path, query)
    }

    private static let row: Int32 = 100
    private static let done: Int32 = 101
    private static let readWrite: Int32 = 0x02

    private static func read(_ library: SystemLibrary, _ path: String, _ query: String) throws(NeighbourError)
        -> [[Value]]
    {
        typealias Open =
            @convention(c) (
                UnsafePointer<CChar>, UnsafeMutablePointer<OpaquePointer?>, Int32, UnsafePointer<CChar>?
            ) -> Int32
        typealias Prepare =
            @convention(c) (
                OpaquePointer, UnsafePointer<CChar>, Int32, UnsafeMutablePointer<OpaquePointer?>,
                UnsafeMutablePointer<UnsafePointer<CChar>?>?
            ) -> Int32
        typealias Step = @convention(c) (OpaquePointer) -> Int32
        typealias Count = @convention(c) (OpaquePointer) -> Int32
        typealias Text = @convention(c) (OpaquePointer, Int32) -> UnsafePointer<UInt8>?
        typealias End = @convention(c) (OpaquePointer?) -> Int32
        let open = try library.function("sqlite3_open_v2", as: Open.self)
        let prepare = try library.function("sqlite3_prepare_v2", as: Prepare.self)
        let step = try library.function("sqlite3_step", as: Step.self)
        let columns = try library.function("sqlite3_column_count", as: Count.self)
        let text = try library.function("sqlite3_column_text", as: Text.self)
        let finalize = try library.function("sqlite3_finalize", as: End.self)
        let close = try library.function("sqlite3_close_v2", as: End.self)

        var database: OpaquePointer?
        defer { _ = close(database) }
        guard open(path, &database, readWrite, nil) == 0, let database else {
            throw NeighbourError(.damaged, "SQLite does not open it")
        }
        var statement: OpaquePointer?
        defer { _ = finalize(statement) }
        guard prepare(database, query, -1, &statement, nil) == 0, let statement else {
            throw NeighbourError(.damaged, "it has no table 'kvstore' as matter.js makes it")
        }
        var rows: [[Value]] = []
        while true {
            switch step(statement) {
            case row:
                rows.append(
                    (0..<columns(statement)).map { column in
                        text(statement, column).map { .text(String(cString: $0)) } ?? .null
                    })
            case done: return rows
            default: throw NeighbourError(.damaged, "SQLite does not read it to its end")
            }
        }
    }
}
