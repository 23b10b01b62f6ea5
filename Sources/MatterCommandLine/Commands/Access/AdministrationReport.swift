import MatterController

/// The row of a subject with rights on a node.
struct AdministrationReport: Sendable {
    let names: FabricNames
    let access: AccessListReport

    // MARK: For programs

    func object(_ node: NodeAdministration) -> Report {
        Report {
            names.report(node.fabrics)
            Field("administrators", administrators(node).map { administrator($0, $1) })
            Field("entries", node.entries.enumerated().map { access.report($1, number: $0 + 1) })
            Field(
                "hiddenEntries",
                node.hiddenEntries.sorted { $0.key < $1.key }.map { index, count in
                    Report {
                        Field("fabricIndex", index)
                        Field("count", count)
                    }
                })
            if let window = node.window {
                Field("window", window.mode.rawValue)
                if let opener = window.opener { Report(opener, names.ledger) }
            }
        }
    }

    private func administrator(_ subject: NodeID?, _ entry: AccessControlEntry) -> Report {
        Report {
            if let subject {
                access.subject(subject, of: entry)
                if access.isUnknown(subject, of: entry) { Field("unknown", true) }
            } else {
                Field("all", true)
            }
        }
    }

    // MARK: For people

    func rows(_ administration: NodeAdministration, of node: NodeRecord) -> [Report] {
        func row(_ what: String, _ who: [String], _ more: [String]) -> Report {
            Report {
                Field(column: "NODE", [node.label])
                Field(column: "WHAT", [what])
                Field(column: "WHO", who)
                Field(column: "MORE", more.isEmpty ? nil : more)
            }
        }
        func windowRow(_ window: WindowState) -> Report {
            let opener = [
                window.opener?.fabricIndex.map { "fabric \($0)" }, window.opener?.vendorID.map(names.vendor),
            ].compactMap { $0 }
            return row(
                "window", [window.mode.rawValue],
                opener.isEmpty ? [] : ["opened by " + opener.joined(separator: ", ")])
        }
        let table = administration.fabrics
        let fabrics = table.fabrics.map { fabric in
            row(
                "fabric \(fabric.index.map { "\($0)" } ?? "?")",
                [names.owner(fabric, in: table), names.vendor(fabric.vendorID)].compactMap { $0 },
                (fabric.label.isEmpty ? [] : ["'\(fabric.label)'"])
                    + (names.isUnknown(fabric, in: table) ? ["unknown"] : []))
        }
        let administrators = self.administrators(administration).map { subject, entry in
            row(
                "administrator", [subject.map { access.text($0, of: entry) } ?? "all"],
                subject.map { access.isUnknown($0, of: entry) } ?? false ? ["unknown"] : [])
        }
        let entries = administration.entries.enumerated().map { place, entry in
            row(
                "entry \(place + 1)", access.subjects(of: entry),
                ["\(AccessListReport.privilege(entry)) \(access.targets(of: entry).joined(separator: " "))"])
        }
        let hidden = administration.hiddenEntries.sorted { $0.key < $1.key }.map { index, count in
            row("entries", ["fabric \(index)"], ["\(count), which only its own administrators can read"])
        }
        return fabrics + administrators + entries + hidden + (administration.window.map { [windowRow($0)] } ?? [])
    }

    // MARK: Both

    /// Each subject that may administer, once, with the entry that says so; `nil` for an entry for everyone.
    private func administrators(_ node: NodeAdministration) -> [(subject: NodeID?, entry: AccessControlEntry)] {
        var seen: Set<NodeID?> = []
        return node.entries.filter { $0.privilege == .administer }.flatMap { entry in
            (entry.subjects.isEmpty ? [nil] : entry.subjects.map(Optional.init)).map { ($0, entry) }
        }.filter { seen.insert($0.0).inserted }
    }
}
