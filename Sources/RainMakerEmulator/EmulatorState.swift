import FoundationEssentials

/// Everything the emulator remembers, but for the private keys of its certificate authorities.
struct EmulatorState: Codable, Sendable {
    struct User: Codable, Sendable {
        var id: String
        var name: String
        /// Salted, slow digest of the password, hexadecimal.
        var salt: String
        var digest: String
        /// The code that the account needs before its first use; `nil` afterwards.
        var verificationCode: String?
        /// The code for a new password, or for the end of the account; `nil` without a request.
        var resetCode: String?
        var deletionCode: String?
    }

    struct Session: Codable, Sendable {
        var id: String
        var userID: String
        /// SHA-256 of the refresh token, hexadecimal.
        var refreshDigest: String
    }

    struct Member: Codable, Sendable {
        var isPrimary: Bool
        var matterUserID: UInt64
        var userCAT: UInt32
        /// The ids that other keys of the user got, by public key (x963, hexadecimal).
        var keyedIDs: [String: UInt64]?
    }

    struct Group: Codable, Sendable {
        var id: String
        var name: String
        var description: String?
        var type: String?
        var parentID: String?
        var isMutuallyExclusive: Bool?
        /// JSON texts.
        var metadata: String?
        var customData: String?
        /// By user id.
        var members: [String: Member]
        var fabric: Fabric?
    }

    struct Fabric: Codable, Sendable {
        var id: UInt64
        /// Matter TLV, hexadecimal.
        var root: String
        /// Hexadecimal.
        var ipk: String
        var adminCAT: UInt32
        var operateCAT: UInt32
    }

    struct Node: Codable, Sendable {
        var id: String
        var groupID: String
        var matterNodeID: UInt64?
        var type: String
        /// JSON texts.
        var metadata: String?
        var params: String?
        var tags: [String]?
        /// The user whose node it is while it is in no group.
        var ownerID: String?
        /// Milliseconds since 1970.
        var timestamp: Int64
    }

    struct Pending: Codable, Sendable {
        var id: String
        var groupID: String
        var userID: String
        var matterNodeID: UInt64
        /// Seconds since 1970.
        var expires: Int64
        /// JSON text.
        var metadata: String?
    }

    struct Offer: Codable, Sendable {
        var id: String
        var groupIDs: [String]
        var from: String
        var to: String
        var isPrimary: Bool
        var isTransfer: Bool
        /// True if the giver of a transfer stays a secondary or a primary user; `nil` if he leaves.
        var newRole: String?
        /// JSON text.
        var metadata: String?
        /// Milliseconds since 1970.
        var timestamp: Int64
        var status: String
    }

    var users: [User] = []
    var sessions: [Session] = []
    var groups: [Group] = []
    var nodes: [Node] = []
    var pending: [Pending] = []
    var offers: [Offer] = []
    /// Public keys of RainMaker devices by node id: x963, hexadecimal.
    var devices: [String: String] = [:]
    /// By node id: the controllers of newer firmware that are played here.
    var controllers: [String: EmulatorController]?
    /// Signs access tokens, hexadecimal.
    var tokenKey = ""

    func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        return Array(try encoder.encode(self))
    }

    init() {}

    init(decoding contents: [UInt8]) throws {
        self = try JSONDecoder().decode(EmulatorState.self, from: Data(contents))
    }
}
