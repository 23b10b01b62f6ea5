import Glibc
import JSON

/// Something that this process has claimed for itself: a file that is locked while it is claimed, and gone afterwards.
///
/// The file is durable before the claim counts. If the process dies, the lock goes with it, and the next one that wants
/// the same takes the file over.
package final class Reservation: Sendable {
    private let file: Descriptor
    private let path: String

    fileprivate init(_ file: consuming Descriptor, path: String) {
        self.file = file
        self.path = path
    }

    // Still locked: no other process can have taken the file over.
    deinit { unlink(path) }
}

extension StateDirectory {
    /// Claims a name until the reservation is let go.
    ///
    /// - Returns: `nil` if another process, or another task of this one, has claimed it.
    package func reserve(_ name: String) throws(StoreError) -> Reservation? {
        let name = try RecordName(name)
        let path = path(of: name.components)
        while true {
            guard let folder = try folder(name.folder, creating: true) else { throw .system(ENOENT, "create", path) }
            let folderDescriptor = folder.raw
            let opened = opened {
                openat(folderDescriptor, name.file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
            }
            let raw: Int32
            switch opened {
            case .success(let descriptor): raw = descriptor
            case .failure(let failure): throw .system(failure.number, "open", path)
            }
            let file = Descriptor(owning: raw)
            if case .failure(let failure) = systemCall({ flock(raw, LOCK_EX | LOCK_NB) }) {
                if failure.number == EWOULDBLOCK { return nil }
                throw .system(failure.number, "lock", path)
            }
            // The one before may have let it go between the two calls.
            let status = try file.status(path)
            guard status.st_nlink > 0 else { continue }
            do throws(StoreError) {
                _ = fchmod(raw, 0o600)
                try makePrivate(file, status, path)
                guard ftruncate(raw, 0) == 0 else { throw .system(errno, "write", path) }
                let holder = RecordEnvelope.encode(
                    JSONValue.object(["process": .int(Int64(getpid()))]).utf8(), version: 1)
                try file.write(holder, path)
                try file.synchronize(path)
                try folder.synchronize(path)
            } catch {
                unlinkat(folderDescriptor, name.file, 0)
                throw error
            }
            return Reservation(file, path: path)
        }
    }
}
