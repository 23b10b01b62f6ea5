import CCurl

/// One exchange in libcurl's hands, on the thread of its loop: the options that make it, and what comes back.
final class CurlExchange {
    private static let largestHead = 256 << 10

    let call: CurlCall
    let easy: OpaquePointer
    private let library: CurlLibrary
    private let settings: HTTPSettings
    private var fields: OpaquePointer?
    private var isRefused = false
    private var requests = 0
    private var headSize = 0
    private var headers: [String: String] = [:]
    private var body: [UInt8] = []
    private var isTooLarge = false
    /// libcurl's thread asks it while the exchange lives.
    private let reach: UnsafeMutablePointer<CCurlReach>

    /// - Parameter authorities: the file of certificate authorities; `nil` for those of the system.
    init(
        _ call: CurlCall, _ settings: HTTPSettings, authorities: String?, library: CurlLibrary
    ) throws(HTTPError) {
        guard let reach = ccurl_reach_new() else { throw Self.noMemory(call) }
        guard let easy = ccurl_easy_init(library.handle) else {
            ccurl_reach_free(reach)
            throw Self.noMemory(call)
        }
        self.reach = reach
        self.call = call
        self.easy = easy
        self.library = library
        self.settings = settings
        try setReach()
        setConnection(authorities: authorities)
        setProxy()
        try setRequest()
        setLimits()
        guard !isRefused else {
            throw CurlLibrary.missing("version \(library.version) lacks an option; a newer one is needed")
        }
    }

    deinit {
        ccurl_easy_cleanup(library.handle, easy)
        ccurl_list_free(library.handle, fields)
        ccurl_reach_free(reach)
    }

    private static func noMemory(_ call: CurlCall) -> HTTPError {
        HTTPError(.connectionLost, "there is no memory for an exchange with \(call.url)")
    }

    // MARK: Options

    private func set(_ option: CCurlNumberOption, _ value: Int) {
        isRefused = ccurl_set_number(library.handle, easy, option, value) != 0 || isRefused
    }

    private func set(_ option: CCurlTextOption, _ value: String) {
        isRefused = ccurl_set_text(library.handle, easy, option, value) != 0 || isRefused
    }

    private func setReach() throws(HTTPError) {
        guard case .publicInternet(let orHere) = settings.reach else { return }
        guard ccurl_is_in_reach(call.url.host, orHere ? 1 : 0) == 1 else {
            throw HTTPErrorTranslation(url: call.url, settings: settings).isPrivate
        }
        // The user has chosen the proxy; which addresses a name has, the proxy finds out.
        guard settings.proxy == nil else { return }
        reach.pointee.allows_loopback = orHere ? 1 : 0
        isRefused = ccurl_set_reach(library.handle, easy, reach) != 0 || isRefused
    }

    private func setConnection(authorities: String?) {
        set(CCURL_URL, "\(call.url)\(call.request.target)")
        set(CCURL_PATH_AS_IS, 1)
        // Version 7.85 brought the option that later ones want.
        if ccurl_set_text(library.handle, easy, CCURL_PROTOCOLS_STR, "http,https") != 0 {
            set(CCURL_PROTOCOLS, CCURL_PROTOCOL_HTTP | CCURL_PROTOCOL_HTTPS)
        }
        set(CCURL_HTTP_VERSION, CCURL_HTTP_1_1)
        set(CCURL_SSLVERSION, CCURL_TLS_1_2)
        set(CCURL_SSL_VERIFYPEER, 1)
        set(CCURL_SSL_VERIFYHOST, 2)
        if let authorities { set(CCURL_CAINFO, authorities) }
        set(CCURL_NETRC, 0)
        set(CCURL_FOLLOWLOCATION, 0)
        set(CCURL_NOSIGNAL, 1)
        // A library older than 7.87 waits for the name service, but only on the loop's thread.
        _ = ccurl_set_number(library.handle, easy, CCURL_QUICK_EXIT, 1)
    }

    /// Even without a proxy both are set, or libcurl would take them from the environment.
    private func setProxy() {
        set(CCURL_NOPROXY, "")
        guard let proxy = settings.proxy else { return set(CCURL_PROXY, "") }
        set(CCURL_PROXY, "http://\(proxy.host.contains(":") ? "[\(proxy.host)]" : proxy.host):\(proxy.port)")
        set(CCURL_SUPPRESS_CONNECT_HEADERS, 1)
        guard let user = proxy.userName else { return }
        set(CCURL_PROXYUSERNAME, user)
        set(CCURL_PROXYPASSWORD, proxy.password ?? "")
    }

    private func setRequest() throws(HTTPError) {
        let request = call.request
        set(CCURL_USERAGENT, settings.userAgent)
        // Not for proxies.
        set(CCURL_HEADEROPT, CCURL_HEADER_SEPARATE)
        if let body = request.body ?? (request.method == .post || request.method == .put ? [] : nil) {
            set(CCURL_POST, 1)
            isRefused = ccurl_set_body(library.handle, easy, body, body.count) != 0 || isRefused
        }
        set(CCURL_CUSTOMREQUEST, request.method.rawValue)
        // Headers that libcurl would add by itself are taken away.
        for name in ["Accept", "Content-Type", "Expect"]
        where !request.headers.keys.contains(where: { $0.lowercased() == name.lowercased() }) {
            add(field: "\(name):")
        }
        for (name, value) in request.headers.sorted(by: { $0.key < $1.key }) {
            guard (name + value).utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }), !name.contains(":") else {
                throw HTTPError(.malformed, "a header for \(call.url) has characters that no header has")
            }
            add(field: value.isEmpty ? "\(name);" : "\(name): \(value)")
        }
        isRefused = ccurl_set_headers(library.handle, easy, fields) != 0 || isRefused
    }

    private func add(field: String) {
        guard let longer = ccurl_list_append(library.handle, fields, field) else { return isRefused = true }
        fields = longer
    }

    private func setLimits() {
        set(CCURL_TIMEOUT_MS, Self.milliseconds(call.deadline - .now))
        set(CCURL_CONNECTTIMEOUT_MS, Self.milliseconds(settings.connectTimeout))
        set(CCURL_LOW_SPEED_LIMIT, 1)
        set(CCURL_LOW_SPEED_TIME, max(1, Self.milliseconds(settings.readTimeout) / 1000))
        set(CCURL_MAXFILESIZE, settings.largestBody)
        let own = Unmanaged.passUnretained(self).toOpaque()
        let code = ccurl_set_receivers(
            library.handle, easy,
            { bytes, size, count, user in CurlExchange.take(bytes, size * count, user) { $0.receive(body: $1) } },
            { bytes, size, count, user in CurlExchange.take(bytes, size * count, user) { $0.receive(line: $1) } }, own)
        isRefused = code != 0 || isRefused
        // libcurl sends a request again if a connection that it kept turns out to be dead; here attempts are counted.
        let gate: CCurlGate = { user, _, _, _, _ in CurlExchange.from(user)?.isRepeated() ?? true ? 1 : 0 }
        if ccurl_set_gate(library.handle, easy, gate, own) != 0 {
            // Before version 7.80 only new connections are free of that.
            set(CCURL_FRESH_CONNECT, 1)
            set(CCURL_FORBID_REUSE, 1)
        }
    }

    private static func milliseconds(_ duration: Duration) -> Int {
        Int(min(max(duration / .milliseconds(1), 1), Double(Int32.max)))
    }

    // MARK: Callbacks

    private static func from(_ user: UnsafeMutableRawPointer?) -> CurlExchange? {
        user.map { Unmanaged<CurlExchange>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func take(
        _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ user: UnsafeMutableRawPointer?,
        _ receive: (CurlExchange, UnsafeRawBufferPointer) -> Bool
    ) -> Int {
        guard let exchange = from(user), receive(exchange, UnsafeRawBufferPointer(start: bytes, count: count)) else {
            // Any number but the right one is a refusal.
            return count == 0 ? 1 : 0
        }
        return count
    }

    private func isRepeated() -> Bool {
        requests += 1
        return requests > 1
    }

    private func receive(body part: UnsafeRawBufferPointer) -> Bool {
        guard body.count + part.count <= settings.largestBody else {
            isTooLarge = true
            return false
        }
        body += part
        return true
    }

    private func receive(line: UnsafeRawBufferPointer) -> Bool {
        headSize += line.count
        guard headSize <= Self.largestHead else {
            isTooLarge = true
            return false
        }
        // Another head follows an interim answer.
        if line.starts(with: "HTTP/".utf8) { headers = [:] }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return true }
        let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
        let value = line[(colon + 1)...].drop { Self.isBlank($0) }
        let end = value.lastIndex { !Self.isBlank($0) }.map { $0 + 1 } ?? value.startIndex
        headers[name] = String(decoding: value[..<end], as: UTF8.self)
        return true
    }

    private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0D, 0x0A].contains(byte) }

    // MARK: The end

    /// The result of the exchange.
    func result(_ code: Int32) -> Result<HTTPResponse, any Error> {
        if code == CCURL_OK.rawValue {
            let status = ccurl_number(library.handle, easy, CCURL_RESPONSE_CODE)
            return .success(HTTPResponse(status: status, headers: headers, body: body))
        }
        if code == CCURL_COULDNT_CONNECT.rawValue, reach.pointee.refused != 0 {
            return .failure(HTTPErrorTranslation(url: call.url, settings: settings).isPrivate)
        }
        let outcome = CurlOutcome(
            code: CCurlCode(UInt32(bitPattern: code)), words: library.words(code), isTooLarge: isTooLarge,
            isLate: ContinuousClock.now >= call.deadline - .milliseconds(20), isSent: requests > 0,
            isConnected: ccurl_number(library.handle, easy, CCURL_LOCAL_PORT) > 0,
            isSecured: ccurl_time(library.handle, easy, CCURL_APPCONNECT_TIME) > 0,
            proxyStatus: ccurl_number(library.handle, easy, CCURL_HTTP_CONNECTCODE))
        return .failure(HTTPErrorTranslation(url: call.url, settings: settings).error(outcome))
    }
}
