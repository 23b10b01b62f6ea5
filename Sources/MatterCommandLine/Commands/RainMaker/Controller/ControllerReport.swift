import JSON
import MatterRecords
import RainMaker

/// What is printed of a controller.
struct HubReport {
    private var list: ValueList

    init(_ node: NodeRecord, _ status: HubDevice.Status, token: SecretText? = nil) {
        list = ValueList(node: node)
        list.add("url", "url", .string(status.url))
        list.add("tokenVerified", "token verified", .bool(status.isTokenVerified))
        list.add("authorized", "authorized", .bool(status.isAuthorized))
        list.add("nocInstalled", "certificate installed", .bool(status.isNOCInstalled))
        list.add("group", "group", .string(status.groupID))
        list.add("fabricIndex", "fabric index", .uint(UInt64(status.fabricIndex)))
        if let token { list.add("refreshToken", "refresh token", .string(token.revealed)) }
    }

    func print(_ console: Console) { list.print(console) }
}
