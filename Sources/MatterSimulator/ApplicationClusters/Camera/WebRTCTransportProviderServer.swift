import MatterNetwork

/// WebRTC Transport Provider (Matter application cluster specification 11.5): the signalling of a camera that has no pictures. It calls back
/// the requestor, over the session on which that has asked, with texts that are always the same. As no media flows, each session ends after a while.
///
/// A person types `hang-up ID`, and the camera ends the session.
struct WebRTCTransportProviderServer: ClusterServer {
    /// Texts as RFC 8866 has them; no one could send media by them.
    static let offer = "v=0\r\no=- 1 1 IN IP6 ::1\r\ns=virtual camera\r\nt=0 0\r\nm=video 9 UDP/TLS/RTP/SAVPF 96\r\n"
    static let answer = "v=0\r\no=- 2 1 IN IP6 ::1\r\ns=virtual answer\r\nt=0 0\r\nm=video 9 UDP/TLS/RTP/SAVPF 96\r\n"
    static let candidates = [
        GlobalTypes.ICECandidate(
            candidate: "candidate:1 1 UDP 2122260223 ::1 50000 typ host", sdpMid: "video", sdpmLineIndex: 0),
        GlobalTypes.ICECandidate(candidate: "candidate:2 1 UDP 1 ::1 50001 typ host"),
    ]
    private static let mostSessions = 8
    /// The time after which a session ends in which no media flows.
    private static let patience = Duration.seconds(30)

    private struct Session {
        var usage: GlobalTypes.StreamUsage
        var peer: NodeID
        var endpoint: EndpointID
        var fabricIndex: UInt8
        var reference: SessionReference
    }

    let id = WebRTCTransportProvider.id
    let initialAttributes: [AttributeID: TLVValue] = [WebRTCTransportProvider.Attribute.currentSessions: .array([])]
    let acceptedCommands: [CommandID] = [
        WebRTCTransportProvider.Command.solicitOffer, WebRTCTransportProvider.Command.provideOffer,
        WebRTCTransportProvider.Command.provideAnswer,
        WebRTCTransportProvider.Command.provideICECandidates, WebRTCTransportProvider.Command.endSession,
    ]
    private var sessions: [UInt16: Session] = [:]
    private var last: UInt16 = 0

    init() {}

    mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        switch command.id {
        case WebRTCTransportProvider.Command.solicitOffer:
            let call: WebRTCTransportProvider.SolicitOffer = try command.decoded()
            let number = try begin(call.streamUsage, call.originatingEndpointID, context)
            callBack(number, WebRTCTransportRequestor.Offer(webRTCSessionID: number, sdp: Self.offer), context)
            callBack(
                number, WebRTCTransportRequestor.ICECandidates(webRTCSessionID: number, iceCandidates: Self.candidates),
                context)
            return .response(
                WebRTCTransportProvider.SolicitOfferResponse(webRTCSessionID: number, deferredOffer: false))
        case WebRTCTransportProvider.Command.provideOffer:
            let call: WebRTCTransportProvider.ProvideOffer = try command.decoded()
            let number: UInt16
            if let known = call.webRTCSessionID {
                try check(known, context)
                number = known
            } else {
                number = try begin(call.streamUsage, call.originatingEndpointID, context)
            }
            callBack(number, WebRTCTransportRequestor.Answer(webRTCSessionID: number, sdp: Self.answer), context)
            callBack(
                number, WebRTCTransportRequestor.ICECandidates(webRTCSessionID: number, iceCandidates: Self.candidates),
                context)
            return .response(WebRTCTransportProvider.ProvideOfferResponse(webRTCSessionID: number))
        case WebRTCTransportProvider.Command.provideAnswer:
            let call: WebRTCTransportProvider.ProvideAnswer = try command.decoded()
            try check(call.webRTCSessionID, context)
            return .success
        case WebRTCTransportProvider.Command.provideICECandidates:
            let call: WebRTCTransportProvider.ProvideICECandidates = try command.decoded()
            try check(call.webRTCSessionID, context)
            return .success
        case WebRTCTransportProvider.Command.endSession:
            let call: WebRTCTransportProvider.EndSession = try command.decoded()
            try check(call.webRTCSessionID, context)
            end(call.webRTCSessionID, call.reason, context)
            return .success
        default: throw .unsupportedCommand
        }
    }

    private mutating func begin(
        _ usage: GlobalTypes.StreamUsage, _ endpoint: EndpointID, _ context: ClusterContext
    ) throws(ClusterFailure) -> UInt16 {
        guard let peer = context.caller.nodeID, let reference = context.caller.session else { throw .invalidInState }
        guard sessions.count < Self.mostSessions else { throw .resourceExhausted }
        repeat { last &+= 1 } while sessions[last] != nil
        sessions[last] = Session(
            usage: usage, peer: peer, endpoint: endpoint, fabricIndex: context.caller.fabricIndex, reference: reference)
        show(context)
        context.schedule("\(last)", after: Self.patience)
        return last
    }

    /// - Throws: NOT_FOUND for a session of another.
    private func check(_ number: UInt16, _ context: ClusterContext) throws(ClusterFailure) {
        guard let session = sessions[number], session.peer == context.caller.nodeID,
            session.fabricIndex == context.caller.fabricIndex
        else { throw .notFound }
    }

    private mutating func end(_ number: UInt16, _ reason: GlobalTypes.WebRTCEndReason, _ context: ClusterContext) {
        callBack(number, WebRTCTransportRequestor.End(webRTCSessionID: number, reason: reason), context)
        sessions[number] = nil
        context.cancel("\(number)")
        show(context)
    }

    mutating func timerFired(_ timer: String, _ context: ClusterContext) {
        guard let number = UInt16(timer) else { return }
        end(number, .iceTimeout, context)
    }

    private func callBack(_ number: UInt16, _ command: some ClusterCommand, _ context: ClusterContext) {
        guard let session = sessions[number] else { return }
        context.effect(.callBack(Command(command, at: session.endpoint), over: session.reference))
    }

    private func show(_ context: ClusterContext) {
        context[WebRTCTransportProvider.Attribute.currentSessions] = .array(
            of: sessions.sorted { $0.key < $1.key }.map { number, session in
                GlobalTypes.WebRTCSession(
                    id: number, peerNodeID: session.peer.rawValue, peerEndpointID: session.endpoint,
                    streamUsage: session.usage, videoStreamID: nil, audioStreamID: nil, metadataEnabled: false,
                    fabricIndex: session.fabricIndex
                ).tlv
            })
    }

    mutating func fabricRemoved(_ fabricIndex: UInt8, _ context: ClusterContext) {
        sessions = sessions.filter { $0.value.fabricIndex != fabricIndex }
        show(context)
    }

    mutating func input(_ words: [Substring], _ context: ClusterContext) -> Bool {
        guard words.first == "hang-up", words.count == 2, let number = UInt16(words[1]), sessions[number] != nil else {
            return false
        }
        end(number, .userHangup, context)
        return true
    }
}
