import Glibc
import MatterController

/// Where the sockets of a server lie, and where commands look for them: in the user's runtime folder, or else in the state directory.
struct SocketFolder {
    /// The longest path of a socket that the kernel takes, in bytes (unix(7)).
    private static let longest = 107

    private let state: StateDirectory
    private let runtime: RuntimeDirectory?

    init(_ state: StateDirectory, environment: [String: String]) {
        self.state = state
        runtime = RuntimeDirectory(environment: environment)
    }

    private var other: String { "\(state.path)/run" }

    /// The path for a socket.
    ///
    /// - Returns: with what a person should know about it; `nil` for the usual place.
    /// - Throws: an error of usage if there is no place.
    func place(of name: String) throws -> (path: String, warning: String?) {
        let reason: String
        if let runtime {
            do throws(StoreError) {
                let path = try runtime.place(of: name)
                return (path, runtime.obstacle.map { "\($0): commands keep no sessions" })
            } catch { reason = "\(error)" }
        } else {
            reason = "XDG_RUNTIME_DIR names no folder"
        }
        let path = "\(other)/\(name)"
        guard state.path.hasPrefix("/"), path.utf8.count <= Self.longest else {
            throw CommandLineError(
                .usage, "\(reason), and the path \(path) is too long for a socket", hint: "name one with --socket")
        }
        return (path, "\(reason): the socket is \(path)")
    }

    /// The paths at which a socket may be, the usual one first.
    func presumedPlaces(of name: String) -> [String] {
        var places: [String] = []
        if let runtime { places.append(runtime.presumedPlace(of: name)) }
        var status = stat()
        if stat(other, &status) == 0 { places.append("\(other)/\(name)") }
        return places
    }
}
