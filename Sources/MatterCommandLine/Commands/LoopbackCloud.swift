import Glibc
import JSON
import MatterHTTP
import MatterSimulator

/// The way of virtual controllers to a cloud on this machine: HTTP/1.1 over a socket that is waited for.
struct LoopbackCloud: ControllerCloud {
    /// How long the cloud may be silent, seconds.
    private static let patience = 10
    private static let largest = 1 << 20

    func call(_ method: String, _ url: String, token: String?, body: JSONValue?) -> JSONValue? {
        // The query is no part of what a base URL is.
        let parts = url.split(separator: "?", maxSplits: 1)
        guard let head = parts.first, let place = try? BaseURL(parsing: String(head)), place.scheme == .http,
            place.isLoopback, url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), let socket = connect(place)
        else { return nil }
        defer { close(socket) }
        let target = place.path + (parts.count > 1 ? "?\(parts[1])" : "")
        var lines = ["\(method) \(target) HTTP/1.1", "Host: \(place.host):\(place.port)", "Connection: close"]
        if let token { lines.append("Authorization: \(token)") }
        let contents = body?.utf8() ?? []
        if body != nil { lines += ["Content-Type: application/json", "Content-Length: \(contents.count)"] }
        let request = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + contents
        guard send(request, socket), let answer = receive(socket) else { return nil }
        return Self.body(of: answer)
    }

    private func connect(_ place: BaseURL) -> Int32? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(place.host, "\(place.port)", &hints, &found) == 0 else { return nil }
        defer { freeaddrinfo(found) }
        var next = found
        while let candidate = next?.pointee {
            let descriptor = socket(candidate.ai_family, candidate.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), 0)
            guard descriptor >= 0 else { return nil }
            var limit = timeval(tv_sec: Self.patience, tv_usec: 0)
            let size = socklen_t(MemoryLayout<timeval>.size)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
            setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
            if Glibc.connect(descriptor, candidate.ai_addr, candidate.ai_addrlen) == 0 { return descriptor }
            close(descriptor)
            next = candidate.ai_next
        }
        return nil
    }

    private func send(_ octets: [UInt8], _ socket: Int32) -> Bool {
        var rest = octets[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Everything until the cloud closes, which it was asked to do.
    private func receive(_ socket: Int32) -> [UInt8]? {
        var octets: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 16_384)
        while octets.count <= Self.largest {
            let count = recv(socket, &part, part.count, 0)
            if count == 0 { return octets }
            guard count > 0 else { return nil }
            octets += part.prefix(count)
        }
        return nil
    }

    private static func body(of answer: [UInt8]) -> JSONValue? {
        guard let end = answer.firstRange(of: Array("\r\n\r\n".utf8)),
            String(decoding: answer.prefix(12), as: UTF8.self).hasPrefix("HTTP/1.1 2")
        else { return nil }
        return try? JSONValue(parsing: Array(answer[end.upperBound...]))
    }
}
