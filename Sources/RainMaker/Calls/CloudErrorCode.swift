import MatterBase

/// The cloud's error codes that a public source lists (docs/rainmaker.md), with what is known of each.
enum CloudErrorCode: Int, CaseIterable, Sendable {
    case userDetailsFailed = 100_001
    case unsupportedVersion = 100_002
    case invalidBody = 100_006
    case invalidSession = 100_007
    case tenantLookupFailed = 100_008
    case nodeIDMissing = 100_009
    case notTheUsers = 100_010
    case userNameMissing = 101_001
    case malformedAddress = 101_002
    case passwordMissing = 101_003
    case weakPassword = 101_004
    case accountExists = 101_006
    case againstPolicy = 101_007
    case wrongPassword = 101_009
    case alreadyVerified = 101_011
    case wrongCode = 101_012
    case notVerified = 101_015
    case loginFailed = 101_016
    case renewalFailed = 101_017
    case tooManyAttempts = 101_019
    case unknownUser = 101_025
    case userLookupFailed = 101_026
    case profileLookupFailed = 101_027
    case userUpdateFailed = 101_028
    case badLogout = 101_036
    case parameterFailed = 102_002
    case statusFailed = 102_003
    case notTheUsersNode = 103_020
    case nodeOffline = 103_035
    case groupIDMissing = 108_016
    case notAFabric = 108_900
    case invalidRequest = 108_901
    case noRights = 108_902
    case expired = 108_903
    case challengeFailed = 108_904
    case alreadyAFabric = 108_905
    case unknownGroup = 108_906
    case groupNameMissing = 108_907
    case unknownOperation = 108_908
    case deletionNotStored = 119_001
    case deletionNotRead = 119_003
    case deletionFailed = 119_004
    case wrongDeletionCode = 119_005
    case deletedUser = 119_006
    case codeMissing = 119_007
    case codeNotSent = 119_008
    case deletionNotBegun = 119_009

    /// The meaning of a code.
    struct Facts: Sendable {
        /// For people.
        let meaning: String
        /// The code of our error, where that does not follow from the HTTP status.
        let error: RainMakerError.Code?
        /// The next step, where that does not follow from the HTTP status.
        let hint: Hint?
        /// Whether the session is over, if it is the answer to a refresh.
        let endsSession: Bool
        /// Whether it says that the node is not the user's.
        let isNotTheUsers: Bool

        init(
            _ meaning: String, error: RainMakerError.Code? = nil, hint: Hint? = nil, endsSession: Bool = false,
            isNotTheUsers: Bool = false
        ) {
            self.meaning = meaning
            self.error = error
            self.hint = hint
            self.endsSession = endsSession
            self.isNotTheUsers = isNotTheUsers
        }
    }

    /// - Returns: `nil` for a text that is no code of the list.
    init?(_ text: String) {
        guard let number = Int(text) else { return nil }
        self.init(rawValue: number)
    }

    var facts: Facts {
        switch self {
        case .userDetailsFailed: Facts("fetching user details failed")
        case .unsupportedVersion: Facts("API version not supported")
        case .invalidBody: Facts("invalid request body")
        case .invalidSession: Facts("the session is no longer valid", endsSession: true)
        case .tenantLookupFailed: Facts("tenant context lookup failed")
        case .nodeIDMissing: Facts("node id missing")
        case .notTheUsers: Facts("the node is not the user's", isNotTheUsers: true)
        case .userNameMissing: Facts("user name missing")
        case .malformedAddress: Facts("the e-mail address is not well formed")
        case .passwordMissing: Facts("password or code missing")
        case .weakPassword: Facts("the password is too weak")
        case .accountExists: Facts("the account already exists")
        case .againstPolicy: Facts("name or password against policy")
        case .wrongPassword: Facts("wrong user name or password", hint: "check the user name and the password")
        case .alreadyVerified: Facts("already verified")
        case .wrongCode: Facts("the verification code is wrong")
        case .notVerified:
            Facts("the e-mail address is not verified", hint: "confirm the account with the code that was mailed")
        case .loginFailed: Facts("login failed", endsSession: true)
        case .renewalFailed: Facts("renewing the access token failed", endsSession: true)
        case .tooManyAttempts: Facts("too many attempts", hint: "wait a while before the next attempt")
        case .unknownUser:
            Facts("the user does not exist", hint: "check the user name and the password", endsSession: true)
        case .userLookupFailed: Facts("user id lookup failed")
        case .profileLookupFailed: Facts("profile picture or name lookup failed")
        case .userUpdateFailed: Facts("updating the user failed")
        case .badLogout: Facts("bad logout_all value")
        case .parameterFailed: Facts("updating a node parameter failed")
        case .statusFailed: Facts("getting the node status failed")
        case .notTheUsersNode: Facts("the node is not the user's", isNotTheUsers: true)
        case .nodeOffline: Facts("the node is offline")
        case .groupIDMissing: Facts("group id missing")
        case .notAFabric:
            Facts("the group is not a Matter fabric", error: .notAFabric, hint: .step("cloud.convert", "GROUP"))
        case .invalidRequest: Facts("the certificate signing request is invalid")
        case .noRights: Facts("no rights on the fabric", error: .forbidden, hint: "ask a primary user of the group")
        case .expired:
            Facts(
                "the request id is unknown or has expired",
                hint: "commission the device again; a request expires after some minutes")
        case .challengeFailed: Facts("the device's answer to the challenge does not verify")
        case .alreadyAFabric: Facts("the group is already a Matter fabric", error: .conflict)
        case .unknownGroup: Facts("group not found", error: .notFound)
        case .groupNameMissing: Facts("group name missing")
        case .unknownOperation: Facts("unknown operation or kind of request")
        case .deletionNotStored: Facts("storing the deletion request failed")
        case .deletionNotRead: Facts("reading the deletion request failed")
        case .deletionFailed: Facts("deleting the user failed")
        case .wrongDeletionCode: Facts("the verification code is wrong")
        case .deletedUser: Facts("the user does not exist", endsSession: true)
        case .codeMissing: Facts("verification code missing")
        case .codeNotSent: Facts("sending the code failed")
        case .deletionNotBegun: Facts("starting the deletion failed")
        }
    }
}

extension RainMakerError {
    /// The facts about the cloud's code, if the answer has one that is listed.
    var cloudFacts: CloudErrorCode.Facts? { cloudCode.flatMap { CloudErrorCode($0) }?.facts }
}
