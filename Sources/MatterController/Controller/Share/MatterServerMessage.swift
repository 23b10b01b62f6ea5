/// A message of a Matter server: the WebSocket interface of Home Assistant's python-matter-server and matterjs-server.
///
/// All of it is outside data.
enum MatterServerMessage: Equatable {
    /// The server's account of itself, which comes unasked after the connection is made.
    struct Info: Equatable {
        let fabricID: UInt64
        let compressedFabricID: UInt64
        let schema: Int
        /// The oldest version of clients that it serves.
        let oldestClient: Int
    }

    case info(Info)
    case result(id: String, JSONValue)
    case failure(id: String, code: Int64, details: String?)
    /// An event, or something that later servers say.
    case other

    /// A server's words are cut after so many characters.
    private static let longestText = 300

    /// Tells messages apart in the order in which Home Assistant's own client does.
    ///
    /// - Throws: ``JSONError``; ``ShareError`` `serverMalformed`.
    init(parsing text: String) throws {
        let json = try JSONValue(parsing: text)
        guard json.objectValue != nil else { throw Self.malformed("a message is not an object") }
        if json["event"] != nil {
            self = .other
        } else if let code = json["error_code"] {
            guard let code: Int64 = code.integer() else { throw Self.malformed("an error has no code") }
            let details = json["details"]?.stringValue.map { String($0.prefix(Self.longestText)) }
            self = .failure(id: try Self.id(of: json), code: code, details: details)
        } else if let result = json["result"] {
            self = .result(id: try Self.id(of: json), result)
        } else if json["sdk_version"] != nil {
            self = .info(try Self.info(json))
        } else {
            self = .other
        }
    }

    private static func malformed(_ fault: String) -> ShareError {
        ShareError(.serverMalformed, "this is not a Matter server: \(fault)", hint: .step("share.server"))
    }

    private static func id(of json: JSONValue) throws -> String {
        guard let id = json["message_id"]?.stringValue else { throw malformed("an answer has no message_id") }
        return id
    }

    private static func info(_ json: JSONValue) throws -> Info {
        guard let fabric: UInt64 = json["fabric_id"]?.integer(),
            let compressed: UInt64 = json["compressed_fabric_id"]?.integer(),
            let schema: Int = json["schema_version"]?.integer(),
            let oldest: Int = json["min_supported_schema_version"]?.integer()
        else { throw malformed("it does not say which fabric and which version it has") }
        return Info(fabricID: fabric, compressedFabricID: compressed, schema: schema, oldestClient: oldest)
    }

    /// A command to the server.
    static func command(_ name: String, id: String, _ arguments: JSONObject) -> String {
        JSONValue.object([
            "message_id": .string(id), "command": .string(name), "args": .object(arguments),
        ]).serialized()
    }

    /// The names of the error codes that all servers have.
    static func name(ofError code: Int64) -> String? {
        let names = [
            "UnknownError", "NodeCommissionFailed", "NodeInterviewFailed", "NodeNotReady", "NodeNotResolving",
            "NodeNotExists", "VersionMismatch", "SDKStackError", "InvalidArguments", "InvalidCommand",
            "UpdateCheckError", "UpdateError",
        ]
        return Int(exactly: code).flatMap { names.indices.contains($0) ? names[$0] : nil }
    }
}
