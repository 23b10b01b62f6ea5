import FoundationEssentials
import MatterCrypto

extension ThreadDataset {
    /// Reads a dataset as people have it: in hexadecimal digits, with blanks, line ends, colons or a leading `hex:`, or in
    /// base64.
    ///
    /// - Throws: ``ThreadDatasetError``.
    public init(parsing text: String) throws(ThreadDatasetError) {
        let isPrefixed = text.hasPrefix("hex:")
        let digits = text.dropFirst(isPrefixed ? 4 : 0).filter { !$0.isWhitespace && $0 != ":" }
        guard !digits.isEmpty else {
            throw ThreadDatasetError(.unrecognized, "the input is empty", hint: Self.source)
        }
        guard digits.first != "{", digits.first != "[" else {
            throw ThreadDatasetError(
                .unrecognized, "the input is JSON, not a dataset",
                hint:
                    "ask the border router for text: curl -H 'Accept: text/plain' http://HOST:8081/node/dataset/active")
        }
        guard digits.utf8.count <= 4 * Self.largest else {
            throw ThreadDatasetError(
                .malformed, "the input is longer than any dataset", hint: Self.source)
        }
        if digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) {
            guard let bytes = try? Hex.decode(digits) else {
                throw ThreadDatasetError(
                    .unrecognized, "an odd number of hexadecimal digits (\(digits.count))",
                    hint: "copy all of it: a digit is missing")
            }
            guard bytes.count != 16 else {
                throw ThreadDatasetError(
                    .incomplete, "these are 16 bytes: a network key alone, or another part, is not a dataset",
                    hint: Self.source)
            }
            try self.init(decoding: bytes)
        } else if !isPrefixed, let data = Data(base64Encoded: digits) {
            try self.init(decoding: Array(data))
        } else {
            throw ThreadDatasetError(
                .unrecognized, "the input is neither hexadecimal digits nor base64", hint: Self.source)
        }
    }

    private static let source: Hint = "print the dataset on the border router: ot-ctl dataset active -x"

    /// The dataset in hexadecimal digits: it has the keys of the network in it.
    public var secretText: String { encoded.withUnsafeBytes { Hex.encode($0) } }
}
