/// The meanings of the cloud's error codes (docs/rainmaker.md).
enum CloudErrorCode {
    /// The meaning of a code; `nil` for codes that no public source lists.
    static func meaning(_ code: String) -> String? {
        Int(code).flatMap { meanings[$0] }
    }

    /// After one of these in answer to a refresh the session is over.
    static let endOfSession: Set<String> = ["100007", "101016", "101017", "101025", "119006"]

    static let meanings: [Int: String] = [
        100_001: "fetching user details failed",
        100_002: "API version not supported",
        100_006: "invalid request body",
        100_007: "the session is no longer valid",
        100_008: "tenant context lookup failed",
        100_009: "node id missing",
        100_010: "the node is not the user's",
        101_001: "user name missing",
        101_002: "the e-mail address is not well formed",
        101_003: "password or code missing",
        101_004: "the password is too weak",
        101_006: "the account already exists",
        101_007: "name or password against policy",
        101_009: "wrong user name or password",
        101_011: "already verified",
        101_012: "the verification code is wrong",
        101_015: "the e-mail address is not verified",
        101_016: "login failed",
        101_017: "renewing the access token failed",
        101_019: "too many attempts",
        101_025: "the user does not exist",
        101_026: "user id lookup failed",
        101_027: "profile picture or name lookup failed",
        101_028: "updating the user failed",
        101_036: "bad logout_all value",
        102_002: "updating a node parameter failed",
        102_003: "getting the node status failed",
        103_020: "the node is not the user's",
        103_035: "the node is offline",
        108_016: "group id missing",
        108_900: "the group is not a Matter fabric",
        108_901: "the certificate signing request is invalid",
        108_902: "no rights on the fabric",
        108_903: "the request id is unknown or has expired",
        108_904: "the device's answer to the challenge does not verify",
        108_905: "the group is already a Matter fabric",
        108_906: "group not found",
        108_907: "group name missing",
        108_908: "unknown operation or kind of request",
        119_001: "storing the deletion request failed",
        119_003: "reading the deletion request failed",
        119_004: "deleting the user failed",
        119_005: "the verification code is wrong",
        119_006: "the user does not exist",
        119_007: "verification code missing",
        119_008: "sending the code failed",
        119_009: "starting the deletion failed",
    ]
}
