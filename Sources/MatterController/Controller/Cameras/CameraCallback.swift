public import MatterCrypto
import MatterModel

/// A command that a camera invokes on our node later, for a session that was begun with it (Matter application cluster specification 11.6,
/// WebRTC Transport Requestor).
public struct CameraCallback: Equatable, Sendable {
    /// The command.
    public enum Content: Equatable, Sendable {
        /// The camera offers media.
        case offer(sdp: String, iceServers: [ICEServer]?, iceTransportPolicy: String?)
        /// The camera takes our offer.
        case answer(sdp: String)
        /// Ways on which the camera can be reached.
        case iceCandidates([ICECandidate])
        /// The camera ends the session, for a reason of WebRTCEndReasonEnum.
        case end(reason: UInt8)
    }

    /// A server that helps to find a way (ICEServerStruct).
    public struct ICEServer: Equatable, Sendable {
        /// Its URLs.
        public var urls: [String]
        /// The user name; `nil` if none is needed.
        public var username: String?
        /// The password that goes with it.
        public var credential: String?
        /// The number of a certificate of the camera's; `nil` for none.
        public var caid: UInt16?
    }

    /// A way on which a peer can be reached (ICECandidateStruct).
    public struct ICECandidate: Equatable, Sendable {
        /// As SDP has it.
        public var candidate: String
        /// The media that it is for, by name.
        public var sdpMid: String?
        /// The media that it is for, by the number of its line.
        public var sdpMLineIndex: UInt16?
    }

    /// The camera.
    public var node: NodeID
    /// The number of the endpoint of the camera; 0 until the session is known.
    public var endpoint: UInt16
    /// The session, by the number that the camera gave it.
    public var session: UInt16
    /// The command with its fields.
    public var content: Content

    /// As many entries as a list may have.
    private static let mostEntries = 64
    /// The endpoint at which our node has the cluster, as our commands say.
    private static let endpoint = EndpointID(0)

    /// - Throws: the status that the camera gets.
    init(_ path: CommandPath, _ fields: TLVValue?, from node: NodeID) throws(CommandRefusal) {
        guard path.endpoint == nil || path.endpoint == Self.endpoint else { throw CommandRefusal(.unsupportedEndpoint) }
        guard path.cluster == WebRTCTransportRequestor.id else { throw CommandRefusal(.unsupportedCluster) }
        let fields = fields ?? .structure([])
        self.node = node
        endpoint = 0
        switch path.command {
        case WebRTCTransportRequestor.Offer.id:
            guard let offer = WebRTCTransportRequestor.Offer(tlv: fields) else { throw CommandRefusal(.invalidCommand) }
            session = offer.webRTCSessionID
            let servers = offer.iceServers?.map {
                ICEServer(urls: $0.urls, username: $0.username, credential: $0.credential, caid: $0.caid)
            }
            guard servers?.count ?? 0 <= Self.mostEntries else { throw CommandRefusal(.constraintError) }
            content = .offer(sdp: offer.sdp, iceServers: servers, iceTransportPolicy: offer.iceTransportPolicy)
        case WebRTCTransportRequestor.Answer.id:
            guard let answer = WebRTCTransportRequestor.Answer(tlv: fields) else {
                throw CommandRefusal(.invalidCommand)
            }
            session = answer.webRTCSessionID
            content = .answer(sdp: answer.sdp)
        case WebRTCTransportRequestor.ICECandidates.id:
            guard let command = WebRTCTransportRequestor.ICECandidates(tlv: fields) else {
                throw CommandRefusal(.invalidCommand)
            }
            session = command.webRTCSessionID
            guard (1...Self.mostEntries).contains(command.iceCandidates.count) else {
                throw CommandRefusal(.constraintError)
            }
            content = .iceCandidates(
                command.iceCandidates.map {
                    ICECandidate(candidate: $0.candidate, sdpMid: $0.sdpMid, sdpMLineIndex: $0.sdpmLineIndex)
                })
        case WebRTCTransportRequestor.End.id:
            guard let end = WebRTCTransportRequestor.End(tlv: fields) else { throw CommandRefusal(.invalidCommand) }
            session = end.webRTCSessionID
            content = .end(reason: end.reason.rawValue)
        default: throw CommandRefusal(.unsupportedCommand)
        }
    }

    init(node: NodeID, endpoint: UInt16 = 0, session: UInt16, _ content: Content) {
        (self.node, self.endpoint, self.session, self.content) = (node, endpoint, session, content)
    }
}

/// The status with which a command of a node is refused.
struct CommandRefusal: Error, Equatable {
    let status: IMStatus

    init(_ status: IMStatus) { self.status = status }
}
