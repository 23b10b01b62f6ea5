import JSON
import MatterLedger

@testable import RainMaker

extension FuzzEntry {
    /// The answers of the RainMaker cloud, and what stands in them.
    static let cloud = [
        FuzzEntry("rest-answer") {
            Seeds.answers
        } run: { bytes in
            var depth = Depth.refused
            for status in [200, 400] {
                guard let object = try? CloudAnswer.body(of: HTTPResponse(status: status, body: bytes), to: .user)
                else { continue }
                depth = .deep
                take(object)
            }
            return depth
        },
        FuzzEntry("url") {
            Seeds.urls
        } run: { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            _ = CloudTokens.expiry(ofJWT: text)
            return accepts { _ = try BaseURL(parsing: text) }
        },
    ]

    private static func take(_ object: JSONObject) {
        let fields = CloudFields(object, "test")
        for group in (try? fields.objects("groups")) ?? [] { _ = try? CloudGroup(group) }
        for node in (try? fields.objects("node_details")) ?? [] {
            _ = (try? CloudNode(node)).map { ($0.name, $0.serverClusters) }
        }
        for sharing in (try? fields.objects("sharing_requests")) ?? [] { _ = try? CloudSharingRequest(sharing) }
        _ = try? CloudSharing(fields)
        _ = try? CloudUser(fields)
        _ = try? CloudTokens(object, refresh: nil, now: 0, "login")
        for isNode in [true, false] { _ = try? CloudCertificate(object, isNode: isNode, group: "g", "test") }
    }
}
