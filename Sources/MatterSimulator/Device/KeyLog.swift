import JSON

// Only in test builds, which MATTERCTL_FUZZ makes (Package.swift): no other build can be told to write this.
#if MATTERCTL_FUZZ
    import Glibc
    import MatterCrypto
    import MatterNetwork
    import MatterNetwork

    /// Tells a capture's reader which datagrams are under one key: a line for each session with the digests of its keys.
    enum KeyLog {
        static func add(_ session: EstablishedSession, port: UInt16, peer: PeerAddress) {
            guard let file = getenv("MATTERCTL_KEY_LOG").flatMap({ fopen($0, "ae") }) else { return }
            defer { fclose(file) }
            func digest(_ key: SecretBytes) -> String {
                Hex.encode(SHA256.hash(key).copyBytes().prefix(8))
            }
            let now = WallClock.unixMicroseconds()
            let words = [
                "\(now / 1_000_000).\(now % 1_000_000 + 1_000_000)", "\(port)", "\(session.localSessionID)",
                "\(session.peerSessionID)", "\(peer)", digest(session.keys.i2r), digest(session.keys.r2i),
            ]
            fputs(words.joined(separator: " ") + "\n", file)
        }
    }
#endif
