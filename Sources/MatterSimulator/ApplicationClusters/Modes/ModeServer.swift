import MatterModel

/// A cluster that is derived from Mode Base (Matter application cluster specification 1.10), or Mode Select (1.9).
struct ModeServer: ClusterServer {
    struct Mode: Sendable {
        let label: String
        /// Its tags in the namespace of the cluster.
        let tags: [UInt16]

        init(_ label: String, _ tags: UInt16...) {
            self.label = label
            self.tags = tags
        }
    }

    /// Tells the cluster with the operational state of the endpoint.
    struct Changed: ClusterSignal {
        let tags: [UInt16]
    }

    /// Of Mode Base (Matter application cluster specification 1.10.7.2): the model has only what derived clusters add.
    enum Status {
        static let success: UInt8 = 0
        static let unsupportedMode: UInt8 = 1
        static let invalidInMode: UInt8 = 3
    }

    /// Of Mode Base, which all derived clusters share, and of Mode Select.
    private struct Layout {
        let supportedModes: AttributeID
        let currentMode: AttributeID
    }

    static let changeToMode: CommandID = 0
    static let changeToModeResponse: CommandID = 1

    let id: ClusterID
    private let modes: [Mode]
    private let layout: Layout
    /// The obstacle to a change of the mode, if anything.
    private let refusal: @Sendable (_ tags: [UInt16], ClusterContext) -> UInt8?

    /// - Parameter modes: numbered from 0; the first is the present one.
    init(
        _ id: ClusterID, _ modes: [Mode],
        refusal: @escaping @Sendable (_ tags: [UInt16], ClusterContext) -> UInt8? = { _, _ in nil }
    ) {
        self.id = id
        self.modes = modes
        self.refusal = refusal
        layout =
            id == ModeSelect.id
            ? Layout(
                supportedModes: ModeSelect.Attribute.supportedModes, currentMode: ModeSelect.Attribute.currentMode)
            : Layout(
                supportedModes: RvcRunMode.Attribute.supportedModes, currentMode: RvcRunMode.Attribute.currentMode)
    }

    var acceptedCommands: [CommandID] { [Self.changeToMode] }
    var persistentAttributes: Set<AttributeID> { [layout.currentMode] }
    var initialAttributes: [AttributeID: TLVValue] {
        var attributes: [AttributeID: TLVValue] = [
            layout.supportedModes: .array(of: modes.enumerated().map { number, mode in tlv(UInt8(number), mode) }),
            layout.currentMode: .uint(0),
        ]
        if id == ModeSelect.id {
            attributes[ModeSelect.Attribute.description] = .string("Mode")
            attributes[ModeSelect.Attribute.standardNamespace] = .null
        }
        return attributes
    }

    /// ModeOptionStruct; Mode Select has semantic tags instead, and this device none of them.
    private func tlv(_ number: UInt8, _ mode: Mode) -> TLVValue {
        let tags = id == ModeSelect.id ? [] : mode.tags.map { RvcRunMode.ModeTagStruct(value: $0) }
        return RvcRunMode.ModeOption(label: mode.label, mode: number, modeTags: tags).tlv
    }

    mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        // The clusters of modes have one command in common.
        let number = try command.decoded(as: RvcRunMode.ChangeToMode.self).newMode
        let isKnown = modes.indices.contains(Int(number))
        guard id != ModeSelect.id else {
            guard isKnown else { throw .invalidCommand }
            context[layout.currentMode] = .number(number)
            return .success
        }
        func answer(_ status: UInt8) -> CommandAnswer {
            .response(RvcRunMode.ChangeToModeResponse(status: status, statusText: ""))
        }
        guard isKnown else { return answer(Status.unsupportedMode) }
        guard context.number(layout.currentMode) != number else { return answer(Status.success) }
        let tags = modes[Int(number)].tags
        if let refusal = refusal(tags, context) { return answer(refusal) }
        set(number, context)
        return answer(Status.success)
    }

    /// Another cluster wants a mode with a tag.
    mutating func receive(_ signal: any ClusterSignal, _ context: ClusterContext) {
        guard let signal = signal as? Changed, let tag = signal.tags.first,
            let number = modes.firstIndex(where: { $0.tags.contains(tag) })
        else { return }
        context[layout.currentMode] = .number(UInt8(clamping: number))
    }

    mutating func input(_ words: [Substring], _ context: ClusterContext) -> Bool {
        let wanted = words.joined(separator: " ").lowercased()
        guard let number = modes.firstIndex(where: { $0.label.lowercased() == wanted }) else { return false }
        set(UInt8(clamping: number), context)
        return true
    }

    private func set(_ number: UInt8, _ context: ClusterContext) {
        context[layout.currentMode] = .number(number)
        if context.sibling(RvcOperationalState.id) != nil, id == RvcRunMode.id {
            context.signal(Changed(tags: modes[Int(number)].tags), to: RvcOperationalState.id)
        }
    }
}
