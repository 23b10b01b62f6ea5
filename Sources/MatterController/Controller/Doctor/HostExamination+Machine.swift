import MatterState

/// Discovery, the clock, and what is kept.
extension HostExamination {
    private static let day: Int64 = 86_400

    // MARK: Discovery

    var discovery: [Check] { [bus, responder, secondResponder, responderConfiguration] }

    private var bus: Check {
        switch facts.service {
        case nil: Check(.bus, .notChecked, "addresses were given, so nothing is looked up")
        case .noBus(let reason): Check(.bus, .failure, reason, cure: .step("doctor.bus"))
        case .answers, .absent: Check(.bus, .ok, "the D-Bus system bus answers")
        }
    }

    private var responder: Check {
        switch facts.service {
        case nil: Check(.responder, .notChecked, "addresses were given, so nothing is looked up")
        case .answers: Check(.responder, .ok, "avahi-daemon answers")
        case .noBus: Check(.responder, .notChecked, "avahi-daemon is asked over the D-Bus system bus")
        case .absent(let reason): Check(.responder, .failure, reason, cure: .step("doctor.responder"))
        }
    }

    private var secondResponder: Check {
        guard let responders = facts.responders else {
            return Check(.secondResponder, .notChecked, "/proc/net/udp cannot be read")
        }
        let count = max(responders.count { $0.isIPv6 }, responders.count { !$0.isIPv6 })
        var names: [String] = []
        for responder in responders {
            let name = responder.program ?? "a program of user \(responder.user)"
            if !names.contains(name) { names.append(name) }
        }
        guard count > 1 else {
            return Check(
                .secondResponder, .ok,
                names.isEmpty ? "no program listens on port 5353" : "\(list(names)) alone listens on port 5353")
        }
        let isResolved = names.contains { $0.hasPrefix("systemd-resolve") }
        return Check(
            .secondResponder, .warning, "\(count) sockets share port 5353: \(list(names))",
            cure: .step(isResolved ? "doctor.second-responder-resolved" : "doctor.second-responder"))
    }

    private var responderConfiguration: Check {
        guard let text = facts.responderConfiguration else {
            return Check(.responderConfiguration, .notChecked, "/etc/avahi/avahi-daemon.conf cannot be read")
        }
        let avahi = AvahiConfiguration(text)
        guard avahi.usesIPv6 else {
            return Check(
                .responderConfiguration, .failure, "use-ipv6=no", cure: .step("doctor.responder-line", "use-ipv6=yes"))
        }
        guard avahi.hasBus else {
            return Check(
                .responderConfiguration, .failure, "enable-dbus=no",
                cure: .step("doctor.responder-line", "enable-dbus=yes"))
        }
        let names = facts.uplinks.map(\.name)
        if let allowed = avahi.allowed, !names.isEmpty, !names.contains(where: allowed.contains) {
            return Check(
                .responderConfiguration, .failure, "allow-interfaces=\(list(allowed)), without \(list(names))",
                cure: .step("doctor.responder-line", "allow-interfaces=\(names.joined(separator: ","))"))
        }
        if let denied = names.first(where: avahi.denied.contains) {
            return Check(
                .responderConfiguration, .failure, "deny-interfaces=\(list(avahi.denied))",
                cure: .step("doctor.responder-denied", denied))
        }
        if avahi.reflects {
            return Check(
                .responderConfiguration, .warning, "enable-reflector=yes: answers come twice, and old ones stay",
                cure: .step("doctor.responder-line", "enable-reflector=no"))
        }
        if let cache = avahi.cache, cache < max(1000, facts.nodeCount * 20) {
            return Check(
                .responderConfiguration, .warning, "cache-entries-max=\(cache) for \(facts.nodeCount) nodes",
                cure: .step("doctor.responder-line", "cache-entries-max=4096"))
        }
        if let objects = avahi.objects, objects < facts.nodeCount * 4 + 64 {
            return Check(
                .responderConfiguration, .warning, "objects-per-client-max=\(objects) for \(facts.nodeCount) nodes",
                cure: .step("doctor.responder-line", "objects-per-client-max=\(facts.nodeCount * 8 + 1024)"))
        }
        return Check(.responderConfiguration, .ok, "IPv6, no reflector, our interfaces")
    }

    // MARK: The machine

    var machine: [Check] {
        [
            clock, clockSynchronization, entropy, bluetooth, runtimeFolder, openFiles, stateFolder, trustData, backup,
            copies,
        ]
    }

    private var clock: Check {
        if let past = facts.past, facts.now < past.time - 3600 {
            return Check(
                .clock, .failure,
                "it is \(DayText.minute(facts.now)) by the clock of this host, but \(past.evidence) is of "
                    + DayText.minute(past.time), cure: .step("doctor.clock"))
        }
        if let hardware = facts.hardwareClock, abs(hardware - facts.now) > Self.day {
            return Check(
                .clock, .warning,
                "it is \(DayText.minute(facts.now)) by the clock of this host, and "
                    + "\(DayText.minute(hardware)) by that of its hardware", cure: .step("doctor.clock"))
        }
        return Check(.clock, .ok, DayText.minute(facts.now))
    }

    private var clockSynchronization: Check {
        switch facts.isClockSynchronized {
        case nil: Check(.clockSynchronization, .notChecked, "the kernel does not say")
        case true?: Check(.clockSynchronization, .ok, "the clock follows a time server")
        case false?:
            Check(
                .clockSynchronization, .note, "the clock follows no time server",
                cure: .step("doctor.clock-synchronization"))
        }
    }

    private var entropy: Check {
        switch facts.hasEntropy {
        case nil: Check(.entropy, .notChecked, "the kernel does not say")
        case true?: Check(.entropy, .ok, "the kernel gives random numbers")
        case false?:
            Check(.entropy, .failure, "the kernel has no random numbers yet", cure: .step("doctor.entropy"))
        }
    }

    private var bluetooth: Check {
        facts.adapters.isEmpty
            ? Check(
                .bluetooth, .note, "no Bluetooth adapter; it is needed for new devices that are on no network yet",
                cure: .step("doctor.bluetooth"))
            : Check(.bluetooth, .ok, list(facts.adapters))
    }

    private var runtimeFolder: Check {
        guard let obstacle = facts.obstacleToKeeping else {
            return Check(.runtimeFolder, .ok, "sessions are kept in memory from command to command")
        }
        return Check(
            .runtimeFolder, .note, "each command sets up a session: \(obstacle)", cure: .step("doctor.runtime-folder"))
    }

    private var openFiles: Check {
        guard let most = facts.mostOpenFiles else { return Check(.openFiles, .notChecked, "the kernel does not say") }
        guard most < 256 else { return Check(.openFiles, .ok, "\(most)") }
        return Check(
            .openFiles, .warning, "this process may open \(most) files", cure: .step("doctor.open-files"))
    }

    // MARK: What is kept

    private var stateFolder: Check {
        switch facts.state {
        case .absent: Check(.stateFolder, .note, "nothing is kept yet", cure: .step("node.commission"))
        case .sound: Check(.stateFolder, .ok, "it can be read, and by this user alone")
        case .fault(let reason): Check(.stateFolder, .failure, reason, cure: .step("doctor.state-folder"))
        }
    }

    private var trustData: Check {
        guard let date = facts.trustDate else {
            return Check(.trustData, .notChecked, "the trust data cannot be read", cure: .step("trust.update"))
        }
        let age = max(0, facts.now - date) / Self.day
        let seen = "of \(DayText.day(date)), \(age) days old"
        guard age > 90 else { return Check(.trustData, .ok, seen) }
        return Check(
            .trustData, .note, "\(seen): makers that came since are not known", cure: .step("trust.update"))
    }

    private var copies: Check {
        /// A machine that is still in use shows itself in this time.
        let concern = 30 * Self.day
        guard let before = facts.provenance else { return Check(.copies, .ok, "the fabric is used here only") }
        let came =
            before.way == .copy
            ? "noticed \(DayText.minute(before.at))" : "by an export of \(DayText.minute(before.at))"
        let seen = "the fabric was used \(before.words) before, \(came)"
        let names = [before.host].compactMap { $0 }
        guard facts.now - before.at < concern else { return Check(.copies, .ok, seen, names: names) }
        return Check(.copies, .note, seen, cure: .step("doctor.copies"), names: names)
    }

    private var backup: Check {
        switch facts.backup {
        case .noFabric: return Check(.backup, .ok, "there is no fabric to lose yet")
        case .none:
            return Check(
                .backup, facts.nodeCount > 0 ? .warning : .note, "there is no backup of the fabric's keys",
                cure: .step("doctor.backup"))
        case .made(let time, let place):
            let age = max(0, facts.now - time) / Self.day
            let seen = "\(place), \(age) days old"
            guard age > 30 else { return Check(.backup, .ok, seen, names: [place]) }
            return Check(.backup, .warning, seen, cure: .step("doctor.backup"), names: [place])
        }
    }
}
