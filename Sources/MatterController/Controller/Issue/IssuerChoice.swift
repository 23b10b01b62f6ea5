public import MatterState

/// Who issues the certificate of a device that is commissioned.
public struct IssuerChoice: Sendable {
    enum Kind: Sendable {
        /// The one that the fabric has.
        case ofFabric([FabricRecord.Issuer: [String: String]])
        /// The authority of the fabric, on this machine.
        case local
        /// A program.
        case command(String)
        /// A service, with its account.
        case service(FabricRecord.Issuer, [String: String])
        /// One of the caller.
        case custom(any NOCIssuer)
        /// Another program or person, by files.
        case outside(any NodeIssuer)
    }

    let kind: Kind

    /// The issuer that the fabric was made with.
    public static let ofFabric = IssuerChoice(kind: .ofFabric([:]))

    /// The issuer that the fabric was made with, with settings for the registered services.
    public static func ofFabric(settings: [FabricRecord.Issuer: [String: String]]) -> IssuerChoice {
        IssuerChoice(kind: .ofFabric(settings))
    }

    /// The certificate authority of the fabric, whose key is in the state directory.
    public static let local = IssuerChoice(kind: .local)

    /// A program, run by `/bin/sh -c`: it gets the request as JSON on stdin and prints the chain as PEM.
    public static func command(_ command: String) -> IssuerChoice { IssuerChoice(kind: .command(command)) }

    /// A registered service, with settings of its own.
    public static func service(_ issuer: FabricRecord.Issuer, settings: [String: String] = [:]) -> IssuerChoice {
        IssuerChoice(kind: .service(issuer, settings))
    }

    /// An issuer of the program's own, for a fabric that exists here.
    public static func issuer(_ issuer: any NodeIssuer) -> IssuerChoice { IssuerChoice(kind: .outside(issuer)) }

    /// An issuer of this package.
    package static func custom(_ issuer: any NOCIssuer) -> IssuerChoice { IssuerChoice(kind: .custom(issuer)) }
}

/// Who issues the certificates of a fabric: its own authority, a program, or a service.
public struct Issuers: FabricService {
    let context: FabricContext
    let links: NodeLinks

    init(_ context: FabricContext, _ links: NodeLinks) {
        self.context = context
        self.links = links
    }
}

extension Issuers {
    /// The issuer of one commissioning with its work around it; `nil` if the fabric's own authority issues.
    func issuerWork(
        _ choice: IssuerChoice, deviceName: String?, deadline: Instant
    ) async throws -> (any IssuerWork)? {
        let record: FabricRecord
        do {
            record = try context.fabric()
        } catch let error as RecordError where makesFabric(after: error, for: choice) {
            return nil
        }
        func begin(_ service: any IssuerService, _ settings: [String: String]) async throws -> any IssuerWork {
            try await service.begin(
                served(record, deadline: deadline), deviceName: deviceName, settings: settings)
        }
        switch choice.kind {
        case .ofFabric(let settings):
            guard let service = service(of: record) else { return nil }
            return try await begin(service, settings[record.issuer] ?? [:])
        case .local:
            guard service(of: record) == nil else { throw otherIssuer(record) }
            return nil
        case .command(let command):
            return BareIssuer(
                issuer: ExecIssuer(
                    command: command, credentials: try context.credentials(), adminVendorID: record.vendorID,
                    services: options.services.map(\.issuer.rawValue), unixTime: options.unixTime))
        case .service(let issuer, let settings):
            guard issuer == record.issuer, let service = service(of: record) else { throw otherIssuer(record) }
            return try await begin(service, settings)
        case .custom(let issuer):
            return BareIssuer(issuer: issuer)
        case .outside(let issuer):
            return BareIssuer(
                issuer: OutsideIssuer(
                    issuer: issuer, credentials: try context.credentials(), adminVendorID: record.vendorID,
                    time: context.validationTime))
        }
    }

    /// A fabric as its service sees it.
    func served(_ record: FabricRecord, deadline: Instant) -> ServedFabric {
        ServedFabric(record, context, links, deadline: deadline)
    }

    /// Whether a commissioning makes the fabric that is not there.
    func makesFabric(after error: RecordError, for choice: IssuerChoice) -> Bool {
        choice.isForNewFabric
            && (error.code == .noFabric || options.makesFabric && error.code == .unknownFabric)
    }

    /// The registered service that issues for a fabric.
    func service(of fabric: FabricRecord) -> (any IssuerService)? {
        options.services.first { $0.issuer == fabric.issuer }
    }

    /// The next step if a device refuses access, where the fabric's service knows one.
    public func accessHint() -> Hint? {
        guard let fabric = try? context.fabric(), let service = service(of: fabric) else { return nil }
        return try? service.accessHint(on: served(fabric, deadline: .now))
    }

    /// The issuer of a fabric whose authority is here.
    func issuer(for fabric: FabricRecord) throws -> any NOCIssuer {
        guard fabric.issuer == .local || fabric.issuer == .none else {
            throw ControllerError(
                .noIssuer,
                "the fabric '\(fabric.name)' has the issuer '\(fabric.issuer.rawValue)', which this program does not know"
            )
        }
        if let membership = fabric.membership {
            throw ControllerError(
                .noIssuer,
                "the key of the authority of '\(fabric.name)' is with \(membership.holder), who alone commissions devices",
                hint: .step("member.commission-there"))
        }
        guard fabric.issuer == .local else {
            throw ControllerError(
                .noIssuer, "the fabric '\(fabric.name)' was imported without the key of its certificate authority",
                hint: "commission on the machine that has the key, or import the key with the fabric")
        }
        let local = LocalFabric(
            authority: try fabrics.authority(of: fabric), credentials: try context.credentials())
        return try local.issuer(
            adminVendorID: fabric.vendorID, random: options.random, validity: { [context] in context.validity })
    }

    private func otherIssuer(_ record: FabricRecord) -> ControllerError {
        ControllerError(
            .otherIssuer, "the fabric '\(record.name)' has another issuer: \(record.issuer.rawValue)",
            hint: .step("fabric.other-issuer"))
    }
}

extension IssuerChoice {
    /// Whether a fabric may be made for it.
    fileprivate var isForNewFabric: Bool {
        switch kind {
        case .ofFabric, .local: true
        case .command, .service, .custom, .outside: false
        }
    }
}
