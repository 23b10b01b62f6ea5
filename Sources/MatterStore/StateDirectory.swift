/// The folder in which matterctl keeps what it must not forget: small files, one record each.
///
/// All of it belongs to one user: folders have mode 0700 and files 0600. Nothing is created before the first write.
/// Every write is atomic and durable; see ``write(_:_:version:replacing:)``. Reading takes no lock and needs none.
/// Calls go straight to the operating system, so that a write costs two or three synchronizations of the disk.
package struct StateDirectory: Sendable {
    /// Where it is.
    package let path: String

    /// Called as a write goes through its stages; tests use it to end the process there.
    package var atStage: (@Sendable (WriteStage) -> Void)?

    /// The stages of a write in their order.
    package enum WriteStage: String, CaseIterable, Sendable {
        case temporaryCreated, temporaryWritten, temporarySynchronized, previousKept, renamed, folderSynchronized
    }

    /// What one record may hold: far more than any needs, far less than would hurt.
    package static let largestRecord = 4 << 20

    /// - Parameter path: the folder; it need not exist.
    package init(path: String) {
        self.path = path
    }

    /// The state directory that the environment asks for: `MATTERCTL_HOME`, else `$XDG_DATA_HOME/matterctl`, else
    /// `~/.local/share/matterctl`.
    ///
    /// Empty variables count as absent, and so do an `XDG_DATA_HOME` that is not absolute (XDG Base Directory
    /// Specification) and such a `HOME`.
    package static func defaultPath(environment: [String: String]) throws(StoreError) -> String {
        if let home = environment["MATTERCTL_HOME"], !home.isEmpty { return home }
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") { return data + "/matterctl" }
        if let home = environment["HOME"], home.hasPrefix("/") { return home + "/.local/share/matterctl" }
        throw StoreError(
            .noHome, "neither MATTERCTL_HOME nor XDG_DATA_HOME nor HOME says where the state directory is",
            hint: "use --home DIR or set MATTERCTL_HOME")
    }

    /// A component of a record name that stands for any text, such as the name of a fabric.
    package static func component(for text: String) -> String {
        RecordName.escaping(text)
    }

    /// The full path of something in the state directory, for messages.
    func path(of components: some Sequence<String>) -> String {
        ([path] + components).joined(separator: "/")
    }
}
