import Glibc

/// Bytes of a file that one lock covers. They need not be there.
struct ByteRange: Equatable, Sendable {
    var start: Int64
    var length: Int64

    var end: Int64 { start + length }
}

/// Locks on byte ranges that belong to an open file description (fcntl_locking(2)).
///
/// The kernel frees them with the last descriptor of the description, however the process ends. They keep out every other
/// description, those of the same process too.
extension Descriptor {
    // <fcntl.h> has these for _GNU_SOURCE only. The numbers are the same on every Linux.
    private static let getLock: Int32 = 36
    private static let setLock: Int32 = 37

    /// - Returns: `false` if another description has a lock on some of the bytes.
    func lock(_ range: ByteRange) throws(SystemFailure) -> Bool {
        do {
            _ = try request(Self.setLock, F_WRLCK, range)
            return true
        } catch {
            guard error.number == EAGAIN || error.number == EACCES else { throw error }
            return false
        }
    }

    /// Frees what this description has locked of the bytes.
    func unlock(_ range: ByteRange) throws(SystemFailure) {
        _ = try request(Self.setLock, F_UNLCK, range)
    }

    /// The bytes of a lock, of another description, that stands in the way of one on a range; `nil` if there is none.
    func blocker(of range: ByteRange) throws(SystemFailure) -> ByteRange? {
        let found = try request(Self.getLock, F_WRLCK, range)
        guard found.l_type != Int16(F_UNLCK) else { return nil }
        // A length of 0 reaches to the end of all files.
        let length = found.l_len == 0 ? Int64.max - Int64(found.l_start) : Int64(found.l_len)
        return ByteRange(start: Int64(found.l_start), length: length)
    }

    private func request(_ command: Int32, _ type: Int32, _ range: ByteRange) throws(SystemFailure) -> flock {
        var lock = flock()
        lock.l_type = Int16(type)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = Int(range.start)
        lock.l_len = Int(range.length)
        let descriptor = raw
        let result = withUnsafeMutablePointer(to: &lock) { pointer in
            systemCall { fcntl(descriptor, command, UnsafeMutableRawPointer(pointer)) }
        }
        if case .failure(let failure) = result { throw failure }
        return lock
    }
}
