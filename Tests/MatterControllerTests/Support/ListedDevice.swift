import MatterBase
import MatterTestKit
import Synchronization

@testable import MatterController
@testable import MatterModel

/// A device with one list, which notes what is done to it.
final class ListedDevice: Sendable {
    struct State {
        var entries: [TLVValue]
        var version: UInt32 = 1
        /// How many messages wrote to the list.
        var writes = 0
        /// Lists as they were after each message.
        var past: [[TLVValue]] = []
        /// Entries that another administrator adds before the next writes, one before each.
        var rivals: [TLVValue] = []
        /// The answer to the message with that number, from 1 on.
        var refusal: (message: Int, status: IMStatus)?
        /// Whether it forgets the last entry that it is given.
        var isForgetful = false
        var limits: [UInt64] = [4, 3, 4]
        /// Called with each message that wrote.
        var written: @Sendable () -> Void = {}
    }

    let state: Mutex<State>

    init(_ entries: [AccessControlEntry]) { state = Mutex(State(entries: entries.map(\.tlv))) }

    init(of entries: [some FabricListEntry]) { state = Mutex(State(entries: entries.map(\.tlv))) }

    var entries: [AccessControlEntry] { get throws { try state.withLock { $0.entries }.map(AccessControlEntry.init) } }
    var writes: Int { state.withLock { $0.writes } }
    var past: [[AccessControlEntry]] {
        get throws { try state.withLock { $0.past }.map { try $0.map(AccessControlEntry.init) } }
    }

    func set(_ entries: [AccessControlEntry]) { state.withLock { $0.entries = entries.map(\.tlv) } }

    var model: DeviceModel {
        var model = DeviceModel()
        model.read = { path, _ in self.state.withLock { $0.answer(path) } }
        model.write = { operation, _ in self.state.withLock { $0.write(operation) } }
        return model
    }
}

extension ListedDevice.State {
    func answer(_ path: AttributePath) -> [AttributeReportIB] {
        let value: TLVValue =
            switch path.attribute {
            case AccessControl.Attribute.acl:
                .array(
                    of: entries.map { entry in
                        .structure((entry.members ?? []) + [TLVElement(254, .uint(1))])
                    })
            case let attribute?: .uint(limits[Int(attribute.rawValue) - 2])
            case nil: .null
            }
        return [.data(AttributeDataIB(dataVersion: version, path: path, data: value))]
    }

    mutating func write(_ operation: WriteOperation) -> IMStatus {
        writes += 1
        if let refusal, refusal.message == writes { return refusal.status }
        if !rivals.isEmpty {
            entries.append(rivals.removeFirst())
            version += 1
        }
        if let expected = operation.dataVersion, expected != version { return .dataVersionMismatch }
        switch operation.change {
        case .replace(let list): entries = list.items ?? []
        case .append(let items): entries += items
        case .refuse(let status): return status
        }
        if isForgetful { entries.removeLast() }
        version += 1
        past.append(entries)
        written()
        return .success
    }
}
