/// Where and how the server listens.
struct ListenerSettings: Sendable {
    /// A place where visitors come in.
    enum Place: Sendable, Hashable {
        /// A Unix socket, for this user only.
        case unix(path: String)
        /// An address, as numbers, and a port; 0 for any. Visitors need a token.
        case tcp(address: String, port: UInt16)
        /// A descriptor of a socket that is listened on already, as systemd passes it. It is closed with the listener.
        case descriptor(Int32)
    }

    var places: [Place]
    /// Names by which browsers and other clients call this machine, beside the loopback names and the address of the connection.
    var hosts: Set<String> = []
    /// Origins of pages that may connect: `https://house.example`.
    var origins: Set<String> = []
    /// True if the server has a page of its own, which then may connect.
    var servesPage = false
    /// Paths that are shown to any visitor, such as those of the page.
    var openPaths: Set<String> = []
    /// True if a proxy that encrypts stands between this machine and others. Without it, addresses beyond loopback are refused.
    var isBehindProxy = false
    /// Addresses of proxies whose `X-Forwarded-For` is believed, for logs and limits; loopback addresses always are, behind a proxy.
    var proxies: Set<String> = []
    var limits = ListenerLimits()
}

/// How much visitors may ask for.
struct ListenerLimits: Sendable {
    /// Bytes of the first line and the header of a request.
    var headBytes = 16 << 10
    var headFields = 64
    /// Bytes of the body of a request.
    var bodyBytes = 64 << 10
    /// Bytes of the body of an upload.
    var uploadBytes = 128 << 20
    /// The time for all of it.
    var uploadTime = Duration.seconds(900)
    /// Bytes of it that wait to be written; then the connection is not read any more.
    var uploadWaiting = 1 << 20
    /// Bytes of a message of a WebSocket.
    var messageBytes = 4 << 20
    /// Parts of a message.
    var fragments = 4096
    /// Messages that wait until they are asked for, and their bytes; then the socket is not read any more.
    var waitingMessages = 64
    var waitingBytes = 1 << 20
    /// Connections over TCP, and as many over Unix sockets.
    var connections = 64
    /// Connections of one address.
    var connectionsOfAddress = 16
    /// The time for the head of a request, and again for its body.
    var requestTime = Duration.seconds(10)
    /// The time in which an answer has to be taken.
    var answerTime = Duration.seconds(60)
    /// The time between pings.
    var pingInterval = Duration.seconds(55)
    /// Pings without an answer that close a connection.
    var missedPongs = 2
    /// The time without any progress that closes a connection.
    var stallTime = Duration.seconds(300)
    /// The time for the other side to answer our Close.
    var closeTime = Duration.seconds(2)
    /// How often the tokens are looked at.
    var tokenInterval = Duration.seconds(1)
    /// Bytes of the parts in which messages go out.
    var partBytes = 32 << 10
}
