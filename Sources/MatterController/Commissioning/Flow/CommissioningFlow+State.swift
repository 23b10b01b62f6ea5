import MatterCrypto
import MatterModel

/// Where a commissioning stands: everything that the flow remembers.
extension CommissioningFlow {
    /// The changes that a failure has to undo.
    enum Undo: Equatable, Sendable {
        case nothing
        /// The fail-safe is armed; disarming it makes the device forget.
        case disarm
        /// The same, and the device may have our certificate by now.
        case disarmPending
        /// CommissioningComplete was sent: disarming proves nothing any more, since the device may be done.
        case leavePending
    }

    /// The facts about the device, and the commands that it got so far.
    struct Known: Sendable {
        /// The device's description of itself; empty until it has.
        var information = DeviceInformation()
        /// The user's answer to the manufacturer's terms, where the device asks for one.
        var acknowledgement: TermsAcknowledgement?
        /// The last one that the device was given.
        var breadcrumb: UInt64 = 0
        /// The steps for its network.
        var plan = Plan.nothing
        /// The network that it was told to join.
        var target: Target?
    }

    /// The steps for the network of a device.
    enum Plan: Sendable {
        case nothing
        /// The interface looks around before there is a certificate.
        case search(NetworkState.Commissioning)
        /// The networks left to try, the next first, and what the device sees, each network once.
        case join([NetworkAttempt], seen: [SeenNetwork])

        var attempts: [NetworkAttempt] { if case .join(let attempts, _) = self { attempts } else { [] } }
        var seen: [SeenNetwork] { if case .join(_, let seen) = self { seen } else { [] } }
    }

    /// A network that the device was told to join.
    struct Target: Sendable {
        let attempt: NetworkAttempt
        /// Whether the device says that it has joined.
        var hasJoined = false
    }

    /// The device's attestation certificates, and what it said before its turn.
    struct Chain: Sendable {
        var pai: [UInt8]?
        var dac: [UInt8]?
        /// An answer to CSRRequest without a verdict. Only that tells whether the device's key counts for anything.
        var earlyCSR: Event?
    }

    /// The attestation certificates of a device that has shown both.
    struct Shown: Sendable {
        let dac: [UInt8]
        let pai: [UInt8]
    }

    /// The credentials that AddNOC waits for.
    struct Preparation: Sendable {
        /// The commands of the configuration that the device has not answered.
        var commands: Int
        var hasRoot = false
        var isRecorded = false
        /// Whether the device has refused the country, and was told that it is unknown.
        var hasDroppedCountry = false

        init(commands: Int) { self.commands = commands }

        var isDone: Bool { commands == 0 && hasRoot && isRecorded }
    }

    /// How a network is joined.
    struct Joining: Sendable {
        enum Phase: Sendable {
            /// The device is told, or its fail-safe is extended for it.
            case trying
            /// A person is asked about a failure.
            case asking(NetworkFailure)
            /// The interface forgets what it could not join; the next one has its turn.
            case leaving(NetworkFailure)
        }

        var phase = Phase.trying
        /// How often the device was told to join once more what it could not join.
        var repetitions = 0
        /// Whether an entry of the device's table has given way.
        var hasMadeRoom = false

        var isLeaving: Bool { if case .leaving = phase { true } else { false } }
    }

    /// How far the way to the fabric has come.
    enum State: Sendable {
        /// The session stands, and nothing was sent.
        case idle
        /// The device has not said that its fail-safe is armed. It may have described itself.
        case arming(Known, early: DeviceInformation?)
        /// The fail-safe is another administrator's, and not ours to disarm.
        case busy(Known)
        /// It has not described itself, or what it said is being looked at.
        case describing(Known)
        /// The attestation is being asked for.
        case collecting(Known, Chain)
        /// There is no verdict yet.
        case judging(Known, Shown, earlyCSR: Event?)
        /// The verdict allows to ask for a certificate.
        case verified(Known, Shown)
        /// The device looks for networks, or a person chooses one; the issuer waits.
        case choosing(Known, NetworkState.Commissioning, [SeenNetwork], CertificateSigningRequest, NOCIssueContext)
        case requested(Known, CertificateSigningRequest)
        /// There is a certificate, and the device is made ready for it.
        case preparing(Known, IssuedNOC, Preparation)
        /// The device was sent its certificate.
        case certified(Known, IssuedNOC)
        case joining(Known, IssuedNOC, Joining)
        /// The node is looked for.
        case discovering(Known, IssuedNOC)
        /// Its first session with its certificate is set up.
        case connecting(Known, IssuedNOC)
        /// CommissioningComplete was sent. A device that has refused it has not done it.
        case completing(Known, IssuedNOC, isRefused: Bool)
        /// The device is a node for good.
        case standing(Known, IssuedNOC, isOver: Bool)
    }
}

extension CommissioningFlow.State {
    /// The stage that the state belongs to.
    var stage: CommissioningStage {
        switch self {
        case .idle: .pase
        case .arming, .busy: .armFailSafe
        case .describing: .readInfo
        case .collecting, .judging: .attestation
        case .verified, .choosing: .csr
        case .requested: .issueNOC
        case .preparing(_, _, let preparation): preparation.commands == 0 ? .trustedRoot : .configure
        case .certified: .addNOC
        case .joining: .network
        case .discovering: .operationalDiscovery
        case .connecting: .case
        case .completing, .standing(_, _, isOver: true): .complete
        case .standing(_, _, isOver: false): .post
        }
    }

    /// The steps that a failure undoes.
    var undo: CommissioningFlow.Undo {
        switch self {
        case .idle, .busy, .standing: .nothing
        case .arming, .describing, .collecting, .judging, .verified, .choosing, .requested, .preparing: .disarm
        case .certified, .joining, .discovering, .connecting, .completing(_, _, isRefused: true): .disarmPending
        case .completing(_, _, isRefused: false): .leavePending
        }
    }

    /// The certificate; `nil` until there is one.
    var issued: IssuedNOC? {
        switch self {
        case .preparing(_, let issued, _), .certified(_, let issued), .joining(_, let issued, _),
            .discovering(_, let issued), .connecting(_, let issued), .completing(_, let issued, _),
            .standing(_, let issued, _):
            issued
        case .idle, .arming, .busy, .describing, .collecting, .judging, .verified, .choosing, .requested: nil
        }
    }

    /// The facts about the device. There is nothing to know before anything was sent.
    var known: CommissioningFlow.Known {
        get {
            switch self {
            case .idle: CommissioningFlow.Known()
            case .arming(let known, _), .busy(let known), .describing(let known), .collecting(let known, _),
                .judging(let known, _, _), .verified(let known, _), .choosing(let known, _, _, _, _),
                .requested(let known, _), .preparing(let known, _, _), .certified(let known, _),
                .joining(let known, _, _), .discovering(let known, _), .connecting(let known, _),
                .completing(let known, _, _), .standing(let known, _, _):
                known
            }
        }
        set {
            switch self {
            case .idle: break
            case .arming(_, let early): self = .arming(newValue, early: early)
            case .busy: self = .busy(newValue)
            case .describing: self = .describing(newValue)
            case .collecting(_, let chain): self = .collecting(newValue, chain)
            case .judging(_, let shown, let early): self = .judging(newValue, shown, earlyCSR: early)
            case .verified(_, let shown): self = .verified(newValue, shown)
            case .choosing(_, let interface, let seen, let csr, let context):
                self = .choosing(newValue, interface, seen, csr, context)
            case .requested(_, let csr): self = .requested(newValue, csr)
            case .preparing(_, let issued, let preparation): self = .preparing(newValue, issued, preparation)
            case .certified(_, let issued): self = .certified(newValue, issued)
            case .joining(_, let issued, let joining): self = .joining(newValue, issued, joining)
            case .discovering(_, let issued): self = .discovering(newValue, issued)
            case .connecting(_, let issued): self = .connecting(newValue, issued)
            case .completing(_, let issued, let isRefused): self = .completing(newValue, issued, isRefused: isRefused)
            case .standing(_, let issued, let isOver): self = .standing(newValue, issued, isOver: isOver)
            }
        }
    }
}
