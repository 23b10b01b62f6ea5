import MatterController

/// Other programs' names for the commands of this one: chip-tool, the shell of matter.js, bluetoothctl, and plain English.
enum CommandSynonyms {
    /// The command, with its own words; each is a command of this program or an option of it.
    static let commands: [String: String] = {
        let words: [(command: String, synonyms: String)] = [
            ("node ls", "ls list nodes devices device fabric-nodes"), ("node show", "show info details"),
            ("node rename", "rename label"), ("node set", "set"), ("node forget", "forget"),
            ("node remove", "remove rm delete del unpair decommission factory-reset factoryreset reset"),
            ("commission", "pair pairing add join onboard commissioning setup code onnetwork"),
            ("discover", "scan search find browse commissionables"), ("read", "get query attr attribute"),
            ("write", "put"), ("invoke", "cmd command send call any"), ("subscribe", "sub monitor listen follow"),
            ("window open", "open-commissioning-window pairing-window"), ("fabric ls", "networks identities"),
            ("payload parse", "parse-setup-payload qr"), ("--version", "version"), ("--help", "usage commands man"),
            ("room ls", "rooms"), ("group ls", "groups"), ("acl ls", "access permissions"), ("level", "dim brightness"),
            ("cloud login", "login"), ("cloud logout", "logout"),
            ("trust update", "update"), ("clusters", "zcl"), ("describe", "endpoints inspect tree"),
            ("net scan", "wifi"), ("identify", "blink"), ("on", "light lights lamp lamps turn-on switch-on"),
            ("off", "turn-off switch-off"),
            ("--generate-completion-script bash", "completion completions"),
        ]
        let kinds: [String: String] = DeviceKind.all.flatMap { $0.kind.commandsBySynonym }.reduce(into: [:]) {
            $0[$1.synonym] = $1.command
        }
        return words.reduce(into: kinds) { found, entry in
            for synonym in entry.synonyms.split(separator: " ") { found[String(synonym)] = entry.command }
        }
    }()

    static func command(for word: String) -> String? { commands[word.lowercased()] }
}
