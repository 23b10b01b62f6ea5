import Foundation
import MatterTestKit
import Testing

@testable import MatterCrypto
@testable import MatterLedger
@testable import MatterState

@Suite("Firmware at hand") final class FirmwareLibraryTests {
    private let folder = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent("firmware-\(UUID())")
    private var state: StateDirectory { StateDirectory(path: folder.appendingPathComponent("state").path) }
    private var store: URL { folder.appendingPathComponent("state/firmware") }
    private var shelf: URL { folder.appendingPathComponent("shelf") }

    init() throws { try FileManager.default.createDirectory(at: shelf, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func image(_ version: UInt32, _ change: (inout FirmwareImage) -> Void = { _ in }) -> [UInt8] {
        var image = FirmwareImage()
        (image.version, image.text) = (version, "\(version).0")
        change(&image)
        return image.octets
    }

    @discardableResult
    private func keep(_ octets: [UInt8], in library: FirmwareLibrary) async throws -> UpdateHeader {
        let upload = try library.upload()
        for start in stride(from: 0, to: octets.count, by: 40) {
            try upload.append(Array(octets[start..<min(start + 40, octets.count)]))
        }
        return try await library.keep(upload)
    }

    private func versions(_ library: FirmwareLibrary, from version: UInt32 = 1) -> [UInt32] {
        library.images(vendorID: 0xFFF1, productID: 0x8001, version: version).images.map(\.header.version)
    }

    private func names() -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: store.path)) ?? []).sorted()
    }

    @Test("an image is found for its product, from the versions that may go to it, the newest first")
    func found() async throws {
        let library = FirmwareLibrary(state, userFolder: nil)
        #expect(versions(library) == [])
        try await keep(image(2), in: library)
        try await keep(image(4) { ($0.least, $0.most) = (1, 2) }, in: library)
        try await keep(image(3) { $0.productID = 0 }, in: library)
        try await keep(image(9) { $0.vendorID = 0xFFF2 }, in: library)
        try await keep(image(8) { $0.productID = 0x8002 }, in: library)
        #expect(versions(library) == [4, 3, 2])
        #expect(versions(library, from: 2) == [4, 3])
        #expect(versions(library, from: 3) == [])
        let found = library.images(vendorID: 0xFFF1, productID: 0x8001, version: 1)
        #expect(try found.images.first?.image().octets == image(4) { ($0.least, $0.most) = (1, 2) })
        #expect(found.faults == [])
    }

    @Test("the same version replaces the one that is kept; what is not kept leaves nothing")
    func replaced() async throws {
        let library = FirmwareLibrary(state, userFolder: nil)
        try await keep(image(2), in: library)
        let other = image(2) { $0.payload = Array("other".utf8) }
        try await keep(other, in: library)
        #expect(names() == ["FFF1-8001-00000002.ota"])
        let found = library.images(vendorID: 0xFFF1, productID: 0x8001, version: 1)
        #expect(try found.images.map { try $0.image().octets } == [other])
        do {
            let upload = try library.upload()
            try upload.append([1, 2, 3])
            #expect(names().count == 2)
        }
        #expect(names().count == 1)
        for damaged in [Array(image(3).dropLast()), image(3) { $0.digest = [UInt8](repeating: 1, count: 32) }, []] {
            await #expect(throws: UpdateImageError.self) { try await keep(damaged, in: library) }
        }
        #expect(names().count == 1)
    }

    @Test("a digest of any kind is compared", arguments: ImageDigest.allCases)
    func digests(kind: ImageDigest) async throws {
        let library = FirmwareLibrary(state, userFolder: nil)
        let sound = image(2) {
            $0.digestType = kind
            $0.payload = [UInt8](repeating: 7, count: 200_000)
        }
        try await keep(sound, in: library)
        #expect(versions(library) == [2])
        var damaged = sound
        damaged[150_000] ^= 1
        await #expect(throws: UpdateImageError.self) { try await keep(damaged, in: library) }
    }

    @Test("there are limits to the count and the size of all; one that is replaced does not count")
    func limits() async throws {
        var limits = FirmwareLibrary.Limits()
        limits.images = 2
        let few = FirmwareLibrary(state, userFolder: nil, limits)
        try await keep(image(2), in: few)
        try await keep(image(3), in: few)
        let error = await #expect(throws: UpdateImageError.self) { try await keep(image(4), in: few) }
        #expect(error?.code == .full && error?.reason.contains("2 images") == true)
        try await keep(image(3), in: few)
        limits = FirmwareLibrary.Limits(images: 9, bytes: 2 * image(2).count)
        let small = FirmwareLibrary(state, userFolder: nil, limits)
        #expect(await #expect(throws: UpdateImageError.self) { try await keep(image(4), in: small) }?.code == .full)
        try await keep(image(3), in: small)
        #expect(names() == ["FFF1-8001-00000002.ota", "FFF1-8001-00000003.ota"])
    }

    @Test("the beginnings of a killed process are removed, and those of a living one are not")
    func leftovers() async throws {
        let library = FirmwareLibrary(state, userFolder: nil)
        try library.clear()
        try await keep(image(2), in: library)
        let living = try library.upload()
        try living.append([1])
        // As a process leaves it that is killed.
        try Data([1, 2]).write(to: store.appendingPathComponent(".tmp-1a2b"))
        #expect(names().count == 3)
        try FirmwareLibrary(state, userFolder: nil).clear()
        #expect(names().count == 2 && !names().contains(".tmp-1a2b"))
        try living.append(Array(image(5).dropFirst()))
        living.discard()
        #expect(names() == ["FFF1-8001-00000002.ota"])
    }

    @Test("a file that was damaged, or is not what its name says, is left out, and that is told once")
    func damaged() async throws {
        let library = FirmwareLibrary(state, userFolder: nil)
        try await keep(image(2), in: library)
        try await keep(image(3), in: library)
        let found = library.images(vendorID: 0xFFF1, productID: 0x8001, version: 1)
        var octets = image(3)
        octets[octets.count - 1] ^= 1
        try Data(octets).write(to: store.appendingPathComponent("FFF1-8001-00000003.ota"))
        #expect(throws: UpdateImageError.self) { try found.images.first?.image() }
        try Data(image(7)).write(to: store.appendingPathComponent("FFF1-8001-00000006.ota"))
        let again = library.images(vendorID: 0xFFF1, productID: 0x8001, version: 1)
        #expect(again.images.map(\.header.version) == [2])
        #expect(again.faults.count == 2, "\(again.faults)")
        #expect(library.images(vendorID: 0xFFF1, productID: 0x8001, version: 1).faults == [])
        // An image that was exchanged after it was looked at.
        try Data(image(2) { $0.text = "two" }).write(to: store.appendingPathComponent("FFF1-8001-00000002.ota"))
        #expect(throws: UpdateImageError.self) { try again.images.first?.image() }
    }

    @Test("a folder of the user is read whenever it is asked, and never written; faults are told once for each change")
    func userFolder() async throws {
        let library = FirmwareLibrary(state, userFolder: shelf.path)
        #expect(versions(library) == [])
        try Data(image(2)).write(to: shelf.appendingPathComponent("light v2.ota"))
        try Data(image(4)).write(to: shelf.appendingPathComponent("light.bin"))
        try Data(image(5)).write(to: shelf.appendingPathComponent(".hidden.ota"))
        try FileManager.default.createDirectory(
            at: shelf.appendingPathComponent("folder.ota"), withIntermediateDirectories: false)
        #expect(mkfifo(shelf.appendingPathComponent("pipe.ota").path, 0o600) == 0)
        try Data("nothing".utf8).write(to: shelf.appendingPathComponent("wrong.ota"))
        let elsewhere = folder.appendingPathComponent("elsewhere")
        try Data(image(3)).write(to: elsewhere)
        try FileManager.default.createSymbolicLink(
            at: shelf.appendingPathComponent("link.ota"), withDestinationURL: elsewhere)
        let found = library.images(vendorID: 0xFFF1, productID: 0x8001, version: 1)
        #expect(found.images.map(\.header.version) == [3, 2])
        #expect(found.faults.count == 2, "the pipe, and the wrong one: \(found.faults)")
        #expect(library.images(vendorID: 0xFFF1, productID: 0x8001, version: 1).faults == [])
        try Data("nothing else".utf8).write(to: shelf.appendingPathComponent("wrong.ota"))
        #expect(library.images(vendorID: 0xFFF1, productID: 0x8001, version: 1).faults.count == 1)
        #expect(names() == [])
        // Of one version, the uploaded one comes first.
        try await keep(image(3) { $0.text = "uploaded" }, in: library)
        let both = library.images(vendorID: 0xFFF1, productID: 0x8001, version: 1).images
        #expect(both.map(\.header.versionText) == ["uploaded", "3.0", "2.0"])

        let absent = FirmwareLibrary(state, userFolder: folder.appendingPathComponent("absent").path)
        #expect(absent.images(vendorID: 1, productID: 1, version: 1).faults.count == 1)
        #expect(absent.images(vendorID: 1, productID: 1, version: 1).faults == [])
    }
}
