import CProcess
import Glibc

/// The system facilities that a command needs before it begins.
///
/// The libraries that run it end the process, or wait for ever, where they get no thread or descriptor.
enum SystemResources {
    struct Need {
        fileprivate var threads: Int32
        fileprivate var descriptors: Int32

        static let local = Need(threads: 2, descriptors: 8)
        static let network = Need(threads: 8, descriptors: 16)
        /// On the thread that there is. Discovery, which has one of its own, does without if it must.
        static let plain = Need(threads: 0, descriptors: 16)
    }

    /// - Throws: ``CommandLineError`` that names what is missing.
    static func check(for need: Need) throws(CommandLineError) {
        // The library that runs the threads looks after them there, and ends the process where it cannot.
        guard need.threads == 0 || access("/proc/self/stat", R_OK) == 0 else {
            throw CommandLineError(
                .processNoProc, "/proc cannot be read: \(String(cString: strerror(errno)))")
        }
        let descriptors = cprocess_has_descriptors(need.descriptors)
        guard descriptors == 0 else {
            throw error("this process may not open enough files", descriptors, limit: "ulimit -n")
        }
        let threads = cprocess_has_threads(need.threads)
        guard threads == 0 else {
            throw error("this process may not start enough threads", threads, limit: "ulimit -u; ulimit -v")
        }
    }

    private static func error(_ what: String, _ number: Int32, limit: String) -> CommandLineError {
        CommandLineError(
            .processNoResources, "\(what): \(String(cString: strerror(number)))", hint: "see its limits: \(limit)")
    }
}
