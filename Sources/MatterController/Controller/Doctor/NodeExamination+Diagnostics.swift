import MatterState

/// The node's own diagnostics. The limits are those that practitioners use (docs/commands/doctor.md).
extension NodeExamination {
    var diagnostics: [Check] {
        [
            sessionTable, subscriptions, load, fabrics, wifiSignal, accessPoint, wifiConnection, threadLink,
            threadParent,
            threadNeighbours, radioErrors, reboots, faults, memory, battery, clock, certificate,
            identityKey, software,
        ]
    }

    // MARK: Radio

    private var wifiSignal: Check {
        guard let strength = facts.value(WiFiNetworkDiagnostics.rssi).flatMap({ $0 }) else {
            return facts.read == nil ? unread(.wifiSignal) : Check(.wifiSignal, .ok, "the node is not on Wi-Fi")
        }
        let channel = facts.value(WiFiNetworkDiagnostics.channelNumber).flatMap { $0 }
        let seen = "\(strength) dBm\(channel.map { ", channel \($0)" } ?? "")"
        return switch strength {
        case ..<(-80): Check(.wifiSignal, .failure, seen, cure: .step("doctor.wifi"))
        case ..<(-70): Check(.wifiSignal, .warning, seen, cure: .step("doctor.wifi"))
        default: Check(.wifiSignal, .ok, seen)
        }
    }

    private typealias Neighbor = ThreadNetworkDiagnostics.NeighborTable

    private var threadLink: Check {
        guard facts.read != nil else { return unread(.threadLink) }
        guard let role = facts.value(ThreadNetworkDiagnostics.routingRole).flatMap({ $0 }) else {
            return Check(.threadLink, .ok, "the node is not on Thread")
        }
        guard let neighbors = facts.entries(ThreadNetworkDiagnostics.neighborTable) else { return unread(.threadLink) }
        guard !neighbors.isEmpty else {
            return Check(
                .threadLink, .note, "the node (\(role)) names no neighbour", cure: .step("doctor.again", " \(label)"))
        }
        let best = neighbors.max { rank($0) < rank($1) }
        let quality = best?[Neighbor.Field.lqi] ?? 0
        let strength = best?[Neighbor.Field.averageRssi].map { Int($0) }
        let ways = neighbors.count { $0[Neighbor.Field.isChild] != true }
        let seen =
            "\(role), \(ways) \(ways == 1 ? "neighbour" : "neighbours"), the best with link quality \(quality)"
            + (strength.map { " and \($0) dBm" } ?? "")
        if quality == 0 || strength ?? 0 < -90 {
            return Check(.threadLink, .failure, seen, cure: .step("doctor.thread-link"))
        }
        if quality == 1 || strength ?? 0 < -85 {
            return Check(.threadLink, .warning, seen, cure: .step("doctor.thread-link"))
        }
        return Check(.threadLink, .ok, seen)
    }

    private func rank(_ neighbor: PartialStructure<Neighbor>) -> Int {
        Int(neighbor[Neighbor.Field.lqi] ?? 0) * 1000 + Int(neighbor[Neighbor.Field.averageRssi] ?? -128)
    }

    private var radioErrors: Check {
        guard facts.read != nil else { return unread(.radioErrors) }
        /// Fewer say nothing.
        let least: UInt32 = 100
        if let sent = facts.value(ThreadNetworkDiagnostics.txTotalCount), sent >= least {
            let retried = facts.value(ThreadNetworkDiagnostics.txRetryCount) ?? 0
            let busy = facts.value(ThreadNetworkDiagnostics.txErrCcaCount) ?? 0
            let seen = "of \(sent) frames \(retried) were sent again, \(busy) found the channel busy"
            let isBad = ratio(retried, sent) > 0.3 || ratio(busy, sent) > 0.1
            return isBad
                ? Check(.radioErrors, .warning, seen, cure: .step("doctor.radio-errors"))
                : Check(.radioErrors, .ok, seen)
        }
        if let lost = facts.value(WiFiNetworkDiagnostics.beaconLostCount).flatMap({ $0 }),
            let heard = facts.value(WiFiNetworkDiagnostics.beaconRxCount).flatMap({ $0 }), heard >= least
        {
            let seen = "\(lost) beacons lost, \(heard) heard"
            return ratio(lost, heard) > 0.05
                ? Check(.radioErrors, .warning, seen, cure: .step("doctor.radio-errors"))
                : Check(.radioErrors, .ok, seen)
        }
        return Check(.radioErrors, .notChecked, "the node does not count, or has sent too little")
    }

    private func ratio(_ part: UInt32, _ whole: UInt32) -> Double { Double(part) / Double(max(1, whole)) }

    // MARK: The device

    private var reboots: Check {
        guard let count = facts.value(GeneralDiagnostics.rebootCount) else { return unread(.reboots) }
        let up = facts.value(GeneralDiagnostics.upTime)
        let reason = facts.value(GeneralDiagnostics.bootReason)
        let seen =
            "started \(count == 1 ? "once" : "\(count) times")" + (up.map { ", up for \(Self.days($0))" } ?? "")
            + (reason.map { ", because of \($0)" } ?? "")
        switch reason {
        case .brownOutReset?: return Check(.reboots, .warning, seen, cure: .step("doctor.power"))
        case .softwareWatchdogReset?, .hardwareWatchdogReset?:
            return Check(.reboots, .warning, seen, cure: .step("doctor.firmware", label))
        default: return Check(.reboots, .ok, seen)
        }
    }

    static func days(_ seconds: UInt64) -> String {
        switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7200: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3600) h"
        default: "\(seconds / 86_400) days"
        }
    }

    private var faults: Check {
        guard facts.read != nil else { return unread(.faults) }
        let hardware = (facts.value(GeneralDiagnostics.activeHardwareFaults) ?? []).map { "\($0)" }
        let others =
            (facts.value(GeneralDiagnostics.activeRadioFaults) ?? []).map { "\($0)" }
            + (facts.value(GeneralDiagnostics.activeNetworkFaults) ?? []).map { "\($0)" }
        guard hardware.isEmpty else {
            return Check(.faults, .failure, list(hardware + others), cure: .step("doctor.faults"))
        }
        return others.isEmpty
            ? Check(.faults, .ok, "the node tells of no fault")
            : Check(.faults, .warning, list(others), cure: .step("doctor.radio-errors"))
    }

    private var memory: Check {
        guard let free = facts.value(SoftwareDiagnostics.currentHeapFree),
            let used = facts.value(SoftwareDiagnostics.currentHeapUsed)
        else { return unread(.memory) }
        let all = free.addingReportingOverflow(used)
        guard !all.overflow, all.partialValue > 0 else { return unread(.memory) }
        let seen = "\(free / 1024) KiB of \(all.partialValue / 1024) KiB are free"
        return Double(free) / Double(all.partialValue) < 0.1
            ? Check(.memory, .warning, seen, cure: .step("doctor.memory", label)) : Check(.memory, .ok, seen)
    }

    private var battery: Check {
        guard facts.read != nil else { return unread(.nodeBattery) }
        let percent = facts.value(PowerSource.batPercentRemaining).flatMap { $0 }.map { $0 / 2 }
        let level = facts.value(PowerSource.batChargeLevel)
        guard percent != nil || level != nil else { return Check(.nodeBattery, .ok, "the node has no battery") }
        let seen = percent.map { "\($0) %" } ?? level.map { "\($0)" } ?? ""
        if level == .critical || percent ?? 100 < 5 {
            return Check(.nodeBattery, .failure, seen, cure: .step("doctor.battery"))
        }
        if level == .warning || percent ?? 100 < 10 {
            return Check(.nodeBattery, .warning, seen, cure: .step("doctor.battery"))
        }
        return Check(.nodeBattery, .ok, seen)
    }

    // MARK: Time and trust

    private var clock: Check {
        guard facts.read != nil else { return unread(.nodeClock) }
        guard let time = facts.value(TimeSynchronization.utcTime) else {
            return Check(.nodeClock, .ok, "the node keeps no time that can be read")
        }
        guard let time else {
            return Check(.nodeClock, .note, "the node's clock is not set", cure: .step("doctor.node-clock", label))
        }
        let host = Int64(clamping: facts.readAt) / 1_000_000 - MatterEpoch.unixSeconds
        let offset = Int64(clamping: time / 1_000_000) - host
        let seen = offset == 0 ? "as this host" : "\(abs(offset)) s \(offset > 0 ? "ahead of" : "behind") this host"
        switch abs(offset) {
        case ...60: return Check(.nodeClock, .ok, seen)
        case ...86_400: return Check(.nodeClock, .warning, seen, cure: .step("doctor.node-clock", label))
        default: return Check(.nodeClock, .failure, seen, cure: .step("doctor.node-clock", label))
        }
    }

    private var certificate: Check {
        let now = Int64(clamping: facts.readAt) / 1_000_000
        typealias NOC = NodeOperationalCredentials.NOC
        let end = facts.entries(NodeOperationalCredentials.nocs)?.lazy.compactMap { entry -> Int64? in
            guard let octets = entry[NOC.Field.noc], let certificate = try? MatterCertificate(tlv: octets),
                certificate.notAfter != MatterEpoch.none
            else { return nil }
            return MatterEpoch.unix(certificate.notAfter)
        }.min()
        guard facts.read != nil else { return unread(.certificate) }
        guard let first = [end, facts.ownEnd].compactMap({ $0 }).min() else {
            return Check(.certificate, .ok, "the certificates of the node and of ours have no end")
        }
        let days = (first - now) / 86_400
        let whose = first == end ? "the node's" : "our"
        let seen = "\(whose) certificate ends on \(DayText.day(first))"
        switch days {
        case ..<0: return Check(.certificate, .failure, seen, cure: .step("doctor.certificate"))
        case ..<60: return Check(.certificate, .warning, seen, cure: .step("doctor.certificate"))
        default: return Check(.certificate, .ok, seen)
        }
    }

    /// The key that a former member, or a device that was given away, may still know.
    private var identityKey: Check {
        /// No specification has a limit: it is a matter of who had the key.
        let old = 730
        guard let since = facts.identityKeySince else {
            return Check(.identityKey, .notChecked, "the fabric does not say since when it has its key")
        }
        let now = Int64(clamping: facts.readAt) / 1_000_000
        let days = max(0, now - since) / 86_400
        let seen = "of \(DayText.day(since)), \(Spelled.count(Int(days), "day")) old"
        return days > old
            ? Check(.identityKey, .note, seen, cure: .step("doctor.identity-key"))
            : Check(.identityKey, .ok, seen)
    }

    private var software: Check {
        guard let number = facts.value(BasicInformation.softwareVersion) else { return unread(.software) }
        let text = facts.value(BasicInformation.softwareVersionString) ?? "\(number)"
        guard let newest = facts.newest else {
            let (vendor, product) = (facts.node.vendorID ?? 0, facts.node.productID ?? 0)
            return Check(
                .software, .notChecked, "\(text); which is the newest in the ledger is not known here",
                cure: .step("doctor.versions", "\(vendor)", "\(product)"))
        }
        return newest.number > number
            ? Check(
                .software, .note, "\(text); the ledger had \(newest.text) on \(newest.day)",
                cure: .step("doctor.update", label))
            : Check(.software, .ok, "\(text), the newest in the ledger on \(newest.day)")
    }
}
