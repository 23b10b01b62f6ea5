import Glibc

/// Finds out which process holds a lock.
enum LockHolder {
    private static let table = "/proc/locks"

    /// The number of the process that holds the lock of a file.
    ///
    /// The contents of the file are not enough: an older holder may have written it, and the present one nothing. So
    /// the kernel's own table is asked. Where there is none, a process that is written down and lives is believed.
    ///
    /// - Returns: `nil` if it is not known, or lives where it has no number of ours (another container).
    static func process(
        of file: String, in folder: Folder, _ path: String, store: StateDirectory
    ) -> Int32? {
        var status = stat()
        guard fstatat(folder.raw, file, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        let octets = (try? StateDirectory.readFile(file, in: folder, path, store: store)) ?? []
        let written = Int32(String(decoding: octets.prefix(16).prefix { $0 != 0x0A }, as: UTF8.self)).flatMap {
            $0 > 0 ? $0 : nil
        }
        guard let lines = contents(of: table) else {
            return written.flatMap { kill($0, 0) == 0 || errno == EPERM ? $0 : nil }
        }
        return lines.split(separator: "\n").lazy.compactMap { holder(in: $0, of: status, written: written) }.first
    }

    /// The holder that a line such as `2: FLOCK  ADVISORY  WRITE 1234 00:1c:5678 0 EOF` names for this file.
    ///
    /// - Parameter written: the process that the file names. It is believed where the device is another: some file
    ///   systems tell programs another one than the kernel's table.
    static func holder(in line: some StringProtocol, of file: stat, written: Int32?) -> Int32? {
        let fields = line.split(separator: " ")
        // A line with an arrow is about one that waits.
        guard fields.count >= 6, fields[1] == "FLOCK", let number = Int32(fields[4]), number > 0 else { return nil }
        let place = fields[5].split(separator: ":")
        guard place.count == 3, let major = UInt32(place[0], radix: 16), let minor = UInt32(place[1], radix: 16),
            place[2] == "\(file.st_ino)"
        else { return nil }
        let device = UInt64(file.st_dev)
        // As makedev(3) puts them together.
        let isSameDevice =
            UInt32(truncatingIfNeeded: device >> 8 & 0xFFF | device >> 32 & ~0xFFF) == major
            && UInt32(truncatingIfNeeded: device & 0xFF | device >> 12 & ~0xFF) == minor
        return isSameDevice || number == written ? number : nil
    }

    private static func contents(of path: String) -> String? {
        guard case .success(let raw) = systemCall({ open(path, O_RDONLY | O_CLOEXEC) }) else { return nil }
        guard let octets = try? Descriptor(owning: raw).read(limit: 1 << 20, size: 0, path) else { return nil }
        return String(decoding: octets, as: UTF8.self)
    }
}
