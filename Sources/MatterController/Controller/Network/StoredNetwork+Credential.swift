package import MatterState

extension NetworkStore {
    /// The entries that may be offered to devices; a record that no longer makes sense is left out.
    ///
    /// - Throws: ``StoreError`` if a file cannot be read or written, ``RecordError`` for a record that is damaged
    ///   or not there.
    public func credentials() throws -> [NetworkCredential] {
        try all().compactMap { $0.credential }
    }
}

extension StoredNetwork {
    /// The credential that is kept; `nil` if it cannot be used any more.
    public var credential: NetworkCredential? {
        switch kind {
        case .wifi: (try? WiFiCredential(ssid: id, password: secret)).map { .wifi($0) }
        case .thread: (try? ThreadDataset(decoding: secret.copyBytes())).map { .thread($0) }
        }
    }

    /// The kept part of a credential.
    public init(_ credential: NetworkCredential) {
        switch credential {
        case .wifi(let wifi): self.init(.wifi, id: wifi.ssid, name: credential.name, secret: wifi.password)
        case .thread(let dataset): self.init(.thread, id: credential.id, name: credential.name, secret: dataset.encoded)
        }
    }
}
