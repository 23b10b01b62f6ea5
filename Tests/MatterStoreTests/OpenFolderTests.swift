import Foundation
import Testing

@testable import MatterState

/// One process for which the state directory stays open, while others change it.
@Suite("folders that stay open")
struct OpenFolderTests {
    let folder: TemporaryFolder
    let store: StateDirectory

    init() throws {
        folder = try TemporaryFolder()
        store = folder.store
        try store.write("fabrics/home/nodes/5.json", text("old"))
    }

    private func move(_ from: String, _ to: String) throws {
        try FileManager.default.moveItem(atPath: folder.file(from), toPath: folder.file(to))
    }

    @Test(
        "a folder in whose place another one comes is not used any more", arguments: ["fabrics/home/nodes", "fabrics"])
    func replaced(name: String) throws {
        try move(name, name + "-moved")
        #expect(try store.read("fabrics/home/nodes/5.json") == nil)
        try folder.store.write("fabrics/home/nodes/5.json", text("other"))
        #expect(try store.read("fabrics/home/nodes/5.json") == text("other"))
        try store.write("fabrics/home/nodes/5.json", text("new"))
        #expect(try folder.store.read("fabrics/home/nodes/5.json") == text("new"))
        let moved = name == "fabrics" ? "fabrics-moved/home/nodes/5.json" : "fabrics/home/nodes-moved/5.json"
        #expect(try folder.store.read(moved) == text("old"))
    }

    @Test("a whole state directory that is restored from a backup is the one that is written to")
    func restored() throws {
        let (path, away) = (store.path, store.path + "-away")
        try FileManager.default.copyItem(atPath: path, toPath: away)
        try store.write("fabrics/home/nodes/6.json", text("after the backup"))
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: away, toPath: path)
        #expect(try store.records(in: "fabrics/home/nodes") == ["fabrics/home/nodes/5.json"])
        try store.write("fabrics/home/nodes/7.json", text("new"))
        #expect(folder.octets("fabrics/home/nodes/7.json") != nil)
    }

    @Test("a folder that was removed is made again by a write, and by a write only")
    func removed() async throws {
        try FileManager.default.removeItem(atPath: folder.file("fabrics"))
        #expect(try store.read("fabrics/home/nodes/5.json") == nil && !store.hasFolder("fabrics"))
        #expect(folder.everything() == [])
        try store.write("fabrics/home/nodes/5.json", text("new"))
        #expect(try folder.store.read("fabrics/home/nodes/5.json") == text("new"))
        try await store.withLock("a") {}
        try FileManager.default.removeItem(atPath: store.path)
        try await store.withLock("a") {}
        #expect(folder.everything() == ["locks"])
    }

    @Test("a folder that is deleted and made again by this process is the new one")
    func deleted() throws {
        try store.deleteFolder("fabrics/home")
        #expect(try store.read("fabrics/home/nodes/5.json") == nil)
        try store.write("fabrics/home/nodes/5.json", text("new"))
        #expect(try store.read("fabrics/home/nodes/5.json") == text("new"))
    }

    @Test("a symbolic link in the place of a folder is refused")
    func link() throws {
        try move("fabrics/home/nodes", "fabrics/home/elsewhere")
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("fabrics/home/nodes"), withDestinationPath: folder.file("fabrics/home/elsewhere"))
        #expect(storeError { _ = try store.read("fabrics/home/nodes/5.json") }?.code == .insecure)
        #expect(storeError { try store.write("fabrics/home/nodes/6.json", []) }?.code == .insecure)
        #expect(folder.everything(in: "fabrics/home/elsewhere") == ["5.json"])
    }

    @Test("permissions that were widened are taken away with the next use")
    func permissions() throws {
        #expect(chmod(folder.file("fabrics/home/nodes"), 0o755) == 0)
        #expect(try store.read("fabrics/home/nodes/5.json") == text("old"))
        #expect(folder.mode("fabrics/home/nodes") == 0o700)
    }

    @Test("however many folders there are, few stay open")
    func few() throws {
        for number in 0..<100 { try store.write("fabrics/\(number)/nodes/1.json", text("\(number)")) }
        for number in 0..<100 {
            #expect(try store.read("fabrics/\(number)/nodes/1.json") == text("\(number)"))
        }
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter { name in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)"))?
                .hasPrefix(folder.path) ?? false
        }
        #expect(open.count <= 6, "\(open)")
    }

    @Test("a write that is not waited for is as whole as any other")
    func relaxed() throws {
        for number in 0..<3 {
            try store.write(
                "fabrics/home/sessions/5", text("\(number)"), keepingPrevious: false, durability: .relaxed)
            #expect(try folder.store.read("fabrics/home/sessions/5") == text("\(number)"))
        }
        try store.writeSecret("fabrics/home/sessions/6", text("secret"), durability: .relaxed)
        #expect(try folder.store.readSecret("fabrics/home/sessions/6") == text("secret"))
        #expect(folder.everything(in: "fabrics/home/sessions") == ["5", "6"])
        #expect(folder.mode("fabrics/home/sessions/6") == 0o600)
    }
}
