public import MatterState

/// Several administrators on one fabric, each with a key and a node of its own: the holder of the authority's key adds and removes
/// them, and devices admit them by the tag in their certificates (Matter core specification, 6.6.2.1.2).
public struct MemberService: FabricService {
    let context: FabricContext
    let links: NodeLinks

    init(_ context: FabricContext, _ links: NodeLinks) {
        self.context = context
        self.links = links
    }

    /// The members of the fabric, on the holder's machine.
    ///
    /// - Throws: if there is no fabric.
    func store() throws -> MemberStore {
        let fabric = try context.fabric()
        return MemberStore(options.state, fabric: fabric.name, identity: fabric.compressedFabricID)
    }

    /// The jobs of the fabric.
    func jobs() throws -> JobStore {
        let fabric = try context.fabric()
        return JobStore(options.state, fabric: fabric.name, identity: fabric.compressedFabricID)
    }

    /// The members of the fabric, and the removal that has begun.
    ///
    /// - Returns: `nil` if there was never one.
    /// - Throws: ``StoreError``, ``RecordError``; ``MemberError`` `notHolder` where only the holder knows.
    public func roster() throws -> MemberRoster? {
        _ = try holder()
        return try store().roster()
    }

    /// The fabric with its authority, if the key to it is here.
    ///
    /// - Throws: ``MemberError`` `notHolder`, which says who has it.
    func holder() throws -> (fabric: FabricRecord, authority: CertificateAuthorityMaterial) {
        let fabric = try context.fabric()
        if let membership = fabric.membership {
            throw MemberError(
                .notHolder,
                "the key of the authority of '\(fabric.name)' is with \(membership.holder), who alone adds and removes "
                    + "administrators",
                hint: .step("member.ask-holder"))
        }
        let authority = try fabrics.authority(of: fabric)
        guard fabric.issuer == .local, authority.canIssue else {
            throw MemberError(
                .notHolder,
                fabric.issuer == .none || fabric.issuer == .local
                    ? "the fabric '\(fabric.name)' is here without the key of its authority, which adds administrators"
                    : "the certificates of '\(fabric.name)' are issued by \(fabric.issuer.rawValue), which adds administrators"
            )
        }
        return (fabric, authority)
    }

    func unknown(_ name: String, among roster: MemberRoster?) -> MemberError {
        let names = (roster?.members ?? []).map(\.name)
        let nearest = Suggestions.nearest(to: name, among: names)
        return MemberError(
            .unknown, "the fabric has no member '\(name)'",
            hint: Suggestions.question(nearest).map { Hint($0) } ?? .step("member.see"))
    }
}
