import MatterCommandLine
import RainMaker

extension Report {
    init(_ node: NodeRecord, _ status: HubDevice.Status, token: SecretText? = nil) {
        self.init {
            Field("node", node.nodeID)
            Field("url", status.url, label: "url")
            Field("tokenVerified", status.isTokenVerified, label: "token verified")
            Field("authorized", status.isAuthorized, label: "authorized")
            Field("nocInstalled", status.isNOCInstalled, label: "certificate installed")
            Field("group", status.groupID, label: "group")
            Field("fabricIndex", status.fabricIndex, label: "fabric index")
            Field("refreshToken", token?.revealed, label: "refresh token")
        }
    }
}
