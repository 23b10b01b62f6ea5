public import MatterState

/// Examines nodes by the official data model: what they must have, may have and must not have, and how it goes together.
public struct ConformanceService: FabricService {
    let context: FabricContext
    private let links: NodeLinks

    init(_ context: FabricContext, _ links: NodeLinks) {
        self.context = context
        self.links = links
    }

    /// How many attributes that were left out of the large reading are asked for one by one.
    private static let mostQuestions = 64

    /// Reads all of a node, and judges what it says. Nothing is changed on the node.
    ///
    /// - Parameter isStrict: by the rules for makers of devices; otherwise devices in use are judged mildly.
    /// - Throws: ``ControllerError`` if the node refuses, ``SessionError`` if it does not answer.
    public func examine(_ node: NodeRecord, isStrict: Bool, deadline: Instant) async throws -> ConformanceReport {
        let link = try await links.link(to: node)
        let result = try await link.read(
            [AttributePath()], events: [EventPath()], isFabricFiltered: false, deadline: deadline)
        var statement = NodeStatement(result, asksForEvents: true)
        let unreported = Array(statement.unreported.prefix(Self.mostQuestions))
        if !unreported.isEmpty {
            let paths = unreported.map { AttributePath($0) }
            statement.take(try await link.read(paths, isFabricFiltered: false, deadline: deadline).attributes)
        }
        return ConformanceExamination.report(on: statement, isStrict: isStrict)
    }
}
