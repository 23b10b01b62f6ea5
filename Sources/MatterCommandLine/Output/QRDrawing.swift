import Glibc

/// A QR code drawn with half blocks, by libqrencode where it is installed.
enum QRDrawing {
    private typealias Encode =
        @convention(c) (UnsafePointer<CChar>, Int32, Int32, Int32, Int32) -> UnsafeMutableRawPointer?
    private typealias Free = @convention(c) (UnsafeMutableRawPointer) -> Void

    /// QRcode of qrencode.h: its version, its width in modules, and an octet for each module with darkness as bit 0.
    private struct Code {
        var version: Int32
        var width: Int32
        var data: UnsafePointer<UInt8>?
    }

    private static let library = "libqrencode.so.4"
    private static let lowCorrection: Int32 = 0
    private static let octetMode: Int32 = 2
    /// Light modules around the code, as ISO/IEC 18004 asks for.
    private static let border = 4
    /// Modules of the largest code there is.
    private static let largestWidth: Int32 = 177

    /// - Returns: `nil` where the library is absent.
    static func lines(_ text: String) -> [String]? {
        guard let handle = dlopen(library, RTLD_NOW | RTLD_LOCAL) else { return nil }
        defer { dlclose(handle) }
        guard let encodeSymbol = dlsym(handle, "QRcode_encodeString"), let freeSymbol = dlsym(handle, "QRcode_free")
        else { return nil }
        // A symbol has no type: these are the signatures of qrencode.h, which the major version in the file name promises
        // to keep. The text is a payload that this program made itself.
        let encode = unsafeBitCast(encodeSymbol, to: Encode.self)
        // A symbol has no type, as above.
        let free = unsafeBitCast(freeSymbol, to: Free.self)
        guard let made = encode(text, 0, lowCorrection, octetMode, 1) else { return nil }
        defer { free(made) }
        let code = made.assumingMemoryBound(to: Code.self).pointee
        guard let data = code.data, code.width > 0, code.width <= largestWidth else { return nil }
        let width = Int(code.width)
        func isDark(_ row: Int, _ column: Int) -> Bool {
            guard (0..<width).contains(row), (0..<width).contains(column) else { return false }
            return data[row * width + column] & 1 != 0
        }
        // Terminals are dark more often than not: light modules are drawn, dark ones left out.
        return stride(from: -border, to: width + border, by: 2).map { row in
            String(
                (-border..<width + border).map { column -> Character in
                    switch (isDark(row, column), isDark(row + 1, column)) {
                    case (false, false): "█"
                    case (false, true): "▀"
                    case (true, false): "▄"
                    case (true, true): " "
                    }
                })
        }
    }
}
