import CProcess
import Glibc
import MatterState

/// Reads the state of this machine from the kernel's files, and changes nothing.
struct HostReader: Sendable {
    /// The folder that stands for `/`; tests have one of their own.
    var root = ""
    /// The interfaces without what the kernel's files tell of them.
    var interfaces: @Sendable () -> [HostFacts.Interface] = Self.current
    /// Fills in a `struct iwreq` with the access point of an interface; false if the kernel refuses.
    var accessPoint: @Sendable (UnsafeMutableRawPointer) -> Bool = HostAccessPoint.ask

    /// The most bytes of a file that are looked at.
    private static let largestFile = 1 << 20
    /// The port of multicast DNS.
    private static let port = "14E9"

    /// All that the kernel tells.
    func facts() -> HostFacts {
        var facts = HostFacts()
        facts.hasIPv6 = text("/proc/net/if_inet6") != nil
        facts.interfaces = interfaces().map(completed)
        facts.routes = routes
        facts.accessPoint =
            facts.interfaces.lazy.filter { exists("/sys/class/net/\($0.name)/wireless") }
            .compactMap { interface in
                HostAccessPoint.bssid(of: interface.name, accessPoint).map { (interface.name, $0) }
            }.first
        facts.trackingTime = number("/proc/sys/net/netfilter/nf_conntrack_udp_timeout_stream")
        facts.largestReceiveBuffer = number("/proc/sys/net/core/rmem_max")
        facts.container = container
        facts.responders = responders
        facts.responderConfiguration = text("/etc/avahi/avahi-daemon.conf")
        facts.hardwareClock = number("/sys/class/rtc/rtc0/since_epoch").map { Int64($0) }
        facts.adapters = names("/sys/class/bluetooth").filter { $0.hasPrefix("hci") && !$0.contains(":") }
        switch cprocess_clock_state() {
        case 0: facts.isClockSynchronized = false
        case 1: facts.isClockSynchronized = true
        default: break
        }
        facts.hasEntropy = Self.hasEntropy
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            facts.mostOpenFiles = Int(clamping: limit.rlim_cur)
        }
        return facts
    }

    // MARK: Files

    /// A file of the kernel, or of the system; `nil` if it cannot be read.
    func text(_ path: String) -> String? {
        let descriptor = open(root + path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var octets: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 16_384)
        while octets.count < Self.largestFile {
            let count = read(descriptor, &part, part.count)
            guard count > 0 else { return count < 0 && octets.isEmpty ? nil : String(decoding: octets, as: UTF8.self) }
            octets += part.prefix(count)
        }
        return String(decoding: octets, as: UTF8.self)
    }

    private func number(_ path: String) -> Int? {
        text(path).flatMap { Int($0.prefix { !$0.isWhitespace }) }
    }

    private func exists(_ path: String) -> Bool { access(root + path, F_OK) == 0 }

    /// Whether there is a file or folder, wherever it lies.
    func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Why a folder is not this user's alone; `nil` if it is, or is not there.
    func foreign(_ path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        if status.st_uid != geteuid() { return "\(path) belongs to user \(status.st_uid), not to \(geteuid())" }
        return status.st_mode & 0o077 == 0 ? nil : "others than this user may look into \(path), or write to it"
    }

    /// When a file or folder was changed, in seconds since 1970.
    func changeTime(of path: String) -> Int64? {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_mtim.tv_sec) : nil
    }

    private func names(_ path: String) -> [String] {
        guard let folder = opendir(root + path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { name in
                String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    private func lines(_ path: String) -> [[Substring]]? {
        text(path).map { $0.split(whereSeparator: \.isNewline).map { $0.split(whereSeparator: \.isWhitespace) } }
    }

    // MARK: Interfaces

    /// The interfaces with their flags, by name.
    @Sendable private static func current() -> [HostFacts.Interface] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var found: [HostFacts.Interface] = []
        var next = first
        while let entry = next?.pointee {
            next = entry.ifa_next
            guard let cName = entry.ifa_name else { continue }
            let name = String(cString: cName)
            guard !found.contains(where: { $0.name == name }) else { continue }
            func has(_ flag: Int) -> Bool { Int(entry.ifa_flags) & flag != 0 }
            found.append(
                HostFacts.Interface(
                    name: name, index: if_nametoindex(name), isUp: has(Int(IFF_UP)),
                    isRunning: has(Int(IFF_RUNNING)), isMulticast: has(Int(IFF_MULTICAST)),
                    isLoopback: has(Int(IFF_LOOPBACK))))
        }
        return found
    }

    private func completed(_ interface: HostFacts.Interface) -> HostFacts.Interface {
        var interface = interface
        let settings = "/proc/sys/net/ipv6/conf/\(interface.name)"
        interface.addresses = addresses(of: interface.name)
        interface.isIPv6Disabled = number("\(settings)/disable_ipv6").map { $0 != 0 }
        interface.acceptsAdvertisements = number("\(settings)/accept_ra")
        interface.longestRoute = number("\(settings)/accept_ra_rt_info_max_plen")
        interface.isForwarding = number("\(settings)/forwarding").map { $0 != 0 }
        interface.manager = manager(of: interface)
        let bridge = "/sys/class/net/\(interface.name)/bridge"
        if let isSnooping = number("\(bridge)/multicast_snooping") {
            interface.bridge = HostFacts.Bridge(
                isSnooping: isSnooping != 0, isQuerier: number("\(bridge)/multicast_querier") ?? 0 != 0)
        }
        return interface
    }

    private func addresses(of name: String) -> [HostFacts.Address] {
        let (tentative, duplicate) = (0x40, 0x08)
        return (lines("/proc/net/if_inet6") ?? []).compactMap { columns in
            guard columns.count >= 6, columns[5] == name, let octets = Self.address(columns[0]),
                let length = Int(columns[2], radix: 16), let flags = Int(columns[4], radix: 16)
            else { return nil }
            return HostFacts.Address(
                octets: octets, length: length, isTentative: flags & tentative != 0,
                isDuplicate: flags & duplicate != 0)
        }
    }

    /// 32 digits.
    private static func address(_ digits: Substring) -> [UInt8]? {
        guard let octets = try? Hex.decode(String(digits)), octets.count == 16 else { return nil }
        return octets
    }

    /// The program that handles router advertisements in place of the kernel.
    private func manager(of interface: HostFacts.Interface) -> String? {
        if let link = text("/run/systemd/netif/links/\(interface.index)"), link.contains("NETWORK_FILE=") {
            return "systemd-networkd"
        }
        if let device = text("/run/NetworkManager/devices/\(interface.index)"), device.contains("managed=full") {
            return "NetworkManager"
        }
        return nil
    }

    private var routes: [HostFacts.Route] {
        let (isUp, isRejecting) = (0x1, 0x200)
        return (lines("/proc/net/ipv6_route") ?? []).compactMap { columns in
            guard columns.count >= 10, let prefix = Self.address(columns[0]),
                let length = Int(columns[1], radix: 16), let gateway = Self.address(columns[4]),
                let metric = UInt32(columns[5], radix: 16), let flags = Int(columns[8], radix: 16)
            else { return nil }
            let isRejected = flags & isRejecting != 0
            guard flags & isUp != 0 || isRejected else { return nil }
            return HostFacts.Route(
                prefix: prefix, length: length, gateway: gateway, interface: String(columns[9]), metric: metric,
                isUnreachable: isRejected)
        }
    }

    private var container: String? {
        if exists("/.dockerenv") { return "Docker" }
        if exists("/run/.containerenv") { return "Podman" }
        return nil
    }

    // MARK: Port 5353

    private var responders: [HostFacts.Responder]? {
        guard let old = lines("/proc/net/udp") else { return nil }
        let sockets = [(false, old), (true, lines("/proc/net/udp6") ?? [])].flatMap { isIPv6, lines in
            lines.compactMap { columns -> (isIPv6: Bool, user: UInt32, inode: Substring)? in
                guard columns.count >= 10, columns[1].hasSuffix(":\(Self.port)"), let user = UInt32(columns[7]) else {
                    return nil
                }
                return (isIPv6, user, columns[9])
            }
        }
        let owners = sockets.isEmpty ? [:] : owners(of: Set(sockets.map { "socket:[\($0.inode)]" }))
        return sockets.map {
            HostFacts.Responder(isIPv6: $0.isIPv6, user: $0.user, program: owners["socket:[\($0.inode)]"])
        }
    }

    /// The programs that have sockets, as far as we may look.
    private func owners(of sockets: Set<String>) -> [String: String] {
        var owners: [String: String] = [:]
        var target = [CChar](repeating: 0, count: 64)
        for process in names("/proc") where process.first?.isNumber ?? false {
            for file in names("/proc/\(process)/fd") {
                let count = readlink("\(root)/proc/\(process)/fd/\(file)", &target, target.count)
                guard count > 0 else { continue }
                let link = String(decoding: target.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
                guard sockets.contains(link) else { continue }
                owners[link] = text("/proc/\(process)/comm")?.split(whereSeparator: \.isNewline).first.map(String.init)
            }
        }
        return owners
    }

    private static var hasEntropy: Bool? {
        switch cprocess_has_entropy() {
        case 0: false
        case 1: true
        default: nil
        }
    }
}
