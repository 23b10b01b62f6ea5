import Logging
import MatterController
import Synchronization

/// The firmware that is at hand without the ledger: takes it from visitors, and finds it for nodes.
final class HouseFirmware: Sendable {
    private let library: FirmwareLibrary
    private let time: any TimeSource
    private let logger: Logger
    private let tickets = Mutex(UploadTickets())

    init(_ library: FirmwareLibrary, time: any TimeSource, logger: Logger) {
        (self.library, self.time, self.logger) = (library, time, logger)
    }

    /// Removes what uploads of killed processes have left, and tells what is wrong with files that lie there.
    func prepare() {
        do { try library.clear() } catch { logger.warning("what uploads have left was not removed: \(error)") }
        // No device has such a version.
        _ = images(for: UpdateCheck(vendorID: 0, productID: 0, version: .max))
    }

    /// Reserves an upload for a visitor.
    ///
    /// - Returns: what the client is told.
    func reserve(for visitor: Visitor) throws -> JSONValue {
        let id = Hex.encode(try SystemRandom().bytes(UploadTickets.idCount))
        try tickets.withLock { try $0.reserve(id, for: visitor, now: time.now) }
        return [
            "upload_id": .string(id), "expires_in": .int(Int64(UploadTickets.life / .seconds(1))),
            "max_size": .int(Int64(ListenerLimits().uploadBytes)),
        ]
    }

    /// Takes an image that comes in pieces, and keeps it if it is sound.
    func take(_ id: String, of visitor: Visitor, _ body: UploadBody) async -> PageResponse {
        switch tickets.withLock({ $0.begin(id, of: visitor, now: time.now) }) {
        case .unknown: return Self.refusal(404, "the upload id is not known, was used, or is too old")
        case .busy:
            return Self.refusal(503, "\(UploadTickets.mostUploads) uploads are under way; try again", retryAfter: 10)
        case .admitted: break
        }
        defer { tickets.withLock { $0.end() } }
        do {
            let upload = try library.upload()
            defer { upload.discard() }
            try await body.forEach { try upload.append($0) }
            let header = try await library.keep(upload)
            let product = "\(header.vendorID)/\(header.productID)"
            logger.notice("\(visitor.name) has brought firmware: product \(product), version \(header.version)")
            return .json(UpdateCheck.encoded(header, productID: header.productID))
        } catch is UploadBody.CutOff {
            // There is no one to hear it.
            return Self.refusal(400, "the upload was cut off")
        } catch let error as UpdateImageError where error.code != .full {
            return Self.refusal(400, error.reason)
        } catch {
            logger.warning("firmware of \(visitor.name) is not kept: \(error)")
            return Self.refusal(503, InterfaceFailure.error(error).details)
        }
    }

    /// The answer to an upload that is not taken.
    static func refusal(_ status: Int, _ message: String, retryAfter: Int? = nil) -> PageResponse {
        let object: JSONObject = [
            "error_code": .int(Int64(InterfaceError.Code.otaUpload.rawValue)), "message": .string(message),
        ]
        var response = PageResponse.json(JSONValue.object(object).utf8())
        response.status = status
        if let retryAfter { response.headers.append(("Retry-After", "\(retryAfter)")) }
        return response
    }

    /// The images to which a node may go, the newest first.
    func images(for check: UpdateCheck) -> [FirmwareFile] {
        let found = library.images(vendorID: check.vendorID, productID: check.productID, version: check.version)
        for fault in found.faults { logger.warning("firmware is left out: \(fault)") }
        return found.images
    }
}
