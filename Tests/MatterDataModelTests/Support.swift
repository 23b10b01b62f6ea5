import Foundation
import JSON
import MatterBase
import TestSupport
import Testing

@testable import MatterModel

/// The checkout that these tests belong to, and the reference material beside it.
enum Checkout {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
        .standardizedFileURL
    static let reference = Shared.folder("reference", lost: "the generated table is not checked")

    /// Whether the machine-readable data model is at hand.
    static var hasReference: Bool { reference != nil }

    static func referenceFile(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: #require(reference).appendingPathComponent(name)))
    }
}

extension Catalogue {
    /// A field of a request command, for tests that know it is there.
    func field(_ cluster: String, _ command: String, _ field: String) throws -> FieldDefinition {
        try #require(try self.cluster(named: cluster).command(named: command).fields.named(field))
    }

    /// The type of an attribute.
    func type(_ cluster: String, _ attribute: String) throws -> DataType {
        try self.cluster(named: cluster).attribute(named: attribute).type
    }
}

extension ValueParser {
    /// The TLV of one word, when there must be no warning.
    func quietly(_ word: String, as type: DataType) throws -> TLVValue {
        let parsed = try value(word: word, as: type, at: "x")
        #expect(parsed.warnings.isEmpty, "\(word)")
        return parsed.value
    }
}

/// The error that an expression throws; `nil` if it throws none of ours.
func failure(_ body: () throws -> Void) -> DataModelError? {
    do {
        try body()
        return nil
    } catch {
        return error as? DataModelError
    }
}

/// The code of the error that an expression throws.
func code(_ body: () throws -> Void) -> DataModelError.Code? { failure(body)?.code }

func json(_ text: String) throws -> JSONValue { try JSONValue(parsing: text) }
