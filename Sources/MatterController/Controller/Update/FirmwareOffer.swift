import MatterModel

/// An image that is offered to one node, and how far the node has come with it: the provider's side of a software update as a value
/// (Matter core specification 11.20.6).
struct FirmwareOffer: Sendable {
    /// The event that a message of the node stands for.
    enum Event: Equatable, Sendable {
        /// It has asked for firmware, and was offered ours.
        case asked
        /// It has asked, and does not take ours.
        case declined(String)
        /// It has everything, and may use it now.
        case applying
        /// It says that it runs the new version.
        case applied(UInt32)
    }

    /// The answer to a command.
    struct Answer: Sendable {
        var outcome: CommandResult.Outcome
        var event: Event?
    }

    /// The least delay that a node may be asked for (11.20.3.4).
    private static let leastDelay: UInt32 = 120

    let image: UpdateImage
    /// The node that serves it: ours.
    let provider: NodeID
    /// The node that it is for.
    let requestor: NodeID
    /// The name of the file, which is no path.
    let designator: String
    private let token: [UInt8]
    /// Whether the image is being fetched.
    var isBeingFetched = false

    /// - Parameter token: 32 random octets; they stand for this node and this version.
    init(_ image: UpdateImage, by provider: NodeID, for requestor: NodeID, token: [UInt8]) {
        self.image = image
        self.provider = provider
        self.requestor = requestor
        self.token = token
        designator = "\(Hex.encode(token.prefix(8))).ota"
    }

    private var uri: String {
        let digits = String(provider.rawValue, radix: 16, uppercase: true)
        return "bdx://\(String(repeating: "0", count: 16 - digits.count))\(digits)/\(designator)"
    }

    /// The answer to a command of a node.
    func answer(_ path: CommandPath, _ fields: TLVValue?, from node: NodeID) -> Answer {
        guard path.cluster == OtaSoftwareUpdateProvider.id else { return Answer(.unsupportedCluster) }
        let fields = fields ?? .structure([])
        switch path.command {
        case OtaSoftwareUpdateProvider.QueryImage.id:
            guard let query = OtaSoftwareUpdateProvider.QueryImage(tlv: fields) else { return Answer(.invalidCommand) }
            return answer(query, from: node)
        case OtaSoftwareUpdateProvider.ApplyUpdateRequest.id:
            guard let request = OtaSoftwareUpdateProvider.ApplyUpdateRequest(tlv: fields) else {
                return Answer(.invalidCommand)
            }
            return answer(request, from: node)
        case OtaSoftwareUpdateProvider.NotifyUpdateApplied.id:
            guard let notice = OtaSoftwareUpdateProvider.NotifyUpdateApplied(tlv: fields) else {
                return Answer(.invalidCommand)
            }
            guard node == requestor else { return Answer(.success) }
            return Answer(.success, .applied(notice.softwareVersion))
        default: return Answer(.unsupportedCommand)
        }
    }

    private func answer(_ query: OtaSoftwareUpdateProvider.QueryImage, from node: NodeID) -> Answer {
        func no(_ status: OtaSoftwareUpdateProvider.Status, _ why: String, wait: UInt32? = nil) -> Answer {
            Answer(
                .init(OtaSoftwareUpdateProvider.QueryImageResponse(status: status, delayedActionTime: wait)),
                node == requestor ? .declined(why) : nil)
        }
        guard node == requestor else { return no(.notAvailable, "") }
        guard query.vendorID == image.vendorID, query.productID == image.productID || image.productID == 0 else {
            return no(.notAvailable, "it says that it is product \(query.vendorID)/\(query.productID)")
        }
        guard query.softwareVersion < image.version, image.applicable.contains(query.softwareVersion) else {
            return no(.notAvailable, "it says that it has version \(query.softwareVersion)")
        }
        guard query.protocolsSupported.contains(.bdxSynchronous) else {
            return no(.downloadProtocolNotSupported, "it does not fetch files by Bulk Data Exchange")
        }
        guard !isBeingFetched else { return no(.busy, "it fetches the image already", wait: Self.leastDelay) }
        // The user has asked for the update, which is the consent.
        return Answer(
            .init(
                OtaSoftwareUpdateProvider.QueryImageResponse(
                    status: .updateAvailable, delayedActionTime: 0, imageURI: uri, softwareVersion: image.version,
                    softwareVersionString: image.versionText, updateToken: token, userConsentNeeded: false)), .asked)
    }

    /// A node that asks with a token of an earlier process of ours is let go on, if the version is the one that is wanted.
    private func answer(_ request: OtaSoftwareUpdateProvider.ApplyUpdateRequest, from node: NodeID) -> Answer {
        let isWanted = node == requestor && request.newVersion == image.version
        return Answer(
            .init(
                OtaSoftwareUpdateProvider.ApplyUpdateResponse(
                    action: isWanted ? .proceed : .discontinue, delayedActionTime: 0)),
            isWanted ? .applying : nil)
    }

    /// Whether a node may fetch a file.
    func serves(_ designator: [UInt8], to node: NodeID) -> Bool {
        node == requestor && designator == Array(self.designator.utf8)
    }
}

extension FirmwareOffer.Answer {
    fileprivate init(_ outcome: CommandResult.Outcome, _ event: FirmwareOffer.Event? = nil) {
        self.outcome = outcome
        self.event = event
    }

    fileprivate init(_ status: IMStatus, _ event: FirmwareOffer.Event? = nil) {
        self.init(.status(StatusIB(status)), event)
    }
}

extension CommandResult.Outcome {
    fileprivate init(_ response: some ClusterResponse) {
        self = .response(command: type(of: response).id, fields: response.tlv)
    }
}
