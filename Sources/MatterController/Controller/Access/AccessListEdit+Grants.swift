import MatterCrypto

/// Entries as sets of pairs: each subject with each target.
extension [AccessControlEntry] {
    /// The list with what an entry gives, in as few entries as that takes.
    func granting(_ grant: AccessControlEntry, _ limits: AccessListEdit.Limits) -> [AccessControlEntry] {
        let missing = grant.subjects.filter { !gives(grant, to: $0) }
        guard grant.subjects.isEmpty ? !contains(where: { $0.gives(grant) }) : !missing.isEmpty else { return self }
        let lacking = grant.with(subjects: missing)
        var result = self
        for (position, entry) in enumerated() where entry.isLike(grant) && !missing.isEmpty && !entry.subjects.isEmpty {
            if Set(entry.targets) == Set(grant.targets) {
                let subjects = entry.subjects + missing.filter { !entry.subjects.contains($0) }
                guard subjects.count <= limits.subjects else { continue }
                result[position].subjects = subjects
                return result
            }
            if Set(entry.subjects) == Set(missing), !entry.targets.isEmpty, !grant.targets.isEmpty {
                let targets = entry.targets + grant.targets.filter { !entry.targets.contains($0) }
                guard targets.count <= limits.targets else { continue }
                result[position].targets = targets
                return result
            }
        }
        for subjects in lacking.subjects.pieces(of: limits.subjects) {
            for targets in lacking.targets.pieces(of: limits.targets) {
                result.append(lacking.with(subjects: subjects).with(targets: targets))
            }
        }
        return result
    }

    /// The list without what an entry gives. An entry that gives more is divided; one for all subjects, or for the whole
    /// node where the grant is not, is left.
    func withdrawing(_ grant: AccessControlEntry) -> [AccessControlEntry] {
        flatMap { entry -> [AccessControlEntry] in
            let (named, others) = (
                entry.subjects.filter(grant.subjects.contains), entry.subjects.filter { !grant.subjects.contains($0) }
            )
            let kept = entry.targets.filter { !grant.targets.contains($0) }
            guard entry.isLike(grant), !named.isEmpty, entry.targets.isEmpty == grant.targets.isEmpty,
                kept.count < entry.targets.count || entry.targets.isEmpty
            else { return [entry] }
            return (others.isEmpty ? [] : [entry.with(subjects: others)])
                + (kept.isEmpty ? [] : [entry.with(subjects: named).with(targets: kept)])
        }
    }

    /// The rights that an entry for one subject gives beyond the list; `nil` if nothing.
    func lacking(_ grant: AccessControlEntry) -> AccessControlEntry? {
        guard let subject = grant.subjects.first, !gives(grant, to: subject) else { return nil }
        return grant.with(targets: grant.targets.filter { !gives(grant.with(targets: [$0]), to: subject) })
    }

    /// The part of an entry for one subject that the list already grants, target by target.
    func given(_ grant: AccessControlEntry) -> AccessControlEntry {
        let lacking = lacking(grant)?.targets ?? []
        return grant.with(targets: grant.targets.filter { !lacking.contains($0) })
    }

    /// True if a subject has been given everything that an entry says.
    private func gives(_ grant: AccessControlEntry, to subject: NodeID) -> Bool {
        func has(_ targets: [AccessControlEntry.Target]) -> Bool {
            contains { $0.gives(grant.with(subjects: [subject]).with(targets: targets)) }
        }
        return grant.targets.isEmpty ? has([]) : grant.targets.allSatisfy { has([$0]) }
    }
}

extension AccessControlEntry {
    func with(subjects: [NodeID]) -> AccessControlEntry {
        var entry = self
        entry.subjects = subjects
        return entry
    }

    func with(targets: [Target]) -> AccessControlEntry {
        var entry = self
        entry.targets = targets
        return entry
    }

    /// True if only subjects and targets tell the entries apart.
    fileprivate func isLike(_ other: AccessControlEntry) -> Bool {
        with(subjects: []).with(targets: []).unplaced == other.with(subjects: []).with(targets: []).unplaced
    }

    /// True if the entry alone gives everything that another one says.
    fileprivate func gives(_ other: AccessControlEntry) -> Bool {
        let isEnough =
            self.privilege == other.privilege
            || (self.privilege.rawValue > other.privilege.rawValue && other.privilege != .proxyView
                && (self.privilege != .proxyView || other.privilege == .view))
        return isEnough && self.authMode == other.authMode
            && (subjects.isEmpty || (!other.subjects.isEmpty && other.subjects.allSatisfy(subjects.contains)))
            && (targets.isEmpty
                || (!other.targets.isEmpty
                    && other.targets.allSatisfy { target in targets.contains { $0.covers(target) } }))
    }
}

extension Array {
    /// The elements in pieces of at most `count`; one empty piece if there are none.
    fileprivate func pieces(of count: Int) -> [[Element]] {
        guard !isEmpty else { return [[]] }
        return stride(from: 0, to: self.count, by: Swift.max(count, 1)).map {
            Array(self[$0..<Swift.min($0 + Swift.max(count, 1), self.count)])
        }
    }
}
