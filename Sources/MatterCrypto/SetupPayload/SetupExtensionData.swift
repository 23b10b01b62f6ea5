import MatterBase

/// The optional TLV part of a QR payload (Matter core specification, 5.1.5).
public struct SetupExtensionData: Hashable, Sendable {
    /// A serial number, as text or as a number.
    public enum SerialNumber: Hashable, Sendable {
        /// As a text.
        case text(String)
        /// As a number.
        case number(UInt32)
    }

    /// A vendor's element, under a tag from 0x80 to 0xFF.
    public struct VendorElement: Hashable, Sendable {
        /// The value of an element.
        public enum Value: Hashable, Sendable {
            /// As a text.
            case text(String)
            /// As a number.
            case number(Int64)
        }

        /// The number of the element: its tag, from 0x80 on.
        public var tag: UInt8
        /// The value.
        public var value: Value
    }

    /// The serial number; `nil` if the code has none.
    public var serialNumber: SerialNumber?
    /// How often the passcode is hashed; `nil` if the code does not say.
    public var pbkdf2Iterations: UInt32?
    /// The salt with which the passcode is hashed; `nil` if the code does not say.
    public var pbkdf2Salt: [UInt8]?
    /// How many devices the code is for.
    public var numberOfDevices: UInt8?
    /// How long the device stays in commissioning mode, in seconds.
    public var commissioningTimeout: UInt16?
    /// In ascending order of their tags, once read.
    public var vendorElements: [VendorElement] = []

    /// Nothing.
    public init() {}

    package var isEmpty: Bool { self == SetupExtensionData() }

    private enum Tag {
        static let serialNumber: UInt8 = 0
        static let pbkdf2Iterations: UInt8 = 1
        static let pbkdf2Salt: UInt8 = 2
        static let numberOfDevices: UInt8 = 3
        static let commissioningTimeout: UInt8 = 4
        static let vendor: ClosedRange<UInt8> = 0x80...0xFF
    }
}

// MARK: - Reading

extension SetupExtensionData {
    /// Reads the bytes after the fixed part; there may be none.
    ///
    /// Zero bytes after the structure are ignored, and so are elements with other tags or of other types.
    init(decoding octets: [UInt8]) throws(SetupPayloadError) {
        guard !octets.isEmpty else { return }
        // A structure ends with 0x18, so that zeros at the end cannot belong to it.
        guard let last = octets.lastIndex(where: { $0 != 0 }) else {
            throw SetupPayloadError(.extensionData, "the data after the passcode is not a structure")
        }
        let element: TLVElement
        do {
            element = try TLVElement(decoding: Array(octets[...last]))
        } catch {
            throw SetupPayloadError(.extensionData, "the data after the passcode is malformed: \(error)")
        }
        guard element.tag == .anonymous, case .structure(let members) = element.value else {
            throw SetupPayloadError(.extensionData, "the data after the passcode is not a structure")
        }
        for member in members {
            if case .context(let tag) = member.tag { try read(member.value, tag: tag) }
        }
        // The order in a code says nothing; two codes that differ in it alone are the same.
        vendorElements.sort { $0.tag < $1.tag }
    }

    private mutating func read(_ value: TLVValue, tag: UInt8) throws(SetupPayloadError) {
        switch (tag, value) {
        case (Tag.serialNumber, .string(let text)): serialNumber = .text(text)
        case (Tag.serialNumber, .uint(let number)): serialNumber = .number(try fit(number, "serial number"))
        case (Tag.pbkdf2Iterations, .uint(let number)): pbkdf2Iterations = try fit(number, "PBKDF2 iteration count")
        case (Tag.pbkdf2Salt, .octets(let salt)): pbkdf2Salt = salt
        case (Tag.numberOfDevices, .uint(let number)): numberOfDevices = try fit(number, "number of devices")
        case (Tag.commissioningTimeout, .uint(let number)):
            commissioningTimeout = try fit(number, "commissioning timeout")
        case (Tag.vendor, .string(let text)): vendorElements.append(VendorElement(tag: tag, value: .text(text)))
        case (Tag.vendor, .int(let number)): vendorElements.append(VendorElement(tag: tag, value: .number(number)))
        case (Tag.vendor, .uint(let number)):
            guard let number = Int64(exactly: number) else { return }
            vendorElements.append(VendorElement(tag: tag, value: .number(number)))
        default: break
        }
    }

    private func fit<T: FixedWidthInteger>(_ number: UInt64, _ name: String) throws(SetupPayloadError) -> T {
        guard let fitting = T(exactly: number) else {
            throw SetupPayloadError(.extensionData, "the \(name) \(number) is out of range")
        }
        return fitting
    }
}

// MARK: - Writing

extension SetupExtensionData {
    /// The structure in the order of its tags; nothing if there is nothing to say.
    func encoded() throws(SetupPayloadError) -> [UInt8] {
        guard !isEmpty else { return [] }
        try checkWritable()
        var members: [TLVElement] = []
        func add(_ tag: UInt8, _ value: TLVValue?) {
            if let value { members.append(TLVElement(.context(tag), value)) }
        }
        add(
            Tag.serialNumber,
            serialNumber.map {
                switch $0 {
                case .text(let text): .string(text)
                case .number(let number): .uint(UInt64(number))
                }
            })
        add(Tag.pbkdf2Iterations, pbkdf2Iterations.map { .uint(UInt64($0)) })
        add(Tag.pbkdf2Salt, pbkdf2Salt.map { .octets($0) })
        add(Tag.numberOfDevices, numberOfDevices.map { .uint(UInt64($0)) })
        add(Tag.commissioningTimeout, commissioningTimeout.map { .uint(UInt64($0)) })
        for element in vendorElements.sorted(by: { $0.tag < $1.tag }) {
            switch element.value {
            case .text(let text): add(element.tag, .string(text))
            case .number(let number): add(element.tag, .int(number))
            }
        }
        return TLVElement(.anonymous, .structure(members)).encoded()
    }

    private func checkWritable() throws(SetupPayloadError) {
        func check(_ condition: Bool, _ reason: String) throws(SetupPayloadError) {
            guard condition else { throw SetupPayloadError(.extensionData, reason) }
        }
        if case .text(let text) = serialNumber {
            try check(1...32 ~= text.utf8.count, "a serial number has 1 to 32 bytes")
        }
        try check(
            (pbkdf2Iterations == nil) == (pbkdf2Salt == nil),
            "PBKDF2 iterations and salt must be given together")
        if let pbkdf2Iterations {
            try check(1_000...100_000 ~= pbkdf2Iterations, "the PBKDF2 iteration count must be 1000 to 100000")
        }
        if let pbkdf2Salt { try check(16...32 ~= pbkdf2Salt.count, "a PBKDF2 salt has 16 to 32 bytes") }
        try check(numberOfDevices != 0, "the number of devices is 0")
        try check(vendorElements.allSatisfy { Tag.vendor ~= $0.tag }, "vendor elements have tags from 128 to 255")
        try check(Set(vendorElements.map(\.tag)).count == vendorElements.count, "two vendor elements have the same tag")
        for element in vendorElements {
            if case .number(let number) = element.value {
                try check(Int32(exactly: number) != nil, "a vendor element is a text or a number of 32 bits")
            }
        }
    }
}

extension SetupExtensionData.SerialNumber: JSONConvertible {
    /// The text or the number as JSON.
    public var json: JSONValue {
        switch self {
        case .text(let text): text.json
        case .number(let number): number.json
        }
    }
}

extension SetupExtensionData.VendorElement.Value: JSONConvertible {
    /// The text or the number as JSON.
    public var json: JSONValue {
        switch self {
        case .text(let text): text.json
        case .number(let number): number.json
        }
    }
}
