import ArgumentParser
import HouseServer
import MatterController

/// The part of a house that one host serves, as `--only` names it: shares with names, and nodes in none.
struct ServeShare {
    /// A word of an option with the name of the share before it: `north=room:Hall`.
    struct Word {
        let share: String?
        let text: String

        init(_ word: String) {
            guard let end = word.firstIndex(of: "="), HouseShare.isName(String(word[..<end])) else {
                (share, text) = (nil, word)
                return
            }
            (share, text) = (String(word[..<end]), String(word[word.index(after: end)...]))
        }
    }

    private let only: [Word]
    private let standBy: [String]
    private let peers: [Word]

    /// - Throws: `ValidationError` for a share that has no nodes.
    init(only: [String], standBy: [String], peers: [String]) throws {
        self.only = only.map(Word.init)
        self.standBy = standBy
        self.peers = peers.map(Word.init)
        for name in standBy where !names.contains(name) {
            throw ValidationError("--stand-by names a share that --only gives nodes: --only \(name)=room:NAME")
        }
        for peer in self.peers {
            guard let share = peer.share else {
                if names.isEmpty { throw ValidationError("--peer is for shares with names: --only NAME=room:NAME") }
                continue
            }
            guard names.contains(share) else { throw ValidationError("--peer names a share that --only gives nodes") }
        }
    }

    /// The names, in the order in which they came.
    private var names: [String] {
        only.reduce(into: []) { names, word in
            if let share = word.share, !names.contains(share) { names.append(share) }
        }
    }

    /// The nodes that are served; `nil` for all.
    ///
    /// - Throws: an error of usage for words that no node can fit.
    func filter(_ controller: Controller) throws -> (@Sendable (NodeRecord) -> Bool)? {
        only.isEmpty ? nil : try Self.filter(only, controller)
    }

    /// The shares with names.
    ///
    /// - Throws: as ``filter(_:)``; for the URL of a peer that cannot be used.
    func shares(_ controller: Controller) throws -> [HouseShare] {
        try names.map { name in
            var share = HouseShare(name, includes: try Self.filter(only.filter { $0.share == name }, controller))
            share.standsBy = standBy.contains(name)
            let peer = peers.first { $0.share == name } ?? peers.first { $0.share == nil }
            share.peer = try peer.map { try PeerURL.read($0.text) }
            return share
        }
    }

    private static func filter(
        _ words: [Word], _ controller: Controller
    ) throws -> @Sendable (NodeRecord) -> Bool {
        let tests = try words.map { try test($0.text, controller) }
        return { node in tests.contains { $0(node) } }
    }

    private static func test(_ word: String, _ controller: Controller) throws -> @Sendable (NodeRecord) -> Bool {
        if let room = word.suffix(after: "room:") {
            return { node in
                Room.isSame(room, node.room) || node.bridged.contains { Room.isSame(room, $0.device.room) }
            }
        }
        if let name = word.suffix(after: "type:") {
            let type = try Catalogue.standard.deviceType(named: name)
            return { node in node.endpoints.contains { $0.deviceTypes.contains(type.id.rawValue) } }
        }
        let id = try controller.nodes.record(of: word).nodeID
        return { $0.nodeID == id }
    }
}

/// The URL of another host's server. One with a token comes from a file: other users can see the arguments of a command.
enum PeerURL {
    /// - Parameter text: the URL, or `@FILE`.
    /// - Throws: an error of usage.
    static func read(_ text: String) throws -> WebSocketURL { try parse(try self.text(text)) }

    /// The URL as text.
    ///
    /// - Throws: an error of usage.
    static func text(_ text: String) throws -> String {
        let isFile = text.hasPrefix("@")
        let line = isFile ? try InputFile.firstLine(String(text.dropFirst())) : text
        guard try isFile || !parse(line).hasToken else {
            throw CommandLineError(
                .usage, "a token in an argument can be seen by other users",
                hint: "write the URL into a file, and give @FILE")
        }
        return line
    }

    /// - Throws: an error of usage.
    static func parse(_ text: String) throws -> WebSocketURL {
        do {
            return try WebSocketURL(parsing: text)
        } catch {
            guard error.code == .insecureURL else { throw error }
            throw CommandLineError(
                .usage, "a token would travel unencrypted to another machine",
                hint: "use wss://, by a proxy that encrypts")
        }
    }
}

extension String {
    fileprivate func suffix(after prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}
