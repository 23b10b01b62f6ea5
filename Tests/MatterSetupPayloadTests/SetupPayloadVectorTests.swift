import Foundation
import MatterBase
import TestSupport
import Testing

@testable import MatterCrypto

@Suite("setup payload vectors", .vectors, .enabled(if: Vectors.available))
struct SetupPayloadVectorTests {
    struct File: Decodable {
        var vectors: [Vector]
        var base38: [Base38Vector]
        var extractPayload: [ExtractVector]
        var qrTlv: [TLVVector]
    }

    struct Vector: Decodable {
        enum Fields: Decodable {
            case one(Payload)
            case several([Payload])

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let list = try? container.decode([Payload].self) {
                    self = .several(list)
                } else {
                    self = .one(try container.decode(Payload.self))
                }
            }

            var all: [Payload] {
                switch self {
                case .one(let payload): [payload]
                case .several(let payloads): payloads
                }
            }
        }

        struct Payload: Decodable {
            var vendorId: UInt16?
            var productId: UInt16?
            var flow: UInt8?
            var capabilities: UInt8?
            var discriminator: UInt16?
            var shortDiscriminator: UInt8?
            var passcode: UInt32
            var tlv: String?
        }

        var kind: String
        var code: String
        var valid: Bool?
        var fields: Fields?
        var reason: String?
    }

    struct Base38Vector: Decodable {
        var text: String
        var valid: Bool
        var bytes: String?
    }

    struct ExtractVector: Decodable {
        var input: String
        var payload: String
    }

    struct TLVVector: Decodable {
        var tlv: String
        var decoded: [String: Value]
        var valid: Bool
        var code: String

        enum Value: Decodable, Equatable {
            case text(String)
            case number(Int64)

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let number = try? container.decode(Int64.self) {
                    self = .number(number)
                } else {
                    self = .text(try container.decode(String.self))
                }
            }
        }
    }

    private static func vectors<Case>(atLeast least: Int = 1, _ list: (File) -> [Case]) throws -> [Case] {
        try Vectors.cases("setup-payloads.json", atLeast: least, list)
    }

    @Test(
        "valid codes give the documented fields",
        arguments: try vectors(atLeast: 51) { $0.vectors.filter { $0.valid == true } })
    func valid(vector: Vector) throws {
        let payloads = try SetupPayload.parse(vector.code)
        let expected = try #require(vector.fields).all
        #expect(payloads.count == expected.count, "\(vector.code)")
        for (payload, fields) in zip(payloads, expected) {
            #expect(payload.vendorID ?? 0 == fields.vendorId ?? 0, "\(vector.code)")
            #expect(payload.productID ?? 0 == fields.productId ?? 0)
            #expect(payload.passcode.value == fields.passcode)
            #expect(payload.discriminator.long == fields.discriminator)
            #expect(payload.discoveryCapabilities?.rawValue == fields.capabilities)
            if let flow = fields.flow { #expect(payload.commissioningFlow.rawValue == flow) }
            if let short = fields.shortDiscriminator { #expect(payload.discriminator.short == short) }
        }
    }

    @Test(
        "the documented fields make the very same code",
        arguments: try vectors(atLeast: 51) { $0.vectors.filter { $0.valid == true } })
    func make(vector: Vector) throws {
        let expected = try #require(vector.fields).all
        let payloads = try expected.map { fields in
            SetupPayload(
                vendorID: fields.vendorId, productID: fields.productId,
                commissioningFlow: vector.kind == "manual"
                    ? (fields.vendorId == nil ? .standard : .custom)
                    : try #require(fields.flow.flatMap(SetupPayload.CommissioningFlow.init)),
                discoveryCapabilities: fields.capabilities.map(SetupPayload.DiscoveryCapabilities.init),
                discriminator: try fields.discriminator.map { try SetupDiscriminator(long: $0) }
                    ?? SetupDiscriminator(short: #require(fields.shortDiscriminator)),
                passcode: try SetupPasscode(fields.passcode))
        }
        if vector.kind == "manual" {
            #expect(try payloads[0].manualCode() == vector.code.filter(\.isNumber))
        } else {
            #expect(try SetupPayload.qrCode(payloads) == vector.code)
        }
    }

    @Test(
        "every code that is not valid is refused, for the documented reason",
        arguments: try vectors(atLeast: 36) { $0.vectors.filter { $0.valid != true } })
    func invalid(vector: Vector) throws {
        let reasons: [String: Set<SetupPayloadError.Code>] = [
            "version": [.version], "passcode": [.passcode], "length": [.length], "no MT: prefix": [.unrecognized],
            "empty": [.length], "character": [.character], "check digit": [.checkDigit], "first digit": [.group],
            "long flag, short code": [.length], "vendor id > 65535": [.group],
        ]
        let error = #expect(throws: SetupPayloadError.self, "\(vector.code)") {
            try SetupPayload.parse(vector.code)
        }
        if let reason = vector.reason, let codes = reasons[reason], let error {
            #expect(codes.contains(error.code), "\(vector.code): \(error)")
        }
    }

    @Test("base 38 in both directions", arguments: try vectors { $0.base38 })
    func base38(vector: Base38Vector) throws {
        if vector.valid {
            let octets = hex(try #require(vector.bytes))
            #expect(try Base38.decode(vector.text) == octets)
            #expect(Base38.encode(octets) == vector.text)
        } else {
            #expect(throws: SetupPayloadError.self, "\(vector.text)") { try Base38.decode(vector.text) }
        }
    }

    @Test("the Matter segment is found among others", arguments: try vectors { $0.extractPayload })
    func extract(vector: ExtractVector) {
        #expect(QRPayload.payload(in: vector.input) ?? "" == vector.payload, "\(vector.input)")
    }

    @Test("the TLV part of QR payloads", arguments: try vectors { $0.qrTlv })
    func extensionData(vector: TLVVector) throws {
        try #require(vector.valid)
        let payload = try #require(try SetupPayload.parse(vector.code).first)
        let data = payload.extensionData
        var found: [String: TLVVector.Value] = [:]
        switch data.serialNumber {
        case .text(let text): found["serialNumber"] = .text(text)
        case .number(let number): found["serialNumber"] = .number(Int64(number))
        case nil: break
        }
        found["pbkdfIterations"] = data.pbkdf2Iterations.map { .number(Int64($0)) }
        found["pbkdfSalt"] = data.pbkdf2Salt.map { .text(hexString($0)) }
        for element in data.vendorElements {
            let key = "0x" + String(element.tag, radix: 16)
            switch element.value {
            case .text(let text): found[key] = .text(text)
            case .number(let number): found[key] = .number(number)
            }
        }
        #expect(found == vector.decoded)
        #expect(try SetupPayload.parse(payload.qrCode()) == [payload])
        // The one with a vendor element has it first; we write in the order of the tags.
        if data.vendorElements.isEmpty { #expect(try payload.qrCode() == vector.code) }
    }
}
