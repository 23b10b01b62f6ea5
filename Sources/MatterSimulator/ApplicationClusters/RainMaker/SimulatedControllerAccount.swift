import MatterCrypto

/// The way of a virtual controller to a cloud.
package protocol HubCloud: Sendable {
    /// - Parameters:
    ///   - url: the service with the version of its interface.
    ///   - target: path and query below that.
    ///   - token: for the Authorization header.
    /// - Returns: the body of a successful answer; `nil` for any other, and if there was none.
    func call(_ method: String, _ url: String, _ target: String, token: String?, body: JSONValue?) async -> JSONValue?
}

/// A controller's knowledge from its cloud.
enum AccountResult: ClusterSignal {
    /// With an access token, if the cloud gave one.
    case loggedIn(String?)
    case joined(group: String, OperationalCredentials)
    /// The node ids of the group, if the cloud told them.
    case listed([String]?)
    case failed
}

/// A controller's account in its cloud, and what it asks there.
struct SimulatedControllerAccount: Sendable {
    /// As many as the firmware asks for at a time.
    private static let groupsPerPage = 4
    private static let mostPages = 250

    let cloud: any HubCloud
    let url: String
    let accessToken: String?

    private func call(_ method: String, _ target: String, _ body: JSONValue? = nil) async -> JSONValue? {
        await cloud.call(method, "\(url)/v1", target, token: accessToken, body: body)
    }

    /// - Returns: an access token.
    func logIn(_ refreshToken: String) async -> String? {
        guard !refreshToken.isEmpty else { return nil }
        return await call("POST", "/login2", ["refreshtoken": .string(refreshToken)])?["accesstoken"]?.stringValue
    }

    /// Gets a certificate with the tag of the fabric's group for a new key.
    func join(_ own: OperationalCredentials, random: any RandomSource) async -> AccountResult {
        guard accessToken != nil, let group = await group(of: own.fabric.fabricID) else { return .failed }
        do {
            let key = try P256PrivateKey.generate(random)
            let request: JSONValue = [
                "group_id": .string(group), "csr": .string(try CertificateSigningRequest(key: key).pem),
                "role": "secondary", "matter_node_id": .string(own.nodeID.description),
            ]
            let answer = await call(
                "PUT", "/user/node_group",
                ["operation": "add", "csr_type": "controller", "csr_requests": .array([request])])
            guard let pem = answer?["certificates"]?.arrayValue?.first?["user_noc"]?.stringValue else {
                return .failed
            }
            let chain = OperationalChain(noc: try MatterCertificate(pem: pem), icac: nil, root: own.root)
            _ = try chain.validate(at: .none)
            let credentials = try OperationalCredentials(chain: chain, key: key, ipkEpochKey: own.ipkEpochKey)
            return .joined(group: group, credentials)
        } catch {
            return .failed
        }
    }

    private func group(of fabric: FabricID) async -> String? {
        var start = ""
        for _ in 0..<Self.mostPages {
            let target = "/user/node_group?is_matter=true&num_records=\(Self.groupsPerPage)\(start)"
            guard let page = await call("GET", target), let groups = page["groups"]?.arrayValue else { return nil }
            let found = groups.first { $0["fabric_id"]?.stringValue?.uppercased() == fabric.description }
            if let found { return found["group_id"]?.stringValue }
            guard let next = page["next_id"]?.stringValue, !next.isEmpty else { return nil }
            start = "&start_id=\(next)"
        }
        return nil
    }

    /// The node ids of a group, in capital letters.
    func nodes(of group: String) async -> [String]? {
        guard accessToken != nil else { return nil }
        let target = "/user/node_group?group_id=\(group)&is_matter=true&node_list=true&matter_node_list=true"
        let details = await call("GET", target)?["groups"]?.arrayValue?.first?["node_details"]?.arrayValue
        return details?.compactMap { $0["matter_node_id"]?.stringValue?.uppercased() }
    }
}
