import Foundation
import Testing

/// The program's use of the system, and its secrets.
@Suite("The binary and the libraries of the system", .enabled(if: Laboratory.isHere), .laboratorySlot)
struct BinaryTests {
    private func output(_ program: String, _ words: [String], environment: [String: String] = Laboratory.environment)
        async throws -> (status: Int32, stdout: String, stderr: String)
    {
        let folder = try TemporaryFolder()
        let child = try Child(URL(fileURLWithPath: program), words, environment: environment, folder: folder)
        let status = await child.status()
        return withExtendedLifetime(folder) { (status, child.stdout, child.stderr) }
    }

    @Test("it exports no symbol of its own libcrypto, which the TLS library of libcurl would take for its own")
    func noExports() async throws {
        let table = try await output("/usr/bin/readelf", ["--dyn-syms", "-W", Laboratory.binary.path])
        let symbols = table.stdout.split(separator: "\n").map { $0.split(separator: " ") }.filter { $0.count >= 8 }
        #expect(symbols.contains { $0[6] == "UND" && $0[7].hasPrefix("dlopen") }, "\(table.stderr)")
        let defined = symbols.filter { $0[6] != "UND" && $0[6] != "Ndx" }.map { String($0[7]) }
        let ours = /^(ASN1|BIO|BN|CRYPTO|EC|ERR|EVP|OBJ|OPENSSL|OSSL|PEM|RAND|SHA256|SSL|X509)_/
        #expect(defined.filter { $0.firstMatch(of: ours) != nil } == [])
    }

    @Test("it says what it is: version, commit, processor, OpenSSL, and how old what it knows is")
    func version() async throws {
        let matterctl = try MatterCtl()
        let json = try await matterctl.succeed("--version", "--json").json()
        #expect(json["architecture"]?.string == "x86_64" || json["architecture"]?.string == "aarch64", "\(json)")
        #expect(json["openssl"]?.string?.contains(/^\d+\.\d+\.\d+/) == true, "\(json)")
        for date in ["catalogueDate", "authoritiesDate"] {
            #expect(json[date]?.string?.contains(/^20\d\d-\d\d-\d\d$/) == true, "\(json)")
        }
        let lines = try await matterctl.succeed("--version", "-v").stdout
        #expect(lines.hasPrefix("matterctl 0.2.0\ncommit "), "\(lines)")
        // Only the release has the commit; it is stamped after linking.
        if Laboratory.environment["MATTERCTL_BINARY"]?.isEmpty == false {
            let commit = try #require(json["commit"]?.string, "\(json)")
            #expect(commit.contains(/^[0-9a-f]{40}\+?$/) && lines.contains(commit), "\(json) \(lines)")
        }
    }

    @Test("it starts without the libraries that only some commands need")
    func needed() async throws {
        let header = try await output("/usr/bin/readelf", ["-d", "-W", Laboratory.binary.path])
        let libraries = header.stdout.split(separator: "\n").filter { $0.contains("(NEEDED)") }
        #expect(libraries.contains { $0.contains("libc.so") })
        for name in ["curl", "ssl", "crypto", "avahi", "dbus", "qrencode"] {
            #expect(!libraries.contains { $0.contains("lib" + name) }, "\(libraries)")
        }
    }

    @Test("no libcurl: 11 with the package's name, and nothing was sent")
    func noLibrary() async throws {
        // Files of those names which are no libraries keep the loader from finding the real ones.
        let folder = try TemporaryFolder()
        for name in ["libcurl.so.4", "libcurl-gnutls.so.4"] { try Data("none".utf8).write(to: folder.file(name)) }
        var matterctl = try MatterCtl()
        matterctl.environment["LD_LIBRARY_PATH"] = folder.url.path
        matterctl.environment["MATTERCTL_CLOUD_PASSWORD"] = "Correct-Horse-9"
        let outcome = try await matterctl.run([
            "cloud", "login", "--url", "http://127.0.0.1:1", "--user", "me@example.com", "--json",
        ])
        #expect(outcome.status == 11 && outcome.stdout.isEmpty, "\(outcome)")
        let error = try outcome.error()
        #expect(error["id"]?.string == "cloud.library-missing", "\(error)")
        #expect(error["transport"]?.string == "http.library-missing", "\(error)")
        #expect(error["message"]?.string?.contains("libcurl.so.4") == true, "\(error)")
        #expect(error["hint"]?.string?.contains("apt install libcurl4") == true, "\(error)")
    }

    @Test("a name service that hangs does not outlast --timeout")
    func hangingNameService() async throws {
        let folder = try TemporaryFolder()
        let hanging = """
            printf 'nameserver 127.0.0.77\\noptions timeout:30 attempts:1\\n' > "$1"
            mount --bind "$1" /etc/resolv.conf
            python3 -c 'import socket, time
            server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            server.bind(("127.0.0.77", 53))
            print("here", flush=True)
            time.sleep(45)' > "$1.server" &
            until grep -qs here "$1.server"; do sleep 0.05; done
            shift
            "$@" || status=$?
            kill %1
            exit $status
            """
        var environment = Laboratory.environment
        environment["MATTERCTL_HOME"] = folder.file("home").path
        environment["MATTERCTL_CLOUD_PASSWORD"] = "Correct-Horse-9"
        let start = ContinuousClock.now
        let outcome = try await output(
            "/usr/bin/unshare",
            [
                "-m", "bash", "-c", hanging, "bash", folder.file("resolv.conf").path, Laboratory.binary.path, "cloud",
                "login", "--url", "https://cloud.example", "--user", "me@example.com", "--timeout", "2s", "--json",
            ], environment: environment)
        let time = ContinuousClock.now - start
        #expect(outcome.status == 9, "\(outcome)")
        #expect(try JSON(parsing: outcome.stderr)["error"]?["transport"]?.string == "http.timed-out", "\(outcome)")
        #expect(time > .seconds(2) && time < .seconds(15), "\(time)")
    }
}
