import Foundation

/// A server on this machine that speaks TLS and answers each request with 200.
final class TLSServer: Sendable {
    private static let program = """
        import os, socket, ssl, sys, threading

        certificate, key, log, newest = sys.argv[1:]
        threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()

        def context(kind):
            made = ssl.SSLContext(kind)
            # Old versions need ciphers that are off by default.
            made.set_ciphers("ALL:@SECLEVEL=0")
            made.minimum_version = ssl.TLSVersion.TLSv1
            made.maximum_version = ssl.TLSVersion[newest]
            return made

        server = context(ssl.PROTOCOL_TLS_SERVER)
        server.load_cert_chain(certificate, key)
        listener = socket.create_server(("127.0.0.1", 0))

        def answer(connection):
            head = b""
            while b"\\r\\n\\r\\n" not in head:
                part = connection.recv(65536)
                if not part:
                    return
                head += part
            with open(log, "ab") as file:
                file.write(head)
            connection.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\nConnection: close\\r\\n\\r\\nhi")

        def serve():
            while True:
                connection, _ = listener.accept()
                connection.settimeout(10)
                try:
                    with server.wrap_socket(connection, server_side=True) as secured:
                        answer(secured)
                except OSError:
                    connection.close()

        threading.Thread(target=serve).start()
        # A client that accepts everything shows that the server is what it is meant to be.
        client = context(ssl.PROTOCOL_TLS_CLIENT)
        client.check_hostname, client.verify_mode = False, ssl.CERT_NONE
        with client.wrap_socket(socket.create_connection(listener.getsockname())) as trial:
            print(listener.getsockname()[1], trial.version(), flush=True)
        """

    private let folder: URL
    private let process: Process
    private let life: Pipe
    let port: UInt16
    /// The protocol for a client that accepts everything, such as `TLSv1.1`.
    let version: String

    /// The bytes that have arrived inside of TLS.
    var requests: String { (try? String(contentsOf: log, encoding: .utf8)) ?? "" }
    private var log: URL { folder.appendingPathComponent("requests") }

    /// - Parameter newest: the newest version that it speaks, as Python calls it.
    init(certificate: String, newest: String) throws {
        struct Unavailable: Error {}
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        func file(_ name: String, _ text: String) throws -> String {
            let url = folder.appendingPathComponent(name)
            try Data(text.utf8).write(to: url)
            return url.path
        }
        let (process, life, output) = (Process(), Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "python3", "-W", "ignore", "-c", Self.program, try file("certificate", certificate),
            try file("key", TLSFixture.serverKey), folder.appendingPathComponent("requests").path, newest,
        ]
        process.standardInput = life
        process.standardOutput = output
        try process.run()
        var line = Data()
        while line.last != UInt8(ascii: "\n"), let part = try output.fileHandleForReading.read(upToCount: 1) {
            line += part
        }
        let words = String(decoding: line, as: UTF8.self).split(separator: " ")
        guard words.count == 2, let port = UInt16(words[0]) else { throw Unavailable() }
        (self.folder, self.process, self.life, self.port) = (folder, process, life, port)
        version = words[1].trimmingCharacters(in: .newlines)
    }

    func stop() {
        // It may have been started with the milder signals blocked.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }
}
