import MatterCredentials
import MatterCrypto
import MatterSecureChannel
import Testing

@testable import MatterSimulator

@Suite("Kinds of devices")
struct DeviceKindTests {
    @Test("every kind has its own name")
    func names() {
        #expect(Set(DeviceKind.all.map(\.name)).count == DeviceKind.all.count)
    }
}
