import MatterNetwork

/// One service that a device advertises.
enum Publication: Hashable, Sendable {
    case commissionable(discriminator: UInt16, mode: UInt8)
    /// - Parameter sleepsLong: `nil` for a device that never does.
    case operational(OperationalInstance, sleepsLong: Bool?)
}

/// The announcement of the device on the network (Matter core specification 4.3).
extension SimulatedDevice {
    /// Brings what is advertised in line with what is true, one change after the other.
    func advertise() {
        guard surroundings.advertiser != nil || surroundings.bluetooth != nil else { return }
        let previous = advertising
        advertising = time.start {
            await previous?.value
            await self.applyAdvertising()
            await self.applyBluetooth()
        }
    }

    private var wanted: Set<Publication> {
        var wanted: Set<Publication> = []
        if node.isCommissionable, node.isOnNetwork || configuration.onboarding == .overIP {
            wanted.insert(
                .commissionable(discriminator: node.window.discriminator, mode: node.window.mode.advertised))
        }
        for fabric in node.isOnNetwork ? node.fabrics.all : [] {
            wanted.insert(
                .operational(
                    OperationalInstance(
                        compressedFabricID: fabric.operational.fabric.compressedFabricID.rawValue,
                        nodeID: fabric.operational.nodeID.rawValue), sleepsLong: node.sleepsLong))
        }
        return wanted
    }

    private func applyAdvertising() async {
        guard let advertiser = surroundings.advertiser else { return }
        let wanted = wanted
        for (publication, service) in published where !wanted.contains(publication) {
            published[publication] = nil
            await service.withdraw()
        }
        for publication in wanted where published[publication] == nil {
            do {
                published[publication] = try await advertiser.publish(try service(publication))
            } catch {
                report("advertising-failed", [("reason", .string("\(error)"))])
            }
        }
    }

    /// A device that is on a fabric is on a network, and is found there.
    private func applyBluetooth() async {
        guard let bluetooth = surroundings.bluetooth else { return }
        let wanted =
            node.isCommissionable && node.fabrics.isEmpty
            ? BLEAdvertisement(
                longDiscriminator: node.window.discriminator, vendorID: configuration.vendorID,
                productID: configuration.productID) : nil
        guard wanted != bluetoothAdvertisement else { return }
        do {
            try await bluetooth.advertise(wanted)
            bluetoothAdvertisement = wanted
        } catch {
            report("advertising-failed", [("reason", .string("\(error)"))])
        }
    }

    private func service(_ publication: Publication) throws(DiscoveryError) -> ServicePublication {
        switch publication {
        case .commissionable(let discriminator, let mode):
            return try .commissionable(
                CommissionableRecord(
                    longDiscriminator: discriminator, commissioningMode: .init(rawValue: mode) ?? .basic,
                    vendorID: configuration.vendorID, productID: configuration.productID,
                    deviceType: configuration.primaryDeviceType.rawValue,
                    deviceName: String(decoding: configuration.productName.utf8.prefix(32), as: UTF8.self)),
                port: port)
        case .operational(let instance, let sleepsLong):
            let mode = sleepsLong.map { $0 ? AdvertisedParameters.ICDMode.longIdleTime : .shortIdleTime }
            return try .operational(
                instance, OperationalRecord(parameters: AdvertisedParameters(icdMode: mode)), port: port)
        }
    }
}

extension CommissioningWindow.Mode {
    /// The value of CM.
    fileprivate var advertised: UInt8 { self == .enhancedWindowOpen ? 2 : 1 }
}
