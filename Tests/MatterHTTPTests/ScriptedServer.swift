import Glibc
import Synchronization
import TestSupport

/// A server on this machine that answers each connection with prepared bytes and keeps what it was sent.
final class ScriptedServer: Sendable {
    /// Its behaviour on one connection.
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

    private let listener: LocalListener
    let port: UInt16
    private let received = Mutex<[String]>([])

    var requests: [String] { received.withLock { $0 } }

    init(_ steps: [Step]) throws {
        let listener = try LocalListener()
        (self.listener, port) = (listener, listener.port)
        let received: @Sendable (String) -> Void = { [weak self] text in self?.received.withLock { $0.append(text) } }
        let run = Script(listener: listener, steps: steps, received: received)
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

    deinit { listener.refuse() }

    private final class Script: Sendable {
        let listener: LocalListener
        let steps: [Step]
        let received: @Sendable (String) -> Void

        init(listener: LocalListener, steps: [Step], received: @escaping @Sendable (String) -> Void) {
            self.listener = listener
            self.steps = steps
            self.received = received
        }

        func serve() {
            for step in steps {
                guard let connection = listener.next() else { break }
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
            listener.refuse()
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
