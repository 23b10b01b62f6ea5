import Glibc
public import JSON

/// Files that users name; `-` is stdin.
public enum InputFile {
    private static let largest = 16 << 20
    private static let longestLine = 16_384

    /// The contents of a file of at most 16 MiB.
    public static func contents(_ path: String) throws -> [UInt8] { try contents(path, upTo: largest) }

    /// The contents of a file.
    ///
    /// - Parameter limit: the most bytes that it may have.
    static func contents(_ path: String, upTo limit: Int) throws -> [UInt8] {
        let source = try Source(path)
        defer { source.close() }
        var contents: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = try buffer.withUnsafeMutableBytes { buffer throws in try source.read(buffer[...]) }
            if count == 0 { return contents }
            contents += buffer[..<count]
            guard contents.count <= limit else {
                throw CommandLineError(.usageFile, "\(path) is larger than \(limit >> 20) MiB")
            }
        }
    }

    /// The contents of a small file that is not empty.
    ///
    /// - Parameter largest: in bytes.
    public static func contents(_ path: String, largest: Int) throws -> [UInt8] {
        let contents = try contents(path)
        guard !contents.isEmpty, contents.count <= largest else {
            throw CommandLineError(.usageFile, "\(path) is empty or has more than \(largest) bytes")
        }
        return contents
    }

    /// The JSON object in a small file.
    public static func object(_ path: String) throws -> JSONObject {
        guard let object = try JSONValue(parsing: try contents(path, largest: 65_536)).objectValue else {
            throw CommandLineError(.usageFile, "\(path) is not a JSON object")
        }
        return object
    }

    /// The first line of a file that may hold a secret: no copy of it stays behind but the result.
    public static func firstLine(_ path: String) throws -> String {
        let source = try Source(path)
        defer { source.close() }
        var octets = [UInt8](repeating: 0, count: longestLine)
        defer {
            octets.withUnsafeMutableBytes { buffer in
                if let start = buffer.baseAddress { explicit_bzero(start, buffer.count) }
            }
        }
        var count = 0
        while count < octets.count {
            let part = try octets.withUnsafeMutableBytes { buffer throws in try source.read(buffer[count...]) }
            guard part > 0 else { break }
            count += part
        }
        let line = octets.prefix(count).prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        guard !line.isEmpty, let text = String(validating: line, as: UTF8.self) else {
            throw CommandLineError(.usageFile, "\(path) is empty or is not text")
        }
        return text
    }

    /// An open file.
    private struct Source {
        private let path: String
        private let descriptor: Int32
        private let isInput: Bool

        init(_ path: String) throws(CommandLineError) {
            self.path = path
            isInput = path == "-"
            descriptor = isInput ? Terminal.current.input : open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw failure() }
        }

        func close() { if !isInput { Glibc.close(descriptor) } }

        /// - Returns: how many bytes were read; 0 at the end.
        func read(_ buffer: Slice<UnsafeMutableRawBufferPointer>) throws -> Int {
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer)
            while true {
                if isInput { try StandardInput.wait() }
                let count = Glibc.read(descriptor, part.baseAddress, part.count)
                if count >= 0 { return count }
                guard errno == EINTR else { throw failure() }
            }
        }

        private func failure() -> CommandLineError {
            CommandLineError(.usageFile, "cannot read \(path): \(String(cString: strerror(errno)))")
        }
    }
}
