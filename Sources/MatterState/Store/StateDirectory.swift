package import MatterNetwork

/// The folder in which matterctl keeps what it must not forget: small files, one record each.
///
/// All of it belongs to one user: folders have mode 0700 and files 0600. Nothing is created before the first write.
/// Every write is atomic and durable; see ``write(_:_:version:replacing:)``. Reading takes no lock and needs none.
/// Calls go straight to the operating system, so that a write costs two or three synchronizations of the disk; one that
/// may be lost costs none.
public struct StateDirectory: Sendable {
    /// Where it is.
    public let path: String

    /// A folder outside of it, in which the state directory is vouched for: a backup that is restored does not take it
    /// back in time. `nil` for state that needs no such thing; an empty path is a folder that cannot be used.
    public let witness: String?

    /// The source of the path, for messages: `--home`, `$MATTERCTL_HOME`; `nil` if that is not known.
    public var origin: String?

    /// The path, and what chose it: `/srv/matter ($MATTERCTL_HOME)`.
    package var title: String { path + (origin.map { " (\($0))" } ?? "") }

    /// Where this machine says which one it is.
    var machineIDFile = "/etc/machine-id"

    /// The clock of those who wait for a lock or a session slot.
    package var time: any TimeSource = SystemTime()

    let openFolders = OpenFolders()

    /// Called as a write goes through its stages; tests use it to end the process there.
    var atStage: (@Sendable (WriteStage) -> Void)?

    /// Called with every descriptor that is opened; tests use it to know whose they are.
    package var atOpen: (@Sendable (Int32) -> Void)?

    /// The stages of a write in their order.
    enum WriteStage: String, CaseIterable, Sendable {
        case temporaryCreated, temporaryWritten, temporarySynchronized, previousKept, renamed, folderSynchronized
    }

    /// The durability of a write.
    package enum Durability: Sendable {
        /// It is there for good once the call has returned.
        case synchronized
        /// If the machine stops within some seconds, the record may be as it was before, or damaged. For records whose
        /// loss costs a moment.
        case relaxed
    }

    /// The largest record: far more than any needs, far less than would hurt.
    static let largestRecord = 4 << 20

    /// - Parameters:
    ///   - path: the folder; it need not exist.
    ///   - witness: see ``witness``.
    public init(path: String, witness: String? = nil) {
        self.path = path
        self.witness = witness
    }

    /// The state directory that the environment asks for: `MATTERCTL_HOME`, else `$XDG_DATA_HOME/matterctl`, else
    /// `~/.local/share/matterctl`.
    ///
    /// Empty variables count as absent, and so do an `XDG_DATA_HOME` that is not absolute (XDG Base Directory
    /// Specification) and such a `HOME`.
    ///
    /// - Throws: ``StoreError``.
    public static func defaultPath(environment: [String: String]) throws(StoreError) -> String {
        if let home = environment["MATTERCTL_HOME"], !home.isEmpty { return home }
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") { return data + "/matterctl" }
        if let home = environment["HOME"], home.hasPrefix("/") { return home + "/.local/share/matterctl" }
        throw StoreError(
            .noHome, "none of MATTERCTL_HOME, XDG_DATA_HOME and HOME is set",
            hint: .step("state.no-home"))
    }

    /// The variable that ``defaultPath(environment:)`` takes the path from, with a `$`.
    public static func pathVariable(environment: [String: String]) -> String? {
        if environment["MATTERCTL_HOME"]?.isEmpty == false { return "$MATTERCTL_HOME" }
        if environment["XDG_DATA_HOME"]?.hasPrefix("/") == true { return "$XDG_DATA_HOME" }
        return environment["HOME"]?.hasPrefix("/") == true ? "$HOME" : nil
    }

    /// The folder for ``witness`` that the environment asks for: `$XDG_STATE_HOME/matterctl`, else
    /// `~/.local/state/matterctl`; empty if there is neither variable.
    public static func witnessPath(environment: [String: String]) -> String {
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return state + "/matterctl" }
        guard let home = environment["HOME"], !home.isEmpty else { return "" }
        return home + "/.local/state/matterctl"
    }

    /// A component of a record name for any text, such as the name of a fabric.
    package static func component(for text: String) -> String {
        RecordName.escaping(text)
    }

    /// True if a text can be a component of a record name.
    static func isComponent(_ text: String) -> Bool { RecordName.isAllowed(text) }

    /// The text of a component; `nil` if it has none, or if the text was too long.
    package static func text(of component: String) -> String? {
        RecordName.unescaping(component)
    }

    /// The full path of something in the state directory, for messages.
    func path(of components: some Sequence<String>) -> String {
        // The library's joining costs its first caller in a process half a million instructions.
        components.reduce(into: path) { whole, component in
            whole += "/"
            whole += component
        }
    }
}
