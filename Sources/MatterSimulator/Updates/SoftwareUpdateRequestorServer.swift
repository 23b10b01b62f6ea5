import MatterNetwork

/// OTA Software Update Requestor (Matter core specification 11.20.7): the state of an update. The device itself talks with the
/// provider, and says here how it goes.
struct SoftwareUpdateRequestorServer: ClusterServer {
    typealias State = OtaSoftwareUpdateRequestor.UpdateState
    typealias Reason = OtaSoftwareUpdateRequestor.ChangeReason

    private typealias Attribute = OtaSoftwareUpdateRequestor.Attribute
    private typealias Command = OtaSoftwareUpdateRequestor.Command

    /// The progress of an update.
    enum News: ClusterSignal {
        /// The provider is asked.
        case querying(UpdateProvider)
        /// - Parameter target: the version that the device is about to have.
        case moved(State, Reason, target: UInt32? = nil)
        /// The part of the image that is there, in percent.
        case progress(UInt8)
        /// The download has ended before its time.
        ///
        /// - Parameter received: how many octets came.
        case downloadFailed(version: UInt32, received: UInt64)
        /// Everything is there for a restart with the new software.
        case installed(UpdateErrand, BasicInformationServer.Installed)
        /// The provider knows of the new software, or cannot be told.
        case finished
    }

    private static let startTimer = "start"

    let id = OtaSoftwareUpdateRequestor.id
    private let behaviour: UpdateBehaviour
    private let productID: UInt16
    /// The provider to ask when the timer fires.
    private var announced: UpdateProvider?
    private var underWay: UpdateErrand?

    init(_ behaviour: UpdateBehaviour, productID: UInt16) {
        self.behaviour = behaviour
        self.productID = productID
    }

    let initialAttributes: [AttributeID: TLVValue] = [
        Attribute.defaultOTAProviders: .array([]), Attribute.updatePossible: .bool(true),
        Attribute.updateState: State.idle.tlv, Attribute.updateStateProgress: .null,
    ]
    let acceptedCommands: [CommandID] = [Command.announceOTAProvider]
    let persistentAttributes: Set<AttributeID> = [Attribute.defaultOTAProviders]
    let quietAttributes: Set<AttributeID> = [Attribute.updateStateProgress]

    var savedState: TLVValue? {
        guard let underWay else { return nil }
        let provider = underWay.provider
        var members = [
            TLVElement(0, .number(provider.fabricIndex)), TLVElement(1, .uint(provider.node.rawValue)),
            TLVElement(2, provider.endpoint.tlv),
        ]
        if case .notify(_, let token, let version) = underWay {
            members += [TLVElement(3, .octets(token)), TLVElement(4, .number(version))]
        }
        return .structure(members)
    }

    mutating func restore(_ state: TLVValue) throws(TLVError) {
        let fields = try TLVFields(state, "an update")
        let provider = UpdateProvider(
            fabricIndex: try fields.unsigned(0), node: NodeID(try fields.unsigned(1)),
            endpoint: EndpointID(try fields.unsigned(2)))
        if let token = try fields.optionalOctets(3) {
            underWay = .notify(provider, token: token, version: try fields.unsigned(4))
        } else {
            underWay = .query(provider)
        }
    }

    /// Basic Information has started before: its number is lower.
    mutating func start(_ context: ClusterContext) {
        guard let errand = underWay else { return }
        guard case .notify(_, _, let version) = errand else { return context.effect(.update(errand)) }
        let running: UInt32? = context.sibling(BasicInformation.id)?.number(BasicInformation.Attribute.softwareVersion)
        let isApplied = running == version
        context.emit(
            OtaSoftwareUpdateRequestor.StateTransition(
                previousState: isApplied ? .applying : .rollingBack, newState: .idle,
                reason: isApplied ? .success : .failure, targetSoftwareVersion: nil))
        if isApplied {
            context.emit(
                OtaSoftwareUpdateRequestor.VersionApplied(softwareVersion: version, productID: productID))
        }
        if isApplied, !behaviour.neverNotifies { context.effect(.update(errand)) } else { setUnderWay(nil, context) }
    }

    // MARK: Providers

    mutating func write(
        _ attribute: AttributeID, _ value: TLVValue, _ context: ClusterContext
    ) throws(ClusterFailure) {
        guard attribute == Attribute.defaultOTAProviders, let entries = value.items else { throw .unsupportedWrite }
        let fabrics = entries.map { OtaSoftwareUpdateRequestor.ProviderLocation(tlv: $0)?.fabricIndex }
        guard Set(fabrics).count == fabrics.count else { throw .constraintError }
        context[attribute] = value
    }

    mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        let announcement: OtaSoftwareUpdateRequestor.AnnounceOTAProvider = try command.decoded()
        guard context.caller.fabricIndex != 0 else { throw .unsupportedAccess }
        // It goes on with what it is at.
        guard isIdle(context) else { return .success }
        begin(
            with: UpdateProvider(
                fabricIndex: context.caller.fabricIndex, node: NodeID(announcement.providerNodeID),
                endpoint: announcement.endpoint), context)
        return .success
    }

    mutating func input(_ words: [Substring], _ context: ClusterContext) -> Bool {
        guard words == ["query"] else { return false }
        let providers = (context[Attribute.defaultOTAProviders]?.items ?? [])
            .compactMap { OtaSoftwareUpdateRequestor.ProviderLocation(tlv: $0) }
        guard isIdle(context), let provider = providers.first, let fabricIndex = provider.fabricIndex else {
            context.report(isIdle(context) ? "there is no default provider" : "an update is under way")
            return true
        }
        begin(
            with: UpdateProvider(
                fabricIndex: fabricIndex, node: NodeID(provider.providerNodeID), endpoint: provider.endpoint), context)
        return true
    }

    private mutating func begin(with provider: UpdateProvider, _ context: ClusterContext) {
        announced = provider
        context.schedule(Self.startTimer, after: behaviour.startDelay)
    }

    mutating func timerFired(_ timer: String, _ context: ClusterContext) {
        guard let provider = announced, isIdle(context) else { return }
        announced = nil
        context.effect(.update(.query(provider)))
    }

    mutating func fabricRemoved(_ fabricIndex: UInt8, _ context: ClusterContext) {
        if announced?.fabricIndex == fabricIndex { announced = nil }
        if underWay?.provider.fabricIndex == fabricIndex { setUnderWay(nil, context) }
    }

    // MARK: State

    mutating func receive(_ signal: any ClusterSignal, _ context: ClusterContext) {
        guard let news = signal as? News else { return }
        switch news {
        case .querying(let provider):
            setUnderWay(.query(provider), context)
            move(to: .querying, .success, nil, context)
        case .moved(let state, let reason, let target):
            if state == .idle { setUnderWay(nil, context) }
            move(to: state, reason, target, context)
        case .progress(let percent):
            context[Attribute.updateStateProgress] = .number(percent)
        case .downloadFailed(let version, let received):
            context.emit(
                OtaSoftwareUpdateRequestor.DownloadError(
                    softwareVersion: version, bytesDownloaded: received,
                    progressPercent: context.number(Attribute.updateStateProgress), platformCode: nil))
        case .installed(let errand, let software):
            setUnderWay(errand, context)
            if !behaviour.rollsBack { context.signal(software, to: BasicInformation.id) }
            context.effect(.reboot)
        case .finished:
            setUnderWay(nil, context)
        }
    }

    private func isIdle(_ context: ClusterContext) -> Bool {
        context[Attribute.updateState] == State.idle.tlv && underWay == nil
    }

    private mutating func setUnderWay(_ errand: UpdateErrand?, _ context: ClusterContext) {
        guard underWay != errand else { return }
        underWay = errand
        context.markUnsaved()
    }

    private func move(to state: State, _ reason: Reason, _ target: UInt32?, _ context: ClusterContext) {
        let previous = context[Attribute.updateState].flatMap { State(tlv: $0) } ?? .unknown
        guard previous != state else { return }
        context[Attribute.updateState] = state.tlv
        context[Attribute.updateStateProgress] = state == .downloading ? .uint(0) : .null
        context.emit(
            OtaSoftwareUpdateRequestor.StateTransition(
                previousState: previous, newState: state, reason: reason, targetSoftwareVersion: target))
    }
}
