import Foundation
import Testing

/// Networks in which exactly one thing is broken, each a laboratory of its own, and the answer of `doctor` there.
@Suite("Doctor in broken networks", .enabled(if: Laboratory.isHere), .laboratorySlot) struct DoctorTests {
    /// Something that is broken by commands before `doctor` runs.
    struct Fault: Sendable, CustomTestStringConvertible {
        let check: String
        let verdict: String
        let commands: String
        /// Put before the program.
        let prefix: String
        /// Further arguments.
        let words: String
        var testDescription: String { "\(check): \(verdict): \(commands)" }

        init(_ check: String, _ verdict: String, _ commands: String, prefix: String = "", words: String = "") {
            (self.check, self.verdict, self.commands, self.prefix) = (check, verdict, commands, prefix)
            self.words = words
        }
    }

    private static let settings = "/proc/sys/net/ipv6/conf/mt0"
    private static let kill = "kill $(cat \"$MATTERCTL_LAB_DIR/avahi.pid\"); sleep 0.3"

    /// A firewall with these rules, in the words of nft.
    private static func firewall(_ rules: String...) -> String {
        let first = [
            "nft add table inet f",
            "nft 'add chain inet f input { type filter hook input priority 0; policy drop; }'",
            "nft add rule inet f input iif lo accept",
        ]
        return (first + rules.map { "nft add rule inet f input \($0)" }).joined(separator: "\n")
    }

    private static func configuration(_ line: String) -> String {
        "echo '\(line)' > \"$WORK/avahi.conf\"; mount --bind \"$WORK/avahi.conf\" /etc/avahi/avahi-daemon.conf"
    }

    private static let hostFaults: [Fault] = [
        Fault("interface", "failure", "ip link set mt0 down"),
        Fault("interface", "failure", "ip link set mt0 multicast off"),
        Fault("ipv6", "failure", "echo 1 > \(settings)/disable_ipv6"),
        Fault(
            "duplicate-address", "failure", "echo 1 > \(settings)/accept_dad; ip addr add fd77::2/64 dev mt0; sleep 3"),
        Fault("host-address", "note", "ip addr del fd77::1/64 dev mt0"),
        Fault("router-advertisements", "warning", "echo 0 > \(settings)/accept_ra"),
        Fault("router-advertisements", "warning", "echo 1 > \(settings)/forwarding"),
        Fault("forwarding", "note", "echo 1 > \(settings)/forwarding"),
        Fault("route-information", "note", "echo 0 > \(settings)/accept_ra_rt_info_max_plen"),
        Fault(
            "bridge-snooping", "note",
            "mount -t sysfs sysfs /sys; ip link add br-test type bridge; ip link set br-test up"),
        Fault("firewall", "failure", firewall("udp sport 5353 accept")),
        Fault("firewall", "failure", firewall("meta l4proto ipv6-icmp accept")),
        Fault(
            "connection-tracking", "warning",
            firewall("meta l4proto ipv6-icmp accept", "udp sport 5353 accept")
                + "\necho 120 > /proc/sys/net/netfilter/nf_conntrack_udp_timeout_stream"),
        Fault("bus", "failure", "export DBUS_SYSTEM_BUS_ADDRESS=unix:path=/nowhere"),
        Fault("responder", "failure", kill),
        Fault("second-responder", "warning", "\"$PYTHON\" \"$LAB/second_responder.py\" & sleep 0.7"),
        Fault("responder-configuration", "failure", configuration("use-ipv6=no")),
        Fault("responder-configuration", "failure", configuration("deny-interfaces=mt0")),
        Fault("responder-configuration", "warning", configuration("enable-reflector=yes")),
        Fault("clock", "failure", "\"$BINARY\" fabric create home > /dev/null", prefix: "faketime -f -1d"),
        Fault("runtime-folder", "note", "unset XDG_RUNTIME_DIR"),
        Fault("open-files", "warning", "ulimit -n 100"),
        Fault(
            "state-folder", "failure",
            "\"$BINARY\" fabric create home > /dev/null; for f in \"$MATTERCTL_HOME\"/fabrics/home/fabric.*; do echo > $f; done"
        ),
        Fault("backup", "note", "\"$BINARY\" fabric create home > /dev/null"),
    ]

    /// The far host acts as our own node.
    private static let twin = """
        "$BINARY" fabric create home > /dev/null
        ids=$("$BINARY" fabric show --json | "$PYTHON" -c '
        import json, sys
        fabric = json.load(sys.stdin)
        print(fabric["compressedFabricId"], fabric["nodeId"])')
        $MATTERCTL_FAR "$PYTHON" "$LAB/twin.py" $ids fd77::2 > "$WORK/twin.log" 2>&1 &
        n=0
        until grep -q ready "$WORK/twin.log"; do
            n=$((n + 1)); [ $n -lt 200 ] || { cat "$WORK/twin.log" >&2; exit 99; }; sleep 0.05
        done
        """

    private static let networkFaults: [Fault] = [
        Fault("multicast", "failure", firewall("meta l4proto ipv6-icmp accept", "udp dport 5353 accept")),
        Fault("own-node", "warning", twin),
        Fault("border-routers", "failure", "stop; router one --txt sb=00000008"),
        Fault("thread-networks", "warning", "router two --txt xp=0102030405060708"),
        Fault("thread-networks", "note", "router two --txt xp=0102030405060708 --txt nn=6174746963"),
        Fault("thread-partitions", "failure", "router two --txt pt=00000001"),
        Fault("thread-datasets", "warning", "router two --txt at=0000000000990000"),
        Fault("thread-routes", "failure", "ip -6 route del fd3d:77:0:1::/64"),
        Fault(
            "thread-routes", "failure", "ip -6 route del fd3d:77:0:1::/64; ip -6 route add default via fd77::2 dev mt0"),
    ]

    /// A laboratory whose far host is a border router, by another program than ours, and on whose near host everything is
    /// as it should be, but for what cannot be had there.
    private static let preamble = """
        router() {
            name=$1; shift
            $MATTERCTL_FAR "$PYTHON" "$LAB/border_router.py" --instance "$name" --address fd77::2 --rest none \\
                --dataset "@$WORK/dataset" "$@" > "$WORK/$name.log" 2>&1 &
            echo $! > "$WORK/$name.pid"
            n=0
            until grep -q ready "$WORK/$name.log"; do
                n=$((n + 1)); [ $n -lt 200 ] || { cat "$WORK/$name.log" >&2; exit 99; }; sleep 0.05
            done
        }
        stop() { kill "$(cat "$WORK/one.pid")"; sleep 1.5; }
        "$BINARY" thread dataset make --name mesh --out "$WORK/dataset"
        echo 64 > \(settings)/accept_ra_rt_info_max_plen
        tracking=/proc/sys/net/netfilter/nf_conntrack_udp_timeout_stream
        [ ! -e $tracking ] || echo 3600 > $tracking
        ip -6 route add fd3d:77:0:1::/64 via fd77::2 dev mt0
        router one
        """

    /// The checks by their names, as `doctor` tells them.
    private func checks(_ fault: Fault) async throws -> (checks: [String: JSON], run: Child, status: Int32) {
        let matterctl = try MatterCtl()
        var environment = Laboratory.environment
        environment["MATTERCTL_HOME"] = matterctl.home.path
        environment["XDG_STATE_HOME"] = matterctl.folder.file("xdg-state").path
        environment["BINARY"] = Laboratory.binary.path
        environment["PYTHON"] = Laboratory.python.path
        environment["WORK"] = matterctl.folder.url.path
        environment["LAB"] = Laboratory.scripts.path
        let script = """
            \(Self.preamble)
            \(fault.commands)
            exec \(fault.prefix) "$BINARY" doctor \(fault.words) --json
            """
        let child = try Child(
            Laboratory.scripts.appendingPathComponent("lab.sh"),
            [matterctl.folder.file("lab").path, "sh", "-euc", script], environment: environment,
            folder: matterctl.folder)
        let status = await child.status()
        let text = try #require(child.stdout.split(separator: "\n").last.map(String.init), "\(child.stderr)")
        let list = try JSON(parsing: text)["checks"]?.elements ?? []
        let named = list.map { ($0["check"]?.string ?? "", $0) }
        return (Dictionary(named, uniquingKeysWith: { first, _ in first }), child, status)
    }

    @Test("where nothing is broken no check fails, and none warns")
    func sound() async throws {
        let (checks, run, status) = try await checks(Fault("", "", ""))
        #expect(status == 0, "\(run.stderr)")
        #expect(checks.count == 33)
        // These depend on the machine that the laboratory is on, and on the day.
        let free: Set<String> = [
            "bluetooth", "clock-synchronization", "container-networks", "trust-data", "state-folder", "bridge-snooping",
        ]
        for (name, check) in checks {
            let verdict = check["verdict"]?.string ?? ""
            #expect(free.contains(name) ? verdict != "failure" : verdict == "ok", "\(check)")
        }
    }

    @Test("what is broken on the machine is found by its check, with a cure", arguments: hostFaults)
    func host(_ fault: Fault) async throws { try await isFound(fault) }

    @Test("what is broken in the network is found by its check, with a cure", arguments: networkFaults)
    func network(_ fault: Fault) async throws { try await isFound(fault) }

    private func isFound(_ fault: Fault) async throws {
        let (checks, run, status) = try await checks(fault)
        let check = try #require(checks[fault.check], "\(run.stderr)")
        #expect(check["verdict"]?.string == fault.verdict, "\(check)\n\(run.stderr)")
        #expect(check["cure"]?.string?.isEmpty == false, "\(check)")
        #expect(status == (checks.values.contains { $0["verdict"]?.string == "failure" } ? 12 : 0), "\(run.stderr)")
    }
}

/// The way to a node, broken at one place.
@Suite("Doctor of a node", .enabled(if: Laboratory.isHere), .laboratorySlot) struct DoctorNodeTests {
    struct Fault: Sendable, CustomTestStringConvertible {
        let check: String
        let verdict: String
        let commands: String
        /// Put before the device's program.
        let device: String
        /// Options of the device.
        let options: String
        var testDescription: String { "\(check): \(verdict): \(commands)\(device)\(options)" }

        init(_ check: String, _ verdict: String, _ commands: String = "", device: String = "", options: String = "") {
            (self.check, self.verdict, self.commands, self.device, self.options) =
                (check, verdict, commands, device, options)
        }
    }

    private static let drop = """
        nft add table inet f
        nft 'add chain inet f input { type filter hook input priority 0; }'
        nft add rule inet f input udp sport 5540 drop
        """

    private static let faults: [Fault] = [
        Fault("advertisement", "failure", "kill $(cat \"$WORK/device.pid\"); sleep 1"),
        Fault("session", "failure", "kill $(cat \"$WORK/device.pid\"); sleep 1"),
        Fault("datagram", "failure", drop),
        Fault("session", "failure", drop),
        Fault(
            "route", "warning",
            "$MATTERCTL_FAR sh -c 'ip addr add fd99::2/64 dev mt0 nodad; ip addr del fd77::2/64 dev mt0'; sleep 3"),
        Fault("advertisement", "warning", "kill $(cat \"$WORK/far/avahi.pid\"); sleep 1"),
        Fault("fabrics", "note", options: "--fabrics 1"),
    ]

    /// A light on the far host with a responder of its own, found by mDNS.
    private func checks(_ fault: Fault) async throws -> (checks: [String: JSON], run: Child, status: Int32) {
        let matterctl = try MatterCtl()
        var environment = Laboratory.environment
        environment["MATTERCTL_HOME"] = matterctl.home.path
        environment["XDG_STATE_HOME"] = matterctl.folder.file("xdg-state").path
        environment["BINARY"] = Laboratory.binary.path
        environment["WORK"] = matterctl.folder.url.path
        environment["LAB"] = Laboratory.scripts.path
        let script = """
            mkdir "$WORK/far" "$WORK/trust"
            $MATTERCTL_FAR "$LAB/avahi.sh" "$WORK/far" mt0
            (. "$WORK/far/env"
            exec $MATTERCTL_FAR \(fault.device) "$BINARY" simulate dimmable-light --json --state "$WORK/device" \\
                --paa-out "$WORK/trust/paa.der" \(fault.options)) > "$WORK/events" &
            echo $! > "$WORK/device.pid"
            until grep -qs '"ready"' "$WORK/events"; do sleep 0.05; done
            code=$(sed -n 's/.*"qrCode":"\\([^"]*\\)".*/\\1/p' "$WORK/events")
            "$BINARY" commission "$code" --trust "$WORK/trust" --allow-test-devices --name far --progress none
            "$BINARY" read far 1/on-off/on-off
            \(fault.commands)
            exec "$BINARY" doctor far --timeout 8s --json
            """
        let child = try Child(
            Laboratory.scripts.appendingPathComponent("lab.sh"),
            [matterctl.folder.file("lab").path, "sh", "-euc", script], environment: environment,
            folder: matterctl.folder)
        let status = await child.status()
        let text = try #require(child.stdout.split(separator: "\n").last.map(String.init), "\(child.stderr)")
        let list = try JSON(parsing: text)["checks"]?.elements ?? []
        let named = list.map { ($0["check"]?.string ?? "", $0) }
        return (Dictionary(named, uniquingKeysWith: { first, _ in first }), child, status)
    }

    @Test("a node that is well fails no check, and none warns")
    func sound() async throws {
        let (checks, run, status) = try await checks(Fault("", ""))
        #expect(status == 0, "\(run.stderr)")
        for check in checks.values {
            let verdict = check["verdict"]?.string ?? ""
            #expect(["ok", "note", "not checked"].contains(verdict), "\(check)")
        }
        for name in ["advertisement", "addresses", "route", "datagram", "session", "fabrics"] {
            #expect(checks[name]?["verdict"]?.string == "ok", "\(checks[name] as Any)")
        }
    }

    @Test("what is broken on the way is found where it is", arguments: faults)
    func broken(_ fault: Fault) async throws {
        let (checks, run, status) = try await checks(fault)
        let check = try #require(checks[fault.check], "\(run.stderr)")
        #expect(check["verdict"]?.string == fault.verdict, "\(check)\n\(run.stderr)")
        #expect(status == (checks.values.contains { $0["verdict"]?.string == "failure" } ? 12 : 0), "\(run.stderr)")
    }

    @Test("nodes of a described network: a weak parent, a router with a child that is far away, an access point")
    func radio() async throws {
        let matterctl = try MatterCtl()
        let file = matterctl.folder.file("mesh.json")
        let mesh = """
            {"thread": [{"name": "home", "extendedPanId": "1122334455667788", "panId": 4660, "channel": 15,
              "partition": 305419896,
              "devices": [{"name": "hall", "role": "leader", "router": 1}, {"name": "lamp", "role": "router", "router": 2},
                {"name": "door", "role": "sleepy", "parent": "lamp"}, {"name": "gate", "role": "sleepy", "parent": "lamp"}],
              "links": [{"devices": ["hall", "lamp"]}, {"devices": ["door", "lamp"], "lqi": [1, 3], "rssi": [-88, -60]},
                {"devices": ["lamp", "gate"], "lqi": [1, 3], "rssi": [-89, -60]}]}],
             "wifi": [{"ssid": "house", "bssid": "02000000011A", "channel": 6, "devices": [{"name": "plug", "rssi": -78}]}]}
            """
        try Data(mesh.utf8).write(to: file)
        var found: [String: [String: JSON]] = [:]
        for name in ["door", "lamp", "plug"] {
            let device = try await VirtualDevice.start("on-off-light", options: ["--mesh", file.path, "--as", name])
            defer { device.stop() }
            try await matterctl.commission(device, ["--name", name])
            let run = try await matterctl.run(["doctor", name, "--address", device.address, "--json"])
            for check in try run.json()["checks"]?.elements ?? [] {
                found[name, default: [:]][check["check"]?.string ?? ""] = check
            }
        }
        func check(_ name: String, _ kind: String) throws -> (verdict: String?, seen: String) {
            let check = try #require(found[name]?[kind], "\(name) \(kind): \(found[name]?.keys.sorted() ?? [])")
            return (check["verdict"]?.string, check["seen"]?.string ?? "")
        }
        let parent = try check("door", "thread-parent")
        #expect(parent.verdict == "warning" && parent.seen.hasPrefix("0x0800, link quality 1, -88 dBm"), "\(parent)")
        #expect(try check("door", "thread-neighbours").verdict == "ok")
        #expect(try check("lamp", "thread-parent").seen.contains("no parent"))
        let neighbours = try check("lamp", "thread-neighbours")
        #expect(
            neighbours.verdict == "warning" && neighbours.seen.hasPrefix("1 router, 2 children (2 asleep); weak: 0x08"))
        #expect(neighbours.seen.contains("link quality 1, -89 dBm") && !neighbours.seen.contains("-60 dBm"))
        #expect(try check("lamp", "access-point").seen == "the node is not on Wi-Fi")
        let point = try check("plug", "access-point")
        #expect(point.seen.hasPrefix("02:00:00:00:01:1a, channel 6, -78 dBm"), "\(point)")
        #expect(try check("plug", "wifi-signal").verdict == "warning")
        #expect(try check("plug", "wifi-connection").seen == "its log tells of no lost connection")
    }

    @Test("a light of another make is examined, and a bundle without names has none of them")
    func foreign() async throws {
        let light = try await Light.start()
        defer { light.stop() }
        let matterctl = try MatterCtl()
        try await matterctl.commission(light, nil, ["--name", "pantry", "--room", "Cellar"])
        let file = matterctl.folder.file("bundle.json")
        let run = try await matterctl.run(["doctor", "pantry", "--bundle", file.path, "--anonymous", "--json"])
        let checks = try run.json()["checks"]?.elements ?? []
        let session = checks.first { $0["check"]?.string == "session" }
        #expect(session?["verdict"]?.string == "ok", "\(run)")
        let text = try String(contentsOf: file, encoding: .utf8)
        for word in ["pantry", "Cellar", "fd77::", "10.77.0", light.qrCode, "\(light.passcode)"] {
            #expect(!text.contains(word), "\(word)")
        }
        #expect(text.contains("\"check\":\"session\"") && text.contains("\"check\":\"ipv6\""))
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        // A second one would overwrite what the first has seen.
        #expect(try await matterctl.run(["doctor", "--bundle", file.path]).status == 10)
    }
}

/// The commands that the administrator of a machine allows.
@Suite("The policy of a machine", .enabled(if: Laboratory.isHere), .laboratorySlot) struct MachinePolicyTests {
    @Test("only what the policy lists runs; a policy that others may write to lets nothing run")
    func policy() async throws {
        let matterctl = try MatterCtl()
        var environment = Laboratory.environment
        environment["MATTERCTL_HOME"] = matterctl.home.path
        environment["BINARY"] = Laboratory.binary.path
        environment["WORK"] = matterctl.folder.url.path
        let script = """
            mkdir -p "$WORK/etc"
            mount -t tmpfs tmpfs "$WORK/etc" && cp -a /etc/passwd /etc/group "$WORK/etc"
            mkdir "$WORK/etc/matterctl"
            mount --bind "$WORK/etc" /etc
            try() { if "$BINARY" "$@" > /dev/null 2> "$WORK/said"; then echo "$1 0"; else echo "$1 $? $(cat "$WORK/said")"; fi; }
            try fabric create home
            echo '{"version":1,"allow":["fabric ls"]}' > /etc/matterctl/policy.json
            chmod 644 /etc/matterctl/policy.json
            try fabric ls
            try fabric create other
            try toggle lamp
            chmod 666 /etc/matterctl/policy.json
            try fabric ls
            chmod 644 /etc/matterctl/policy.json
            echo '{"version":1,"allow":["fabric ls"],"nodes":["lamp"]}' > /etc/matterctl/policy.json
            try fabric ls
            """
        let child = try Child(
            Laboratory.scripts.appendingPathComponent("lab.sh"),
            [matterctl.folder.file("lab").path, "sh", "-euc", script], environment: environment,
            folder: matterctl.folder)
        #expect(await child.status() == 0, "\(child.stderr)")
        let lines = child.stdout.split(separator: "\n").filter { !$0.hasPrefix("hint") }.map(String.init)
        #expect(lines.count == 6, "\(lines)")
        guard lines.count == 6 else { return }
        #expect(lines[0] == "fabric 0" && lines[1] == "fabric 0", "\(lines)")
        #expect(lines[2].hasPrefix("fabric 10") && lines[2].contains("'fabric create' is not allowed"), "\(lines)")
        #expect(lines[3].hasPrefix("toggle 10") && lines[3].contains("'toggle' is not allowed"), "\(lines)")
        #expect(lines[4].hasPrefix("fabric 10") && lines[4].contains("belong to root"), "\(lines)")
        #expect(lines[5].hasPrefix("fabric 10") && lines[5].contains("'nodes' is not known"), "\(lines)")
    }

    @Test("an entry for some nodes lets its command reach these alone, and refuses before anything is sent")
    func limitedToNodes() async throws {
        let (lamp, other) = (try await VirtualDevice.start(), try await VirtualDevice.start())
        let door = try await VirtualDevice.start("door-lock")
        defer { for device in [lamp, other, door] { device.stop() } }
        let matterctl = try MatterCtl()
        try await matterctl.commission(lamp, ["--name", "lamp"])
        try await matterctl.commission(other, ["--name", "other"])
        try await matterctl.commission(door, ["--name", "door"])
        var environment = matterctl.environment
        environment["MATTERCTL_HOME"] = matterctl.home.path
        environment["BINARY"] = Laboratory.binary.path
        environment["WORK"] = matterctl.folder.url.path
        let script = """
            mkdir -p "$WORK/etc"
            mount -t tmpfs tmpfs "$WORK/etc" && cp -a /etc/passwd /etc/group "$WORK/etc"
            mkdir "$WORK/etc/matterctl"
            mount --bind "$WORK/etc" /etc
            cat > /etc/matterctl/policy.json <<END
            {"version":1,"allow":["node ls",{"command":"toggle","nodes":["lamp"]},{"command":"read","types":["door-lock"]},
             {"command":"node show","nodes":["lamp"]}]}
            END
            chmod 644 /etc/matterctl/policy.json
            try() { if "$BINARY" "$@" > /dev/null 2> "$WORK/said"; then echo "0 $*"; else echo "$? $* $(head -1 "$WORK/said")"; fi; }
            try toggle lamp
            try toggle other
            try toggle lamp other
            try toggle --all
            try toggle nothing
            try read door 1/door-lock/lock-state
            try read lamp 1/on-off/on-off
            try node show lamp
            try off lamp
            """
        let child = try Child(
            URL(fileURLWithPath: "/usr/bin/env"), ["unshare", "-m", "sh", "-euc", script], environment: environment,
            folder: matterctl.folder)
        #expect(await child.status() == 0, "\(child.stderr)")
        let lines = child.stdout.split(separator: "\n").map(String.init)
        #expect(lines.count == 9, "\(lines)")
        guard lines.count == 9 else { return }
        #expect(lines[0] == "0 toggle lamp" && lines[5] == "0 read door 1/door-lock/lock-state", "\(lines)")
        for (line, words) in [
            (1, "for node 'other' by /etc/matterctl/policy.json"), (2, "'toggle' is not allowed for node 'other'"),
            (3, "'toggle' is not allowed for node"), (6, "'read' is not allowed for node 'lamp'"),
            (7, "'node show' cannot be limited to nodes"), (8, "'off' is not allowed here"),
        ] {
            #expect(lines[line].hasPrefix("10 ") && lines[line].contains(words), "\(line): \(lines)")
        }
        #expect(lines[4].hasPrefix("3 "), "an unknown name: \(lines)")
        #expect(lamp.switchings == 1 && other.switchings == 0)
    }
}
