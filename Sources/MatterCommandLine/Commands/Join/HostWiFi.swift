import Glibc

/// The Wi-Fi of this machine.
enum HostWiFi {
    /// SIOCGIWESSID of the wireless extensions: the least that asks the kernel, without a service and without rights.
    private static let getESSID: UInt = 0x8B1B
    private static let longestSSID = 32
    private static let longestName = 16
    /// `struct iwreq`: a name, and a union of 16 bytes with a pointer, a length and flags.
    private static let requestSize = 32

    /// The SSID of the network that this machine is on; `nil` if there is none, or the kernel does not say.
    static func ssid() -> [UInt8]? {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return ssid(of: interfaces(), in: "/sys/class/net") { ioctl(descriptor, getESSID, $0) == 0 }
    }

    /// The SSID that the first wireless interface on a network has.
    ///
    /// - Parameters:
    ///   - root: where the kernel tells of interfaces.
    ///   - ask: fills in a `struct iwreq`; false if the kernel refuses.
    static func ssid(
        of interfaces: [String], in root: String, ask: (UnsafeMutableRawPointer) -> Bool
    ) -> [UInt8]? {
        for interface in interfaces where access("\(root)/\(interface)/wireless", F_OK) == 0 {
            if let found = ssid(of: interface, ask) { return found }
        }
        return nil
    }

    private static func interfaces() -> [String] {
        guard let list = if_nameindex() else { return [] }
        defer { if_freenameindex(list) }
        var names: [String] = []
        var entry = list
        while entry.pointee.if_index != 0, let name = entry.pointee.if_name {
            names.append(String(cString: name))
            entry += 1
        }
        return names
    }

    private static func ssid(of interface: String, _ ask: (UnsafeMutableRawPointer) -> Bool) -> [UInt8]? {
        let name = Array(interface.utf8)
        guard name.count < longestName else { return nil }
        var answer = [UInt8](repeating: 0, count: longestSSID)
        let length = answer.withUnsafeMutableBytes { buffer -> Int in
            withUnsafeTemporaryAllocation(byteCount: requestSize, alignment: 8) { request -> Int in
                request.initializeMemory(as: UInt8.self, repeating: 0)
                request.copyBytes(from: name)
                guard let target = buffer.baseAddress else { return 0 }
                request.storeBytes(of: UInt(bitPattern: target), toByteOffset: longestName, as: UInt.self)
                request.storeBytes(
                    of: UInt16(longestSSID), toByteOffset: longestName + MemoryLayout<UInt>.size, as: UInt16.self)
                guard let start = request.baseAddress, ask(start) else { return 0 }
                return Int(
                    request.load(fromByteOffset: longestName + MemoryLayout<UInt>.size, as: UInt16.self))
            }
        }
        let found = Array(answer.prefix(min(length, longestSSID)))
        return found.isEmpty || found.allSatisfy { $0 == 0 } ? nil : found
    }
}
