import Foundation
import TestSupport
import Testing

@testable import MatterState

@Suite("records")
struct RecordTests {
    let folder: TemporaryFolder
    var store: StateDirectory { folder.store }

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("reading creates nothing and finds nothing")
    func absent() throws {
        #expect(try store.read("nodes/5.json") == nil)
        #expect(try store.readPrevious("nodes/5.json") == nil && store.records(in: "nodes").isEmpty)
        #expect(try !store.delete("nodes/5.json"))
        try store.deleteFolder("nodes")
        #expect(!FileManager.default.fileExists(atPath: store.path))
    }

    @Test("what is written is read, and lies there so that a person can look at it")
    func roundTrip() throws {
        try store.write("nodes/5.json", text(#"{"node":5}"#))
        #expect(try store.read("nodes/5.json") == text(#"{"node":5}"#))
        let lines = String(decoding: try #require(folder.octets("nodes/5.json")), as: UTF8.self).split(separator: "\n")
        #expect(
            lines.count == 2 && lines[0].hasPrefix(#"{"matterctl":1,"length":10,"crc32":""#)
                && lines[1] == #"{"node":5}"#)
        for contents in [[], [0x0A], Array(0...255), [UInt8](repeating: 7, count: StateDirectory.largestRecord)]
            as [[UInt8]]
        {
            try store.write("x", contents)
            #expect(try store.read("x") == contents)
        }
    }

    @Test("the previous contents stay beside the record")
    func previous() throws {
        try store.write("a.json", text("1"))
        #expect(try store.readPrevious("a.json") == nil)
        try store.write("a.json", text("2"))
        try store.write("a.json", text("3"))
        #expect(try store.readPrevious("a.json") == text("2"))
        #expect(folder.everything() == ["a.json", "a.json.bak"])
    }

    @Test("deleting takes the previous copy along, and a new record does not inherit an old one")
    func delete() throws {
        try store.write("a.json", text("1"))
        try store.write("a.json", text("2"))
        #expect(try store.delete("a.json"))
        #expect(folder.everything().isEmpty)
        try store.write("a.json", text("3"))
        try store.write("a.json", text("4"))
        try FileManager.default.removeItem(atPath: folder.file("a.json"))
        try store.write("a.json", text("5"))
        #expect(try store.readPrevious("a.json") == nil)
    }

    @Test("a record that must be new does not replace another")
    func exclusive() throws {
        try store.write("a.json", text("1"), replacing: false)
        let error = storeError { try store.write("a.json", text("2"), replacing: false) }
        #expect(error?.code == .exists && error?.path == folder.file("a.json"))
        #expect(try store.read("a.json") == text("1") && folder.everything() == ["a.json"])
    }

    @Test("listing shows records and folders, not locks, previous copies or leftovers")
    func list() async throws {
        for name in ["b.json", "a.json", "nodes/2.json", "nodes/10.json", "fabrics/home/fabric.json"] {
            try store.write(name, text("1"))
            try store.write(name, text("2"))
        }
        try await store.withLock("a.json") {}
        try folder.put([], ".tmp-left")
        #expect(try store.records() == ["a.json", "b.json"])
        #expect(try store.records(in: "nodes") == ["nodes/10.json", "nodes/2.json"])
        #expect(try store.folders() == ["fabrics", "nodes"] && store.folders(in: "fabrics") == ["fabrics/home"])
        #expect(try store.records(in: "missing").isEmpty)
    }

    @Test("a folder is deleted with all that is in it")
    func deleteFolder() throws {
        try store.write("fabrics/home/fabric.json", text("1"))
        try store.write("fabrics/home/keys/root", text("2"))
        try store.write("fabrics/cabin/fabric.json", text("3"))
        try folder.put([], "fabrics/home/.tmp-left")
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("fabrics/home/link"), withDestinationPath: folder.file("fabrics/cabin"))
        try store.deleteFolder("fabrics/home")
        #expect(try store.folders(in: "fabrics") == ["fabrics/cabin"])
        #expect(try store.read("fabrics/cabin/fabric.json") == text("3"))
    }

    @Test("secrets keep no previous copy")
    func secrets() throws {
        try store.writeSecret("keys/root", [1, 2, 3])
        try store.writeSecret("keys/root", [4, 5, 6])
        #expect(try store.readSecret("keys/root") == [4, 5, 6])
        #expect(folder.everything(in: "keys") == ["root"] && folder.mode("keys/root") == 0o600)
        #expect(storeError { try store.writeSecret("keys/root", [7], replacing: false) }?.code == .exists)
        #expect(try store.readSecret("keys/none") == nil)
    }

    @Test("records have a limit in size, in both directions")
    func size() throws {
        let big = [UInt8](repeating: 0, count: StateDirectory.largestRecord + 1)
        #expect(storeError { try store.write("a", big) }?.code == .tooLarge)
        try store.write("a", [1])
        try folder.put([UInt8](repeating: 0, count: StateDirectory.largestRecord + 1000), "a")
        #expect(storeError { _ = try store.read("a") }?.code == .tooLarge)
    }

    @Test(
        "names that lead elsewhere are refused",
        arguments: [
            "", "/", "/etc/passwd", "..", "../a", "a/../b", "a/", "/a", "a//b", ".hidden", "a/.tmp-1", "a.bak", "a b",
            "ä",
            "a\u{0}b", "a\nb", "~", "a*", "locks/a.lock", "locks", "1/2/3/4/5/6/7/8/9",
            String(repeating: "x", count: 201),
        ])
    func names(_ name: String) async {
        #expect(storeError { _ = try store.read(name) }?.code == .invalidName)
        #expect(storeError { try store.write(name, []) }?.code == .invalidName)
        #expect(storeError { try store.delete(name) }?.code == .invalidName)
        #expect(storeError { try store.deleteFolder(name) }?.code == .invalidName)
        if !name.isEmpty { #expect(storeError { _ = try store.records(in: name) }?.code == .invalidName) }
        if !name.hasPrefix("locks") {
            #expect(await storeError { try await store.withLock(name) {} }?.code == .invalidName)
        }
        #expect(!FileManager.default.fileExists(atPath: store.path))
    }

    @Test("any text has a component of its own")
    func components() throws {
        let texts = [
            "home", "Home", "a b", "a%20b", "ä", "..", ".", "", "%", "a.bak", "a/b", "日本語", "\u{1B}[1m", "locks.",
            String(repeating: "ä", count: 64), String(repeating: "ä", count: 63) + "ö",
            String(repeating: "日", count: 64),
        ]
        let components = texts.map(StateDirectory.component)
        #expect(Set(components).count == texts.count)
        #expect(components[0] == "home" && components[2] == "a%20b")
        for (component, contents) in zip(components, texts) {
            try store.write("fabrics/\(component)/name", text(contents))
        }
        for (component, contents) in zip(components, texts) {
            #expect(try store.read("fabrics/\(component)/name") == text(contents))
        }
    }
}

@Suite("state directory path")
struct DefaultPathTests {
    @Test("the first variable that says something wins")
    func order() throws {
        var environment = ["MATTERCTL_HOME": "/m", "XDG_DATA_HOME": "/x", "HOME": "/h"]
        #expect(try StateDirectory.defaultPath(environment: environment) == "/m")
        environment["MATTERCTL_HOME"] = ""
        #expect(try StateDirectory.defaultPath(environment: environment) == "/x/matterctl")
        environment["XDG_DATA_HOME"] = "relative"
        #expect(try StateDirectory.defaultPath(environment: environment) == "/h/.local/share/matterctl")
        environment["XDG_DATA_HOME"] = nil
        #expect(try StateDirectory.defaultPath(environment: environment) == "/h/.local/share/matterctl")
        environment["HOME"] = nil
        #expect(storeError { _ = try StateDirectory.defaultPath(environment: environment) }?.code == .noHome)
        environment["HOME"] = "relative"
        #expect(storeError { _ = try StateDirectory.defaultPath(environment: environment) }?.code == .noHome)
        #expect(storeError { try StateDirectory(path: "").write("a", []) }?.code == .invalidName)
    }

    @Test("what vouches for a state directory is elsewhere")
    func witness() {
        var environment = ["MATTERCTL_HOME": "/m", "XDG_STATE_HOME": "/x", "HOME": "/h"]
        #expect(StateDirectory.witnessPath(environment: environment) == "/x/matterctl")
        environment["XDG_STATE_HOME"] = "relative"
        #expect(StateDirectory.witnessPath(environment: environment) == "/h/.local/state/matterctl")
        environment["HOME"] = nil
        #expect(StateDirectory.witnessPath(environment: environment).isEmpty)
    }

    @Test("a component tells the text that it stands for, unless that was too long")
    func components() {
        for text in ["home", "Zu Hause", "灯", "a%b", "..", ""] {
            #expect(StateDirectory.text(of: StateDirectory.component(for: text)) == (text.isEmpty ? nil : text))
        }
        for odd in ["%", "%2", "%zz", "a b", "%41", StateDirectory.component(for: String(repeating: "灯", count: 200))] {
            #expect(StateDirectory.text(of: odd) == nil, "\(odd)")
        }
    }
}
