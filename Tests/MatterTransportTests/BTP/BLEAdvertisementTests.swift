import TestSupport
import Testing

@testable import MatterNetwork

@Suite struct BLEAdvertisementTests {
    @Test("the service data of a device is read and written")
    func example() throws {
        let advertisement = try #require(BLEAdvertisement(serviceData: hex("00000FF1FF008000")))
        #expect(advertisement.longDiscriminator == 0xF00 && advertisement.shortDiscriminator == 0xF)
        #expect(advertisement.vendorID == 0xFFF1 && advertisement.productID == 0x8000)
        #expect(!advertisement.hasAdditionalData && !advertisement.isExtended)
        #expect(advertisement.serviceData == hex("00000FF1FF008000"))
    }

    @Test("an extended announcement tells neither vendor nor product")
    func extended() throws {
        let advertisement = try #require(BLEAdvertisement(serviceData: hex("0001000000000003")))
        #expect(advertisement.vendorID == nil && advertisement.productID == nil)
        #expect(advertisement.hasAdditionalData && advertisement.isExtended)
        #expect(advertisement.serviceData == hex("0001000000000003"))
    }

    @Test("the version and bytes that come later are left alone")
    func lenient() {
        #expect(BLEAdvertisement(serviceData: hex("00345AF1FF008000AABB"))?.longDiscriminator == 0xA34)
    }

    @Test(
        "what is short, or about something else, is none", arguments: ["", "00", "00000FF1FF0080", "01000FF1FF008000"])
    func refused(data: String) {
        #expect(BLEAdvertisement(serviceData: hex(data)) == nil)
    }
}
