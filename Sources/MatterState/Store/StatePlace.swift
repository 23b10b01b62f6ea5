import Glibc

/// Which folder of which machine a state directory is: what a copy of it cannot have in common with it.
package struct StatePlace: Equatable, Sendable {
    /// The content of `/etc/machine-id`; `nil` on machines without one.
    package var machine: String?
    /// The device number of the file system; it may change when the machine is started again.
    package var device: UInt64
    /// The file system's own id; 0 if it has none.
    var fileSystem: UInt64
    /// The number of the folder itself. It stays when the folder is moved within its file system.
    var inode: UInt64
}

extension StateDirectory {
    /// Where the state directory is now.
    ///
    /// - Returns: `nil` if there is none yet.
    package func place() throws(StoreError) -> StatePlace? {
        guard let folder = try folder([], creating: false) else { return nil }
        let status = try folder.status(path)
        var fileSystem: UInt64 = 0
        var information = statvfs()
        if fstatvfs(folder.raw, &information) == 0 { fileSystem = UInt64(information.f_fsid) }
        return StatePlace(
            machine: machineID, device: UInt64(status.st_dev), fileSystem: fileSystem, inode: UInt64(status.st_ino))
    }

    /// Which folder the state directory is, on this machine; that which this process has used, if it has.
    ///
    /// - Returns: `nil` if there is none yet.
    package func identity() -> (device: UInt64, inode: UInt64)? {
        if let folder = openFolders.opened(path) { return (UInt64(folder.device), UInt64(folder.inode)) }
        var status = stat()
        guard fstatat(AT_FDCWD, path, &status, 0) == 0 else { return nil }
        return (UInt64(status.st_dev), UInt64(status.st_ino))
    }

    /// 32 hexadecimal digits; images that were never started have other words there.
    var machineID: String? {
        let opened = systemCall { open(machineIDFile, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard case .success(let raw) = opened else { return nil }
        guard let octets = try? Descriptor(owning: raw).read(limit: 64, size: 33, machineIDFile) else { return nil }
        let text = String(decoding: octets.prefix { $0 != 0x0A }, as: UTF8.self)
        return text.utf8.count == 32 && text.utf8.allSatisfy { $0 &- 0x30 < 10 || ($0 | 0x20) &- 0x61 < 6 } ? text : nil
    }
}
