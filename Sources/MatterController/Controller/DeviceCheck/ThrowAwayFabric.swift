import Glibc
import Logging
import MatterState

/// A fabric that is there for one examination: its state lies in a folder of its own, in memory where there is such a place,
/// and goes with it.
struct ThrowAwayFabric: Sendable {
    static let name = "device-check"

    let controller: Controller
    let commissioning: CommissioningService
    private let state: StateDirectory

    /// - Parameters:
    ///   - options: those of the controller that examines.
    ///   - judge: the judge of the device's origin, with the authorities that the user trusts.
    /// - Throws: ``StoreError`` if there can be no such folder.
    init(
        _ options: Controller.Options, _ judge: any AttestationJudging, _ links: any LinkProvider, _ trace: CheckTrace
    ) throws(StoreError) {
        let base = options.runtime.map { String($0.path.dropLast("/matterctl".count)) } ?? "/tmp"
        var template = Array("\(base)/matterctl-check-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .system(errno, "create", "\(base)/matterctl-check-XXXXXX") }
        let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        state = StateDirectory(path: path)
        var own = options
        (own.state, own.fabric, own.makesFabric) = (state, Self.name, true)
        (own.runtime, own.keepsSessions, own.waits, own.sessionProgress) = (nil, false, nil, nil)
        (own.services, own.links) = ([], links)
        let logger = trace.logger
        (own.logger, own.trace) = (logger, trace.messages(besides: options.trace))
        own.warn = { text, _ in logger.warning("\(text)") }
        let controller = Controller(own)
        self.controller = controller
        commissioning = CommissioningService(
            controller.context, controller.issuers, judge,
            CommissioningService.Aftercare { node, deadline, serviceDeadline in
                try await controller.administration.remove(
                    node, deadline: deadline, serviceDeadline: serviceDeadline)
            })
    }

    /// The node that it has; `nil` if it has none.
    var node: NodeRecord? { try? controller.context.nodes().all().first }

    func close() async {
        await controller.close()
        do {
            try state.destroy()
        } catch {
            controller.options.logger.warning("\(error)")
        }
    }
}
