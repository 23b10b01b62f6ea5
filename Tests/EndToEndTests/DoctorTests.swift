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
        /// The words of the cure as commands; `nil` where it cannot be done in a laboratory.
        let cure: String?
        /// Whether a node is on Thread.
        var hasThreadNode = false
        var testDescription: String { "\(check): \(verdict): \(commands)" }

        init(
            _ check: String, _ verdict: String, _ commands: String, prefix: String = "", cure: String? = nil,
            hasThreadNode: Bool = false
        ) {
            (self.check, self.verdict, self.commands, self.prefix) = (check, verdict, commands, prefix)
            self.cure = cure
            self.hasThreadNode = hasThreadNode
        }
    }

    private static let settings = "/proc/sys/net/ipv6/conf/mt0"
    private static let kill = "kill $(cat \"$MATTERCTL_LAB_DIR/avahi.pid\"); sleep 0.3"

    /// The commands that the cure itself has, as `doctor` told them.
    private static func typed(_ check: String) -> String {
        "typed=$(\"$PYTHON\" \"$LAB/cure.py\" \(check) < \"$WORK/first\"); echo \"$typed\"; eval \"$typed\""
    }

    /// A firewall with these rules, in the words of nft.
    private static func firewall(_ rules: String...) -> String {
        let first = [
            "nft add table inet filter",
            "nft 'add chain inet filter input { type filter hook input priority 0; policy drop; }'",
            "nft add rule inet filter input iif lo accept",
        ]
        return (first + rules.map { "nft add rule inet filter input \($0)" }).joined(separator: "\n")
    }

    private static func configuration(_ line: String) -> String {
        "echo '\(line)' > \"$WORK/avahi.conf\"; mount --bind \"$WORK/avahi.conf\" /etc/avahi/avahi-daemon.conf"
    }

    /// The kernel needs a moment for addresses of an interface that has come up.
    private static let settling = "; sleep 2"

    private static let hostFaults: [Fault] = [
        Fault("interface", "failure", "ip link set mt0 down", cure: typed("interface") + settling),
        Fault("interface", "failure", "ip link set mt0 multicast off", cure: typed("interface")),
        Fault("ipv6", "failure", "echo 1 > \(settings)/disable_ipv6", cure: typed("ipv6") + settling),
        Fault(
            "duplicate-address", "failure", "echo 1 > \(settings)/accept_dad; ip addr add fd77::2/64 dev mt0; sleep 3",
            cure: "ip addr del fd77::2/64 dev mt0"),
        Fault("host-address", "note", "ip addr del fd77::1/64 dev mt0"),
        Fault(
            "router-advertisements", "warning", "echo 0 > \(settings)/accept_ra",
            cure: typed("router-advertisements")),
        Fault(
            "router-advertisements", "warning", "echo 1 > \(settings)/forwarding",
            cure: typed("router-advertisements")),
        Fault("forwarding", "note", "echo 1 > \(settings)/forwarding", cure: typed("forwarding")),
        Fault(
            "route-information", "note", "echo 0 > \(settings)/accept_ra_rt_info_max_plen",
            cure: typed("route-information")),
        Fault(
            "bridge-snooping", "note",
            "mount -t sysfs sysfs /sys; ip link add br-test type bridge; ip link set br-test up",
            cure: typed("bridge-snooping")),
        Fault(
            "firewall", "failure", firewall("ct state established accept", "udp sport 5353 accept"),
            cure: typed("firewall")),
        Fault(
            "firewall", "failure", firewall("ct state established accept", "meta l4proto ipv6-icmp accept"),
            cure: typed("firewall")),
        Fault(
            "firewall", "failure", firewall("udp sport 5353 accept", "meta l4proto ipv6-icmp accept"),
            cure: typed("firewall")),
        Fault(
            "firewall", "failure",
            "nft add table inet own\nnft 'add chain inet own output { type filter hook output priority 0; }'\n"
                + "nft add rule inet own output udp dport 5540 drop", cure: "nft delete table inet own"),
        Fault(
            "connection-tracking", "warning",
            firewall("ct state established accept", "meta l4proto ipv6-icmp accept", "udp sport 5353 accept")
                + "\necho 120 > /proc/sys/net/netfilter/nf_conntrack_udp_timeout_stream",
            cure: typed("connection-tracking")),
        Fault(
            "bus", "failure", "sound=$DBUS_SYSTEM_BUS_ADDRESS; export DBUS_SYSTEM_BUS_ADDRESS=unix:path=/nowhere",
            cure: "DBUS_SYSTEM_BUS_ADDRESS=$sound"),
        Fault("responder", "failure", kill, cure: typed("responder")),
        Fault(
            "second-responder", "warning", "\"$PYTHON\" \"$LAB/second_responder.py\" & other=$!; sleep 0.7",
            cure: "kill $other; sleep 0.3"),
        Fault(
            "responder-configuration", "failure", configuration("use-ipv6=no"), cure: typed("responder-configuration")),
        Fault(
            "responder-configuration", "failure", configuration("deny-interfaces=mt0"),
            cure: typed("responder-configuration")),
        Fault(
            "responder-configuration", "warning", configuration("enable-reflector=yes"),
            cure: typed("responder-configuration")),
        Fault(
            "clock", "failure", "\"$BINARY\" fabric create home > /dev/null", prefix: "faketime -f -1d", cure: "true"),
        Fault(
            "runtime-folder", "note", "unset XDG_RUNTIME_DIR",
            cure: "mkdir -p \"$WORK/memory\"; mount -t tmpfs -o mode=700 tmpfs \"$WORK/memory\"; "
                + "export XDG_RUNTIME_DIR=$WORK/memory"),
        Fault("open-files", "warning", "ulimit -Sn 100", cure: typed("open-files")),
        Fault(
            "state-folder", "failure",
            "\"$BINARY\" fabric create home > /dev/null; cp -a \"$MATTERCTL_HOME\" \"$WORK/whole\"; "
                + "for f in \"$MATTERCTL_HOME\"/fabrics/home/fabric.*; do echo > $f; done",
            cure: "cp -a \"$WORK/whole/.\" \"$MATTERCTL_HOME\""),
        Fault("backup", "note", "\"$BINARY\" fabric create home > /dev/null", cure: typed("backup")),
    ]

    /// The same where nodes are on Thread, which cannot be reached then.
    private static let threadFaults: [Fault] = [
        Fault(
            "host-address", "failure", "ip addr del fd77::1/64 dev mt0", cure: "ip addr add fd77::1/64 dev mt0 nodad",
            hasThreadNode: true),
        Fault(
            "router-advertisements", "failure", "echo 0 > \(settings)/accept_ra", cure: typed("router-advertisements"),
            hasThreadNode: true),
        Fault(
            "route-information", "failure", "echo 0 > \(settings)/accept_ra_rt_info_max_plen",
            cure: typed("route-information"), hasThreadNode: true),
        Fault("border-routers", "failure", "stop", cure: "router one", hasThreadNode: true),
    ]

    /// The far host acts as our own node.
    private static let twin = """
        "$BINARY" fabric create home > /dev/null
        ids=$("$BINARY" fabric show --json | "$PYTHON" -c '
        import json, sys
        fabric = json.load(sys.stdin)
        print(fabric["compressedFabricId"], fabric["nodeId"])')
        $MATTERCTL_FAR "$PYTHON" "$LAB/twin.py" $ids fd77::2 > "$WORK/twin.log" 2>&1 &
        twin=$!
        n=0
        until grep -q ready "$WORK/twin.log"; do
            n=$((n + 1)); [ $n -lt 200 ] || { cat "$WORK/twin.log" >&2; exit 99; }; sleep 0.05
        done
        """

    /// Ends a border router; it says goodbye, which takes a moment.
    private static func end(_ name: String) -> String { "kill \"$(cat \"$WORK/\(name).pid\")\"; sleep 1.5" }

    private static let networkFaults: [Fault] = [
        Fault(
            "multicast", "failure",
            firewall("ct state established accept", "meta l4proto ipv6-icmp accept", "udp dport 5353 accept"),
            cure: "nft insert rule inet filter input udp sport 5353 accept"),
        Fault("own-node", "warning", twin, cure: "kill $twin; sleep 1.5"),
        Fault("border-routers", "failure", "stop; router one --txt sb=00000008", cure: "stop; router one"),
        Fault("thread-networks", "warning", "router two --txt xp=0102030405060708", cure: end("two")),
        Fault("thread-networks", "note", "router two --txt xp=0102030405060708 --txt nn=6174746963", cure: end("two")),
        Fault("thread-partitions", "failure", "router two --txt pt=00000001", cure: end("two") + "; router two"),
        Fault("thread-datasets", "warning", "router two --txt at=0000000000990000", cure: end("two") + "; router two"),
        Fault(
            "thread-routes", "failure", "ip -6 route del fd3d:77:0:1::/64",
            cure: "ip -6 route add fd3d:77:0:1::/64 via fd77::2 dev mt0"),
        Fault(
            "thread-routes", "failure", "ip -6 route del fd3d:77:0:1::/64; ip -6 route add default via fd77::2 dev mt0",
            cure: "ip -6 route add fd3d:77:0:1::/64 via fd77::2 dev mt0"),
    ]

    /// A laboratory whose far host is a border router, by another program than ours, and on whose near host everything is
    /// as it should be, but for what cannot be had there. The service manager knows avahi-daemon alone, that of the laboratory.
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
        systemctl() {
            case "$*" in
            *avahi-daemon) kill "$(cat "$MATTERCTL_LAB_DIR/avahi.pid")" 2> /dev/null || true ;;
            *) echo "systemctl $*: not here" >&2; return 1 ;;
            esac
            sleep 0.3
            "$LAB/avahi.sh" "$WORK/again" mt0 && . "$WORK/again/env"
        }
        mkdir "$WORK/again"
        "$BINARY" thread dataset make --name mesh --out "$WORK/dataset"
        echo 64 > \(settings)/accept_ra_rt_info_max_plen
        tracking=/proc/sys/net/netfilter/nf_conntrack_udp_timeout_stream
        [ ! -e $tracking ] || echo 3600 > $tracking
        ip -6 route add fd3d:77:0:1::/64 via fd77::2 dev mt0
        router one
        """

    /// A node on the described Thread network.
    private static let threadNode = """
        cat > "$WORK/mesh.json" <<'END'
        {"thread": [{"name": "mesh", "extendedPanId": "1122334455667788", "panId": 4660, "channel": 15,
         "devices": [{"name": "hall", "role": "leader", "router": 1}, {"name": "door", "role": "sleepy", "parent": "hall"}]}]}
        END
        mkdir "$WORK/trust"
        "$BINARY" simulate contact-sensor --mesh "$WORK/mesh.json" --as door --json --state "$WORK/device" --port 5577 \\
            --mdns none --paa-out "$WORK/trust/paa.der" > "$WORK/events" &
        n=0
        until grep -qs '"ready"' "$WORK/events"; do
            n=$((n + 1)); [ $n -lt 200 ] || { cat "$WORK/events" >&2; exit 99; }; sleep 0.05
        done
        code=$(sed -n 's/.*"qrCode":"\\([^"]*\\)".*/\\1/p' "$WORK/events")
        "$BINARY" commission "$code" --address '[::1]:5577' --trust "$WORK/trust" --allow-test-devices --name door \\
            --progress none > /dev/null
        "$BINARY" fabric backup --to "$WORK/before" --plain --yes > /dev/null
        """

    /// The answer of `doctor` to a fault.
    private struct Outcome {
        /// The checks by their names.
        var checks: [String: JSON]
        var status: Int32
        /// The checks once the cure was done; `nil` without one.
        var cured: [String: JSON]?
        var child: Child
    }

    /// A laboratory of its own that runs a script.
    private func laboratory(_ script: String, _ matterctl: MatterCtl) throws -> Child {
        var environment = Laboratory.environment
        environment["MATTERCTL_HOME"] = matterctl.home.path
        environment["XDG_STATE_HOME"] = matterctl.folder.file("xdg-state").path
        environment["BINARY"] = Laboratory.binary.path
        environment["PYTHON"] = Laboratory.python.path
        environment["WORK"] = matterctl.folder.url.path
        environment["LAB"] = Laboratory.scripts.path
        return try Child(
            Laboratory.scripts.appendingPathComponent("lab.sh"),
            [matterctl.folder.file("lab").path, "sh", "-euc", script], environment: environment,
            folder: matterctl.folder)
    }

    private func outcome(_ fault: Fault) async throws -> Outcome {
        let cure = fault.cure.map { "{ \($0)\n} >&2\n\"$BINARY\" doctor --json || true" } ?? ""
        let script = """
            \(Self.preamble)
            \(fault.hasThreadNode ? Self.threadNode : "")
            \(fault.commands)
            status=0
            \(fault.prefix) "$BINARY" doctor --json > "$WORK/first" || status=$?
            echo $status
            cat "$WORK/first"
            \(cure)
            """
        let matterctl = try MatterCtl()
        let child = try laboratory(script, matterctl)
        let end = await child.status()
        // The making of a dataset says something, too.
        let lines = child.stdout.split(separator: "\n").suffix(fault.cure == nil ? 2 : 3).map(String.init)
        try #require(end == 0 && lines.count == (fault.cure == nil ? 2 : 3), "\(end): \(child.stderr)")
        func checks(_ line: String) throws -> [String: JSON] {
            let list = try JSON(parsing: line)["checks"]?.elements ?? []
            return Dictionary(list.map { ($0["check"]?.string ?? "", $0) }, uniquingKeysWith: { first, _ in first })
        }
        return Outcome(
            checks: try checks(lines[1]), status: try #require(Int32(lines[0])),
            cured: fault.cure == nil ? nil : try checks(lines[2]), child: child)
    }

    @Test("where nothing is broken no check fails, and none warns", arguments: [false, true])
    func sound(hasThreadNode: Bool) async throws {
        let outcome = try await outcome(Fault("", "", "", hasThreadNode: hasThreadNode))
        #expect(outcome.status == 0, "\(outcome.child.stderr)")
        #expect(outcome.checks.count == 33)
        // These depend on the machine that the laboratory is on, and on the day.
        var free: Set<String> = [
            "bluetooth", "clock-synchronization", "container-networks", "trust-data", "state-folder", "bridge-snooping",
        ]
        // A house has one border router, and that is said.
        if hasThreadNode { free.insert("border-routers") }
        for (name, check) in outcome.checks {
            let verdict = check["verdict"]?.string ?? ""
            #expect(free.contains(name) ? verdict != "failure" : verdict == "ok", "\(check)")
        }
    }

    @Test("what is broken on the machine is found by its check, and its cure mends it", arguments: hostFaults)
    func host(_ fault: Fault) async throws { try await isFound(fault) }

    @Test("it is a failure where nodes are on Thread", arguments: threadFaults)
    func thread(_ fault: Fault) async throws { try await isFound(fault) }

    @Test("what is broken in the network is found by its check, and its cure mends it", arguments: networkFaults)
    func network(_ fault: Fault) async throws { try await isFound(fault) }

    private func isFound(_ fault: Fault) async throws {
        let outcome = try await outcome(fault)
        let (checks, log) = (outcome.checks, outcome.child.stderr)
        let check = try #require(checks[fault.check], "\(log)")
        #expect(check["verdict"]?.string == fault.verdict, "\(check)\n\(log)")
        #expect(check["cure"]?.string?.isEmpty == false, "\(check)")
        #expect(outcome.status == (checks.values.contains { $0["verdict"]?.string == "failure" } ? 12 : 0), "\(log)")
        guard let cured = outcome.cured else { return }
        let after = try #require(cured[fault.check], "\(log)")
        // One border router of a house with nodes on Thread stays a note.
        let isWell = after["verdict"]?.string == "ok" || fault.hasThreadNode && after["verdict"]?.string == "note"
        #expect(isWell, "\(after)\n\(log)")
    }

    @Test("a bundle without names has none of border routers, networks, fabrics, groups and folders")
    func anonymous() async throws {
        let matterctl = try MatterCtl()
        let script = """
            \(Self.preamble)
            router 'Ada Speaker' --txt nn=4164612773206d657368 --txt pt=00000001
            "$BINARY" fabric create Seaside > /dev/null
            "$BINARY" group create Upstairs > /dev/null
            "$BINARY" fabric backup --to "$WORK/Adas-stick" --plain --yes > /dev/null
            "$BINARY" fabric create Broken > /dev/null
            "$BINARY" fabric use Seaside > /dev/null
            for f in "$MATTERCTL_HOME"/fabrics/Broken/fabric.*; do echo > $f; done
            "$BINARY" doctor --bundle "$WORK/named" > /dev/null || true
            "$BINARY" doctor --bundle "$WORK/bundle" --anonymous > /dev/null || true
            """
        let child = try laboratory(script, matterctl)
        #expect(await child.status() == 0, "\(child.stderr)")
        func text(_ name: String) throws -> String {
            try String(contentsOf: matterctl.folder.file(name), encoding: .utf8)
        }
        let (named, bundle) = (try text("named"), try text("bundle"))
        for word in ["Ada Speaker", "Ada's mesh", "Broken", "Adas-stick", "fd77::2"] {
            #expect(named.contains(word), "\(word) is seen by some check: \(named)")
            #expect(!bundle.contains(word), "\(word): \(bundle)")
        }
        for word in ["Ada", "mesh", "Seaside", "Upstairs", matterctl.home.path] { #expect(!bundle.contains(word)) }
        for text in [named, bundle] {
            for (name, forms) in try SecretRecords.all(below: matterctl.home) {
                for form in forms { #expect(!text.lowercased().contains(form), "\(name)") }
            }
        }
    }

    @Test("whatever it finds, doctor leaves the machine, its network and all records as they were")
    func changesNothing() async throws {
        let matterctl = try MatterCtl()
        let script = """
            \(Self.preamble)
            \(Self.threadNode)
            echo 0 > \(Self.settings)/accept_ra
            echo 1 > \(Self.settings)/forwarding
            state() {
                find "$MATTERCTL_HOME" "$XDG_RUNTIME_DIR" -type f -exec sha256sum {} + | sort -k 2
                grep -r . /proc/sys/net/ipv6/conf/mt0 2> /dev/null | sort
                cat /proc/sys/net/core/rmem_max /etc/avahi/avahi-daemon.conf
                nft list ruleset
                ip addr show dev mt0 | grep -v valid_lft
                ip -6 route
            }
            state > "$WORK/state-before"
            "$BINARY" doctor > /dev/null || true
            "$BINARY" doctor --strict --bundle "$WORK/bundle" > /dev/null || true
            state > "$WORK/state-after"
            diff "$WORK/state-before" "$WORK/state-after"
            wc -l < "$WORK/state-before"
            """
        let child = try laboratory(script, matterctl)
        #expect(await child.status() == 0, "\(child.stdout)\n\(child.stderr)")
        let lines = child.stdout.split(separator: "\n").last.flatMap { Int($0) } ?? 0
        #expect(lines > 60, "\(child.stdout)")
    }

    @Test("twenty checks are seen to fail, and the commands of fifteen cures, or what they say, to mend")
    func counts() {
        let all = Self.hostFaults + Self.threadFaults + Self.networkFaults
        let failing = Set(all.filter { $0.verdict == "failure" }.map(\.check))
        let ofNodes = Set(DoctorNodeTests.faults.filter { $0.verdict == "failure" }.map(\.check))
        #expect(failing.union(ofNodes).union(DoctorNodeTests.radioFailures).count >= 20)
        #expect(Set(all.filter { $0.verdict != "note" }.map(\.check)).count >= 20)
        let cured = all.filter { $0.cure != nil }
        #expect(Set(cured.map(\.check)).count >= 15)
        #expect(Set(cured.filter { $0.cure?.contains("cure.py") ?? false }.map(\.check)).count >= 12)
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

    /// The checks that fail in a described network, below.
    static let radioFailures: Set<String> = ["wifi-signal", "thread-parent"]

    static let faults: [Fault] = [
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
                {"name": "door", "role": "sleepy", "parent": "lamp"}, {"name": "gate", "role": "sleepy", "parent": "lamp"},
                {"name": "well", "role": "sleepy", "parent": "hall"}],
              "links": [{"devices": ["hall", "lamp"]}, {"devices": ["door", "lamp"], "lqi": [1, 3], "rssi": [-88, -60]},
                {"devices": ["well", "hall"], "lqi": [1, 1], "rssi": [-93, -92]},
                {"devices": ["lamp", "gate"], "lqi": [1, 3], "rssi": [-89, -60]}]}],
             "wifi": [{"ssid": "house", "bssid": "02000000011A", "channel": 6, "devices": [{"name": "plug", "rssi": -78},
               {"name": "roof", "rssi": -84}]}]}
            """
        try Data(mesh.utf8).write(to: file)
        var found: [String: [String: JSON]] = [:]
        for name in ["door", "lamp", "plug", "well", "roof"] {
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
        #expect(try check("roof", "wifi-signal").verdict == "failure")
        #expect(try check("well", "thread-parent").verdict == "failure")
        let (key, load) = (try check("plug", "identity-key"), try check("plug", "load"))
        #expect(key.verdict == "ok" && key.seen.hasSuffix("0 days old"), "\(key)")
        #expect(load.verdict == "ok" && load.seen.contains("messages received"), "\(load)")
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
        // One with names has no more secrets.
        let named = matterctl.folder.file("named.json")
        _ = try await matterctl.run(["doctor", "pantry", "--bundle", named.path])
        let whole = try String(contentsOf: named, encoding: .utf8)
        #expect(whole.contains("pantry"))
        let secrets = try SecretRecords.all(below: matterctl.home)
        #expect(secrets.count >= 4)
        for (name, forms) in secrets {
            for form in forms + [light.qrCode.lowercased(), "\(light.passcode)"] {
                #expect(!whole.lowercased().contains(form) && !text.lowercased().contains(form), "\(name)")
            }
        }
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
