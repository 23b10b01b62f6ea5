import Glibc

/// An open file or folder, closed when it goes out of scope.
struct Descriptor: ~Copyable {
    let raw: Int32

    init(owning raw: Int32) {
        self.raw = raw
    }

    deinit {
        close(raw)
    }
}

/// Repeats a system call that a signal interrupted.
///
/// - Returns: its result, or `errno` where the result is negative.
func systemCall<Number: SignedInteger>(_ call: () -> Number) -> Result<Number, SystemFailure> {
    while true {
        let result = call()
        if result >= 0 { return .success(result) }
        let number = errno
        if number != EINTR { return .failure(SystemFailure(number: number)) }
    }
}

/// An `errno` that is not 0.
struct SystemFailure: Error {
    let number: Int32
}

extension Descriptor {
    /// Metadata of the open file.
    func status(_ path: String) throws(StoreError) -> stat {
        var status = stat()
        guard fstat(raw, &status) == 0 else { throw .system(errno, "examine", path) }
        return status
    }

    /// Makes everything durable that was written.
    func synchronize(_ path: String) throws(StoreError) {
        if case .failure(let failure) = systemCall({ fsync(raw) }) { throw .system(failure.number, "write", path) }
    }

    /// Synchronizes an open folder. File systems that cannot do that for folders (some shared ones of virtual machines
    /// and networks) say so and are used as they are; they would be of no use otherwise.
    func synchronizeFolder(_ path: String) throws(StoreError) {
        guard case .failure(let failure) = systemCall({ fsync(raw) }) else { return }
        guard [EINVAL, EOPNOTSUPP, ENOSYS].contains(failure.number) else {
            throw .system(failure.number, "write", path)
        }
    }

    func write(_ octets: [UInt8], _ path: String) throws(StoreError) {
        var written = 0
        while written < octets.count {
            let result = octets.withUnsafeBytes { buffer in
                systemCall { Glibc.write(raw, buffer.baseAddress?.advanced(by: written), buffer.count - written) }
            }
            switch result {
            case .success(let count): written += count
            case .failure(let failure): throw .system(failure.number, "write", path)
            }
        }
    }

    /// Reads to the end, but no more than one byte beyond a limit.
    ///
    /// - Parameter size: what the file had just now; another one is no fault.
    func read(limit: Int, size: Int, _ path: String) throws(StoreError) -> [UInt8] {
        let descriptor = raw
        var octets: [UInt8] = []
        // One byte more than expected: if it stays empty, that was the end.
        var room = min(max(size, 0), limit) + 1
        while octets.count <= limit {
            var failure: SystemFailure?
            var chunk = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
                switch systemCall({ Glibc.read(descriptor, buffer.baseAddress, room) }) {
                case .success(let read): count = read
                case .failure(let refusal): failure = refusal
                }
            }
            if let failure { throw .system(failure.number, "read", path) }
            let count = chunk.count
            if octets.isEmpty {
                octets = chunk
                chunk = []
            } else {
                octets += chunk
                wipe(&chunk)
            }
            if count == 0 || octets.count == size { return octets }
            room = min(65_536, limit + 1 - octets.count)
        }
        return octets
    }
}

/// Overwrites bytes that may be secret, as far as a Swift array lets us.
func wipe(_ octets: inout [UInt8]) {
    octets.withUnsafeMutableBytes { buffer in
        guard let base = buffer.baseAddress else { return }
        explicit_bzero(base, buffer.count)
    }
}
