/// A failure that the interface tells its clients, by a number (own; the numbers are those of python-matter-server).
struct InterfaceError: Error, Sendable {
    enum Code: Int, Sendable {
        case unknown = 0
        case commissionFailed = 1
        case interviewFailed = 2
        case nodeNotReady = 3
        case nodeNotResolving = 4
        case nodeNotExists = 5
        case versionMismatch = 6
        /// A Matter status of the device.
        case stack = 7
        case invalidArguments = 8
        case invalidCommand = 9
        case updateCheck = 10
        case update = 11
        /// Other administrators of a device may not bear that it sleeps for long. From here on, for commands of new clients only.
        case icdMultiAdmin = 100
        case otaUpload = 101
    }

    var code: Code
    /// A sentence.
    var details: String
    /// The Matter statuses of the device, if it answered with one.
    var status: (status: UInt8, cluster: UInt8?)?

    init(_ code: Code, _ details: String, status: (status: UInt8, cluster: UInt8?)? = nil) {
        self.code = code
        self.details = details
        self.status = status
    }
}
