import Glibc

/// The access point that this machine is connected to.
enum HostAccessPoint {
    /// SIOCGIWAP of the wireless extensions: the least that asks the kernel, without a service and without rights.
    private static let getAccessPoint: UInt = 0x8B15
    private static let longestName = 16
    /// `struct iwreq`: a name, and a union of 16 bytes, here a family and an address.
    private static let requestSize = 32
    private static let addressLength = 6

    /// Asks the kernel.
    @Sendable static func ask(_ request: UnsafeMutableRawPointer) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return ioctl(descriptor, getAccessPoint, request) == 0
    }

    /// The address of the access point.
    ///
    /// - Parameter ask: fills in a `struct iwreq`; false if the kernel refuses.
    /// - Returns: `nil` if there is none, or the kernel does not say.
    static func bssid(of interface: String, _ ask: (UnsafeMutableRawPointer) -> Bool) -> [UInt8]? {
        let name = Array(interface.utf8)
        guard name.count < longestName else { return nil }
        return withUnsafeTemporaryAllocation(byteCount: requestSize, alignment: 8) { request -> [UInt8]? in
            request.initializeMemory(as: UInt8.self, repeating: 0)
            request.copyBytes(from: name)
            guard let start = request.baseAddress, ask(start) else { return nil }
            let address = Array(request[(longestName + 2)...].prefix(addressLength))
            // Drivers tell the lack of one by one byte everywhere: 00, FF or 44.
            return Set(address).count == 1 ? nil : address
        }
    }
}
