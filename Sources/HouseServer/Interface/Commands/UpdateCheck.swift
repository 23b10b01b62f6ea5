import MatterController

/// The question which firmware a node may go to: to the Alliance's ledger, and to the images that are here.
struct UpdateCheck: Sendable {
    /// How long the ledger may take.
    private static let patience = Duration.seconds(20)
    /// How many versions are looked at, from the newest on: each is a question.
    private static let most = 20
    /// How long an image may take to come.
    static let download = Duration.seconds(900)

    /// The version that is asked for: its number, its digits, or the vendor's words for it.
    enum Wanted: Sendable, CustomStringConvertible {
        case number(UInt32)
        case text(String)

        init(_ arguments: InterfaceArguments) throws(InterfaceError) {
            guard case .string(let text)? = arguments["software_version"] else {
                self = .number(try arguments.integer("software_version"))
                return
            }
            self = .text(text)
        }

        var description: String {
            switch self {
            case .number(let number): "\(number)"
            case .text(let text): "'\(text)'"
            }
        }

        func means(_ entry: ModelVersion) -> Bool { means(entry.version, entry.text) }

        func means(_ version: UInt32, _ words: String?) -> Bool {
            switch self {
            case .number(let number): version == number
            case .text(let text): words == text || UInt32(text) == version
            }
        }
    }

    let vendorID: UInt16
    let productID: UInt16
    /// The version that the node has.
    let version: UInt32

    init(vendorID: UInt16, productID: UInt16, version: UInt32) {
        (self.vendorID, self.productID, self.version) = (vendorID, productID, version)
    }

    /// - Returns: `nil` for a node that does not say what it is.
    init?(_ node: HouseBoard.Node) {
        func value<Number: FixedWidthInteger>(_ attribute: AttributeID) -> Number? {
            node.attributes[CachePath(0, BasicInformation.id.rawValue, attribute.rawValue)]?.integer()
        }
        guard let vendor: UInt16 = value(BasicInformation.Attribute.vendorID),
            let product: UInt16 = value(BasicInformation.Attribute.productID),
            let version: UInt32 = value(BasicInformation.Attribute.softwareVersion)
        else { return nil }
        self.init(vendorID: vendor, productID: product, version: version)
    }

    /// Whether the vendor lets a device with our version go to another one by itself.
    func isOffered(_ other: ModelVersion) -> Bool {
        other.version > version && other.isValid && other.updateURL != nil
            && other.applicable?.contains(version) ?? false
    }

    /// The newest version that the node may go to; `nil` if there is none. Answers that are a day old at most are taken from the
    /// cache, and older ones where the ledger gives none.
    ///
    /// - Parameter now: seconds since 1970.
    /// - Throws: ``LedgerError``, ``HTTPError``.
    func newest(by ledger: LedgerConnection, _ cache: LedgerCache, now: Int64) async throws -> ModelVersion? {
        try await first(by: ledger, cache, now: now, where: isOffered)
    }

    /// The version that is asked for, if the node may go to it.
    ///
    /// - Throws: as ``newest(by:_:now:)``.
    func entry(_ wanted: Wanted, by ledger: LedgerConnection, _ cache: LedgerCache, now: Int64) async throws
        -> ModelVersion?
    {
        try await first(by: ledger, cache, now: now) { wanted.means($0) && isOffered($0) }
    }

    private func first(
        by ledger: LedgerConnection, _ cache: LedgerCache, now: Int64, where fits: (ModelVersion) -> Bool
    ) async throws -> ModelVersion? {
        try await ledger.withClient(.main, deadline: .now + Self.patience) { client in
            let all: LedgerQuery<[UInt32]> = .versions(vendorID, productID)
            let known = try await cache.answer(all, from: client, refresh: false, now: now).answer ?? []
            for number in known.filter({ $0 > version }).suffix(Self.most).reversed() {
                let query: LedgerQuery<ModelVersion> = .version(vendorID, productID, number)
                let entry = try await cache.answer(query, from: client, refresh: false, now: now).answer
                if let entry, fits(entry) { return entry }
            }
            return nil
        }
    }

    /// The image that is told instead of the ledger's version: the newest one, unless the ledger's is newer.
    ///
    /// - Parameter local: the images that are here and fit, the newest first.
    static func preferred(_ local: [UpdateHeader], over offered: ModelVersion?) -> UpdateHeader? {
        guard let newest = local.first, newest.version >= offered?.version ?? 0 else { return nil }
        return newest
    }

    /// The version of an image that is here, in the form of the interface.
    static func encoded(_ image: UpdateHeader, productID: UInt16) -> [UInt8] {
        JSONValue.object([
            "vid": .int(Int64(image.vendorID)), "pid": .int(Int64(productID)),
            "software_version": .int(Int64(image.version)), "software_version_string": .string(image.versionText),
            "firmware_information": .null,
            "min_applicable_software_version": .int(Int64(image.applicable.lowerBound)),
            "max_applicable_software_version": .int(Int64(image.applicable.upperBound)),
            "release_notes_url": image.releaseNotesURL.map { .string($0) } ?? .null, "update_source": "local",
        ]).utf8()
    }

    /// A version of the ledger in the form of the interface.
    func encoded(_ offered: ModelVersion) -> [UInt8] {
        JSONValue.object([
            "vid": .int(Int64(vendorID)), "pid": .int(Int64(productID)),
            "software_version": .int(Int64(offered.version)),
            "software_version_string": .string(offered.text ?? "\(offered.version)"),
            "firmware_information": offered.firmwareInformation.map { .string($0) } ?? .null,
            "min_applicable_software_version": .int(Int64(offered.applicable?.lowerBound ?? 0)),
            "max_applicable_software_version": .int(Int64(offered.applicable?.upperBound ?? 0)),
            "release_notes_url": offered.releaseNotesURL.map { .string($0) } ?? .null,
            "update_source": "main-net-dcl",
        ]).utf8()
    }
}
