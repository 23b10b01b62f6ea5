import Glibc
import Synchronization

/// A server on this machine that answers each connection with prepared bytes and keeps what it was sent.
final class ScriptedServer: Sendable {
    /// What it does with one connection.
    enum Step: Sendable {
        case answer(String)
        /// Answers, and then says nothing more for as long as the client stays.
        case answerThenSilence(String)
        /// Says nothing for as long as the client stays.
        case silence
        /// Answers, reads another request on the same connection, and closes without an answer to that.
        case answerThenHangUp(String)
        /// Closes without an answer.
        case hangUp
    }

    private let listener: Int32
    let port: UInt16
    private let received = Mutex<[String]>([])

    var requests: [String] { received.withLock { $0 } }

    init(_ steps: [Step]) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(descriptor, generic, size) == 0 && listen(descriptor, 8) == 0
                    && getsockname(descriptor, generic, &size) == 0
            }
        }
        struct Unavailable: Error {}
        guard bound else { throw Unavailable() }
        port = UInt16(bigEndian: address.sin_port)
        listener = descriptor
        let received: @Sendable (String) -> Void = { [weak self] text in self?.received.withLock { $0.append(text) } }
        let run = Script(listener: descriptor, steps: steps, received: received)
        var thread = pthread_t()
        let box = Unmanaged.passRetained(run)
        pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Script>.fromOpaque(argument).takeRetainedValue().serve()
                return nil
            }, box.toOpaque())
        pthread_detach(thread)
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    private final class Script: Sendable {
        let listener: Int32
        let steps: [Step]
        let received: @Sendable (String) -> Void

        init(listener: Int32, steps: [Step], received: @escaping @Sendable (String) -> Void) {
            self.listener = listener
            self.steps = steps
            self.received = received
        }

        func serve() {
            for step in steps {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { break }
                received(read(connection))
                switch step {
                case .answer(let text): send(text, connection)
                case .answerThenSilence(let text):
                    send(text, connection)
                    waitForEnd(connection)
                case .answerThenHangUp(let text):
                    send(text, connection)
                    received(read(connection))
                case .silence: waitForEnd(connection)
                case .hangUp: break
                }
                close(connection)
            }
            close(listener)
        }

        private func send(_ text: String, _ connection: Int32) {
            _ = Array(text.utf8).withUnsafeBytes { write(connection, $0.baseAddress, $0.count) }
        }

        private func waitForEnd(_ connection: Int32) {
            var byte: UInt8 = 0
            _ = Glibc.read(connection, &byte, 1)
        }

        /// Head and body, as far as they come in one piece.
        private func read(_ connection: Int32) -> String {
            var bytes: [UInt8] = []
            var part = [UInt8](repeating: 0, count: 65_536)
            while bytes.firstRange(of: Array("\r\n\r\n".utf8)) == nil {
                let count = Glibc.read(connection, &part, part.count)
                guard count > 0 else { break }
                bytes += part.prefix(count)
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }
}
