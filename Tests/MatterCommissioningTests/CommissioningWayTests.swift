import MatterNetwork
import Testing

@testable import MatterController
@testable import MatterCrypto

/// Which way to a device is taken, by its code and by the user's wish.
@Suite struct CommissioningWayTests {
    private func request(
        _ capabilities: SetupPayload.DiscoveryCapabilities?, via: CommissioningWay? = nil, discriminator: UInt16? = 3840
    ) throws -> CommissioningRequest {
        var request = CommissioningRequest(
            SetupCode(
                passcode: try SetupPasscode(20_202_021),
                discriminator: try discriminator.map { number throws in try SetupDiscriminator(long: number) }))
        request.capabilities = capabilities
        request.via = via
        return request
    }

    @Test(
        "the network comes before Bluetooth, and Bluetooth only if the code does not rule it out",
        arguments: [
            ([.onNetwork], [.ip]), ([.onNetwork, .ble], [.ip, .ble]), ([.ble], [.ip, .ble]), (nil, [.ip, .ble]),
            ([.softAP], [.ip]), ([.thread, .ble], [.ip, .ble]),
        ] as [(SetupPayload.DiscoveryCapabilities?, [CommissioningWay])])
    func byCode(capabilities: SetupPayload.DiscoveryCapabilities?, ways: [CommissioningWay]) throws {
        #expect(try request(capabilities).ways(hasBluetooth: true) == ways)
        #expect(try request(capabilities).ways(hasBluetooth: false) == [.ip])
    }

    @Test("what the user wants counts more than the code")
    func byUser() throws {
        #expect(try request([.onNetwork], via: .ble).ways(hasBluetooth: false) == [.ble])
        #expect(try request([.ble], via: .ip).ways(hasBluetooth: true) == [.ip])
    }

    @Test("without a discriminator, Bluetooth is searched only if it is asked for")
    func anyDevice() throws {
        #expect(try request(nil, discriminator: nil).ways(hasBluetooth: true) == [.ip])
        #expect(try request(nil, via: .ble, discriminator: nil).ways(hasBluetooth: true) == [.ble])
    }

    @Test("a device is meant if discriminator, vendor and product agree, as far as both sides tell them")
    func meant() throws {
        var request = try request([.ble])
        #expect(request.mayMean(BLEAdvertisement(longDiscriminator: 3840, vendorID: 1, productID: 2)))
        #expect(!request.mayMean(BLEAdvertisement(longDiscriminator: 3841)))
        request.vendorID = 0xFFF1
        request.productID = 0x8001
        #expect(request.mayMean(BLEAdvertisement(longDiscriminator: 3840)))
        #expect(request.mayMean(BLEAdvertisement(longDiscriminator: 3840, vendorID: 0xFFF1, productID: 0x8001)))
        #expect(!request.mayMean(BLEAdvertisement(longDiscriminator: 3840, vendorID: 0xFFF2, productID: 0x8001)))
        #expect(!request.mayMean(BLEAdvertisement(longDiscriminator: 3840, vendorID: 0xFFF1, productID: 0x8002)))
        request.code.discriminator = try SetupDiscriminator(short: 15)
        #expect(request.mayMean(BLEAdvertisement(longDiscriminator: 0xF12)))
        #expect(!request.mayMean(BLEAdvertisement(longDiscriminator: 0xE12)))
    }

    @Test("the network has three seconds alone, and of a short search no more than a third")
    func headStart() {
        #expect(PairingRace.headStart(ofSearch: .seconds(60)) == .seconds(3))
        #expect(PairingRace.headStart(ofSearch: .milliseconds(1500)) == .milliseconds(500))
        #expect(PairingRace.headStart(ofSearch: .seconds(-1)) == .zero)
    }

    @Test("of two failures, the one that says more is told")
    func worse() {
        let unfound = CommissioningError(.nothingDiscovered, stage: .discover, "no device answered")
        let refused = CommissioningError(.wrongPasscode, stage: .pase, "wrong setup code")
        let lost = TransportError(.socket, "no adapter")
        func told(_ network: any Error, _ bluetooth: any Error) -> String {
            "\(PairingRace.worse(network, bluetooth))"
        }
        #expect(told(unfound, refused) == "wrong setup code")
        #expect(told(refused, unfound) == "wrong setup code")
        #expect(told(unfound, unfound) == "no device answered, and none advertised over Bluetooth")
        #expect(told(unfound, lost) == "no device answered; Bluetooth could not be searched: no adapter")
        #expect(told(lost, refused) == "wrong setup code")
        #expect("\(PairingRace.worse(unfound, lost, isForNetwork: false))" == "no adapter")
        #expect("\(PairingRace.worse(unfound, refused, isForNetwork: false))" == "wrong setup code")
    }
}
