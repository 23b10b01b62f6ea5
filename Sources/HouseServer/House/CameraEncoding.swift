import MatterController

/// The callbacks of cameras in the form of the interface (version 12).
enum CameraEncoding {
    /// The data of an event `webrtc_callback`.
    static func callback(_ callback: CameraCallback) -> [UInt8] {
        let (type, data) = content(callback.content)
        return JSONValue.object([
            "event_type": .string(type), "webrtc_session_id": .int(Int64(callback.session)),
            "node_id": .uint(callback.node.rawValue), "endpoint_id": .int(Int64(callback.endpoint)),
            "fabric_index": .int(1), "data": data,
        ]).utf8()
    }

    private static func content(_ content: CameraCallback.Content) -> (String, JSONValue) {
        switch content {
        case .offer(let sdp, let servers, let policy):
            let list = servers.map { servers in JSONValue.array(servers.map { Self.server($0) }) }
            return (
                "offer",
                [
                    "sdp": .string(sdp), "ice_servers": list ?? .null,
                    "ice_transport_policy": policy.map { .string($0) } ?? .null,
                ]
            )
        case .answer(let sdp): return ("answer", ["sdp": .string(sdp)])
        case .iceCandidates(let candidates):
            let list = candidates.map { candidate -> JSONValue in
                [
                    "candidate": .string(candidate.candidate),
                    "sdpMid": candidate.sdpMid.map { .string($0) } ?? .null,
                    "sdpMLineIndex": candidate.sdpMLineIndex.map { .int(Int64($0)) } ?? .null,
                ]
            }
            return ("ice_candidates", ["ice_candidates": .array(list)])
        case .end(let reason): return ("end", ["reason": .int(Int64(reason))])
        }
    }

    private static func server(_ server: CameraCallback.ICEServer) -> JSONValue {
        var object: JSONObject = ["urls": .array(server.urls.map { .string($0) })]
        object["username"] = server.username.map { .string($0) }
        object["credential"] = server.credential.map { .string($0) }
        object["caid"] = server.caid.map { .int(Int64($0)) }
        return .object(object)
    }
}
