import MatterController

extension Report {
    /// The judgement of a device: its certificates, then every check.
    ///
    /// - Parameter node: `nil` for a device that is no node of the fabric.
    init(_ report: AttestationReport, of node: NodeRecord? = nil) {
        let members = report.json.objectValue?.members ?? []
        self.init {
            Field("node", node?.nodeID, label: "node")
            Field("name", node?.name, label: "name")
            for member in members { Field(member.key, member.value) }
            for line in report.facts { Field(label: line.label, [line.text]) }
            for check in report.checks { Field(label: check.step.rawValue, check.texts) }
            for note in report.notes { Field(label: "note", [note]) }
        }
    }
}
