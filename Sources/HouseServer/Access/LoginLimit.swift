/// How often an address may show a wrong token: ten times, and then once every six seconds. Until then it is not heard.
///
/// It knows no clock: times are counted from any moment.
struct LoginLimit: Sendable {
    /// Wrong tokens in a row that are looked at.
    let burst: Int
    /// The time after which one more is.
    let pause: Duration
    /// Addresses that are remembered; of more, the one that was heard longest ago is forgotten.
    let mostAddresses: Int

    private struct Account {
        /// Wrong tokens that count still, at the time `at`.
        var failures: Double
        var at: Duration
    }

    private var accounts: [String: Account] = [:]

    init(burst: Int = 10, pause: Duration = .seconds(6), mostAddresses: Int = 1024) {
        self.burst = burst
        self.pause = pause
        self.mostAddresses = mostAddresses
    }

    /// Addresses that are remembered now.
    var count: Int { accounts.count }

    /// How long an address has to wait before a token of it is looked at; `nil` if it is now.
    func wait(_ address: String, now: Duration) -> Duration? {
        let excess = failures(address, now) - Double(burst - 1)
        // A rest of the arithmetic is no failure.
        return excess > 0.001 ? pause * excess : nil
    }

    /// Counts a wrong token.
    mutating func failed(_ address: String, now: Duration) {
        if accounts[address] == nil, accounts.count >= mostAddresses { makeRoom(now) }
        accounts[address] = Account(failures: min(failures(address, now) + 1, Double(burst)), at: now)
    }

    private func failures(_ address: String, _ now: Duration) -> Double {
        guard let account = accounts[address] else { return 0 }
        return max(0, account.failures - max(.zero, now - account.at) / pause)
    }

    private mutating func makeRoom(_ now: Duration) {
        accounts = accounts.filter { failures($0.key, now) > 0 }
        guard accounts.count >= mostAddresses, let oldest = accounts.min(by: { $0.value.at < $1.value.at }) else {
            return
        }
        accounts[oldest.key] = nil
    }
}
