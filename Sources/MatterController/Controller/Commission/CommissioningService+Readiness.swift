import MatterState

/// Something that a commissioning needs before there is a device, and whether it is there.
public struct Readiness: Sendable {
    /// In the order in which a commissioning comes to them.
    public enum Check: String, Sendable, CaseIterable {
        /// The fabric, its certificates, and a state directory that can be written.
        case fabric
        /// The name and the room of the device.
        case name
        /// The clock of this machine, by the certificates of the fabric.
        case clock
        /// The issuer of the certificate; a service wants a login.
        case issuer
        /// The authorities whose devices are trusted.
        case trust
        /// Whether this machine is on a network.
        case network
        /// D-Bus and Avahi, which find the device.
        case discovery
        /// BlueZ and an adapter, for a device that is on no network yet.
        case bluetooth
    }

    /// The checks made.
    public let check: Check
    /// The findings; empty where there is nothing to say.
    public let note: String
    /// Why it does not work; `nil` if it does.
    public let failure: (any Error)?
    /// False for what only some devices need.
    public var isNeeded = true
}

extension CommissioningService {
    /// Obstacles to a commissioning, as far as that can be known without a device. Nothing is changed.
    ///
    /// - Parameters:
    ///   - name: for the device; `nil` for none.
    ///   - room: for the device; `nil` for none.
    ///   - ways: how the device can be found, the better one first.
    /// - Throws: `CancellationError`.
    public func readiness(
        for commission: CommissionOptions, name: String?, room: String?, ways: [CommissioningWay], deadline: Instant
    ) async throws -> [Readiness] {
        var results: [Readiness] = []
        for check in Readiness.Check.allCases {
            do {
                let note = try await note(
                    check, commission, name: name, room: room, ways: ways, deadline: deadline)
                results.append(Readiness(check: check, note: note, failure: nil))
            } catch {
                try Task.checkCancellation()
                // A device that can be on the network does without Bluetooth.
                let isNeeded = check != .bluetooth || ways == [.ble]
                results.append(Readiness(check: check, note: "", failure: error, isNeeded: isNeeded))
            }
        }
        return results
    }

    /// The fabric in use; `nil` if the commissioning makes one.
    private func fabricIfAny(_ issuer: IssuerChoice) throws -> FabricRecord? {
        do {
            return try context.fabric()
        } catch let error as RecordError where issuers.makesFabric(after: error, for: issuer) {
            return nil
        }
    }

    private func note(
        _ check: Readiness.Check, _ commission: CommissionOptions, name: String?, room: String?,
        ways: [CommissioningWay], deadline: Instant
    ) async throws -> String {
        let fabric = try fabricIfAny(commission.issuer)
        switch check {
        case .fabric:
            guard let fabric else { return "a new one is made" }
            try await context.nodes().checkWritable()
            _ = try context.credentials()
            return fabric.name
        case .name:
            if let room { try NameRule.checkRoom(room) }
            guard let name else { return "" }
            try NameRule.check(name, what: "node")
            if fabric != nil { try context.nodes().checkFree(name, for: nil) }
            return name
        case .clock:
            if fabric != nil { try context.credentials().validate(at: context.validationTime) }
            return ""
        case .issuer:
            let work = try await issuers.issuerWork(commission.issuer, deviceName: name, deadline: deadline)
            await work?.close()
            if work == nil, let fabric { _ = try issuers.issuer(for: fabric) }
            return fabric?.issuer.rawValue ?? FabricRecord.Issuer.local.rawValue
        case .trust:
            _ = try trust.judge(commission.trust, ask: nil)
            return commission.trust.enforcement.rawValue
        case .bluetooth:
            guard ways.contains(.ble), let bluetooth = options.bluetooth?() else { return "not needed" }
            return try await bluetooth.check()
        case .network:
            try context.discovery()?.checkNetwork()
            return ""
        case .discovery:
            guard let discovery = context.discovery() else { return "an address is given" }
            try await discovery.check()
            return ""
        }
    }
}
