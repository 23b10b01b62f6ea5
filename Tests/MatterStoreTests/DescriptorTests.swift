import Glibc
import Testing

@testable import MatterState

@Suite("descriptors")
struct DescriptorTests {
    @Test("a folder whose file system cannot synchronize folders is used as it is; a file must be synchronized")
    func folders() throws {
        // Of all folders that are at hand everywhere, these are such.
        let folder = Descriptor(owning: open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        try folder.synchronizeFolder("/proc")
        var refusal: StoreError?
        do throws(StoreError) { try folder.synchronize("/proc") } catch { refusal = error }
        #expect(refusal?.code == .system)
        var closed: StoreError?
        do throws(StoreError) { try Descriptor(owning: -1).synchronizeFolder("/proc") } catch { closed = error }
        #expect(closed?.code == .system)
    }
}
