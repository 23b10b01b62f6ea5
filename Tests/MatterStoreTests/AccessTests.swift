import Foundation
import MatterBase
import TestSupport
import Testing

@testable import MatterState

@Suite("permissions and owners")
struct AccessTests {
    let folder: TemporaryFolder
    var store: StateDirectory { folder.store }

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("folders are made with mode 0700 and files with 0600, whatever the umask")
    func modes() async throws {
        let path = store.path + "/deep/er"
        await #expect(processExitsWith: .success) { [path = path as String] in
            umask(0)
            try StateDirectory(path: path).write("nodes/5.json", [1])
            try StateDirectory(path: path).write("nodes/5.json", [2])
            try await StateDirectory(path: path).withLock("nodes/5.json") {}
        }
        for name in ["", "deep", "deep/er", "deep/er/nodes", "deep/er/locks"] {
            #expect(folder.mode(name) == 0o700, "\(name)")
        }
        for name in ["nodes/5.json", "nodes/5.json.bak", "locks/nodes~5.json.lock"] {
            #expect(folder.mode("deep/er/" + name) == 0o600, "\(name)")
        }
        let strict = store.path + "/strict"
        await #expect(processExitsWith: .success) { [path = strict as String] in
            umask(0o277)
            let store = StateDirectory(path: path)
            try store.write("nodes/a", [1])
            try store.write("nodes/a", [2])
            try await store.withLock("a") {}
        }
        #expect(folder.mode("strict") == 0o700 && folder.mode("strict/nodes") == 0o700)
        #expect(folder.mode("strict/nodes/a") == 0o600 && folder.mode("strict/locks/a.lock") == 0o600)
    }

    @Test("permissions that are narrower than ours stay as they are")
    func narrow() throws {
        try store.write("nodes/5.json", [1])
        #expect(chmod(folder.file("nodes"), 0o500) == 0 && chmod(folder.file("nodes/5.json"), 0o400) == 0)
        #expect(try store.read("nodes/5.json") == [1])
        #expect(folder.mode("nodes") == 0o500 && folder.mode("nodes/5.json") == 0o400)
        // So that it can be removed.
        #expect(chmod(folder.file("nodes"), 0o700) == 0)
    }

    @Test("permissions that are too wide are taken back, at the latest on reading")
    func repair() throws {
        try store.write("nodes/5.json", [1])
        for (name, mode) in [("", 0o755), ("nodes", 0o777), ("nodes/5.json", 0o644)] as [(String, mode_t)] {
            #expect(chmod(folder.file(name), mode) == 0)
        }
        #expect(try store.read("nodes/5.json") == [1])
        #expect(folder.mode("") == 0o700 && folder.mode("nodes") == 0o700 && folder.mode("nodes/5.json") == 0o600)
    }

    @Test("symbolic links inside are not followed, one to the whole is")
    func links() throws {
        try store.write("nodes/5.json", [1])
        let manager = FileManager.default
        try manager.createSymbolicLink(atPath: folder.file("linked"), withDestinationPath: folder.file("nodes"))
        try manager.createSymbolicLink(
            atPath: folder.file("link.json"), withDestinationPath: folder.file("nodes/5.json"))
        #expect(storeError { _ = try store.read("linked/5.json") }?.code == .insecure)
        #expect(storeError { try store.write("linked/6.json", [1]) }?.code == .insecure)
        #expect(storeError { _ = try store.read("link.json") }?.code == .insecure)
        #expect(storeError { try store.write("link.json", [2]) }?.code == .insecure)
        #expect(try store.read("nodes/5.json") == [1])
        try manager.createSymbolicLink(atPath: folder.path + "/other", withDestinationPath: store.path)
        #expect(try StateDirectory(path: folder.path + "/other").read("nodes/5.json") == [1])
    }

    @Test("what is not an ordinary file is refused without waiting for it")
    func specialFiles() throws {
        try store.write("a", [1])
        #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
        #expect(storeError { _ = try store.read("pipe") }?.code == .insecure)
        try store.write("folder/a", [1])
        #expect(storeError { _ = try store.read("folder") }?.code == .insecure)
        #expect(storeError { try store.write("folder", [1]) } != nil)
        #expect(storeError { try store.write("a/b", [1]) } != nil)
        #expect(folder.everything().filter { $0.hasPrefix(".") }.isEmpty)
    }

    @Test("the state of root is refused to another user, with advice", .enabled(if: geteuid() == 0))
    func sudo() async throws {
        try store.write("a", [1])
        chmod(folder.path, 0o755)
        let path = store.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            guard setgid(65534) == 0, setuid(65534) == 0 else { exit(1) }
            for action in [
                { _ = try StateDirectory(path: path).read("a") }, { try StateDirectory(path: path).write("a", [2]) },
            ] {
                let error = try #require(storeError(action))
                #expect(error.code == .notOwned && error.reason.contains("belongs to root"))
                #expect(error.hint == .step("state.made-with-sudo", path))
            }
        }
        // And the other way round: root must not leave files in the state of another user.
        #expect(chown(store.path, 65534, 65534) == 0)
        let error = storeError { try store.write("a", [2]) }
        #expect(error?.code == .notOwned && error?.reason.contains("user 65534") == true)
        #expect(chown(store.path, 0, 0) == 0 && chown(folder.file("a"), 65534, 65534) == 0)
        #expect(storeError { _ = try store.read("a") }?.code == .notOwned)
    }

    @Test("a place where nothing may be written gives an error to act on", .enabled(if: geteuid() == 0))
    func forbidden() async throws {
        chmod(folder.path, 0o755)
        let path = store.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            guard setgid(65534) == 0, setuid(65534) == 0 else { exit(1) }
            let error = try #require(storeError { try StateDirectory(path: path).write("a", [1]) })
            #expect(
                error.code == .permission && error.reason.contains(path)
                    && error.hint?.parts.last == .step("state.elsewhere", []))
        }
    }

    @Test("a file that cannot grow leaves the old record and no rubbish")
    func full() async throws {
        try store.write("a", [1])
        let path = store.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 100, rlim_max: 100)
            guard setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { exit(1) }
            let error = try #require(
                storeError { try StateDirectory(path: path).write("a", [UInt8](repeating: 2, count: 1000)) })
            #expect(error.code == .system && error.reason.contains(path + "/a"))
        }
        #expect(try store.read("a") == [1])
        #expect(folder.everything() == ["a", "a.bak"] || folder.everything() == ["a"])
    }

    @Test(
        "errors of the operating system say what to do",
        arguments: [
            (ENOSPC, StoreError.Code.noSpace), (EDQUOT, .noSpace), (EROFS, .readOnly), (EACCES, .permission),
            (EPERM, .permission), (ELOOP, .insecure), (EIO, .system), (EMFILE, .system),
        ])
    func system(_ number: Int32, _ code: StoreError.Code) {
        let error = StoreError.system(number, "write", "/state/a")
        #expect(error.code == code && error.reason.hasPrefix("cannot write /state/a: ") && error.path == "/state/a")
        #expect(error.hint != nil || code == .system)
    }
}
