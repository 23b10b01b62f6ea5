import MatterTestKit
import Testing

@testable import MatterController
@testable import MatterCrypto
@testable import MatterModel
@testable import MatterNetwork
@testable import MatterSimulator
@testable import MatterState

/// Rotations of keys on virtual devices.
@Suite("Work of rotations") struct RotationWorkTests {
    private static let stranger = NodeID(0x1234_5678)

    private static func addStranger(to device: SimulatedDevice) async {
        await device.withNode { node, _ in
            node.fabrics[Household.fabricIndex]?.access.append(
                MatterSimulator.AccessControlEntry(.administer, .case, subjects: [stranger.rawValue]))
        }
    }

    @Test("while a node is off, all others have both keys, and the old one is used; then each has the new one alone")
    func off() async throws {
        try await House.live { house in
            let old = try await house.ownKey
            try await house.switchOff(.button)
            let partly = try await house.rotate(.identityKey)
            house.must(partly.pending == [House.button] && !partly.isDone && partly.isOpen, "\(partly)")
            house.must(partly.rotation?.phase == .add && partly.firstReason != nil, "\(partly)")
            let both = try await house.keys(.lamp)
            house.must(both.count == 2 && both.first == old, "the old one is first")
            house.must(try await house.ownKey == old, "we use the old one")
            house.must(await house.reaches(House.lamp), "the lamp is reached")
            try await house.switchOn(.button)
            let job = try await house.resume(partly.id)
            house.must(job.isDone && !job.isOpen && job.rotation?.phase == .finished, "\(job)")
            let new = try await house.ownKey
            house.must(new != old && new == both.last, "we use the new one")
            for thing in Household.Thing.allCases { house.must(try await house.keys(thing) == [new], "\(thing)") }
            for node in [House.lamp, House.button] { house.must(await house.reaches(node), "\(node)") }
            let made = try await house.process { try $0.context.fabric().identityKeyMadeAt }
            house.must(made == job.madeAt, "its age is kept")
        }
    }

    @Test("the way back gives each node the old key alone, also one that uses the new one, and later there is none")
    func back() async throws {
        try await House.live { house in
            let old = try await house.ownKey
            try await house.rotate(.identityKey, throughPhases: 1)
            try await house.switchOff(.button)
            let job = try await house.rotate(.identityKey)
            house.must(job.rotation?.phase == .prefer && job.pending == [House.button], "\(job)")
            house.must(try await house.keys(.lamp).last == old, "the old one is still taken")
            house.must(try await house.ownKey != old, "we use the new one")
            _ = try await house.process { try await $0.rotations.turnBack(.identityKey) }
            let halfway = try await house.resume(job.id)
            house.must(halfway.rotation?.phase == .restore && halfway.pending == [House.button], "\(halfway)")
            house.must(try await house.ownKey == old, "we use the old one again")
            try await house.switchOn(.button)
            let last = try await house.resume(job.id)
            house.must(last.isDone && last.rotation?.isBack == true, "\(last)")
            for thing in Household.Thing.allCases { house.must(try await house.keys(thing) == [old], "\(thing)") }
            house.must(await house.reaches(House.button), "it is reached")
            do {
                _ = try await house.process { try await $0.rotations.turnBack(.identityKey) }
                house.must(false, "nothing is under way")
            } catch let error as JobError { house.must(error.code == .unknown, "\(error)") }
        }
    }

    @Test(
        "a process that was killed when a rotation was over leaves its keys, and the next command about it removes them"
    )
    func leftKeys() async throws {
        try await House.live { house in
            let job = try await house.rotate(.identityKey)
            house.must(!job.isOpen, "\(job)")
            let file = "fabrics/home/keys/job-\(job.id)"
            for words in ["go back", "resume", "cancel", "remove a member"] {
                let state = try await house.process { controller in
                    try controller.context.options.state.writeSecret(file, [1])
                    return controller.context.options.state
                }
                do {
                    _ = try await house.process { controller in
                        switch words {
                        case "go back": _ = try await controller.rotations.turnBack(.identityKey)
                        case "resume": _ = try await controller.jobs.resume(job.id)
                        case "cancel": try await controller.jobs.cancel(job.id)
                        default: _ = try await controller.members.remove("anna")
                        }
                    }
                    house.must(false, "\(words): there is nothing to do")
                } catch let error as JobError {
                    house.must([.unknown, .ended].contains(error.code), "\(words): \(error)")
                } catch let error as MemberError { house.must(error.code == .unknown, "\(words): \(error)") }
                house.must(try state.readSecret(file) == nil, "\(words): the key is left")
            }
        }
    }

    @Test("a group's key of the second in which a member was removed counts as one that the member may know")
    func sameSecond() async throws {
        try await House.live { house in
            let counts = try await house.process { controller in
                let group = try await controller.groups.createGroup("lights")
                let since = MatterEpoch.unix(UInt32(clamping: group.keyStart / 1_000_000))
                return try [since, since - 1].map { removedAt in
                    try controller.rotations.groups(
                        keyedBefore: .init(name: "anna", nodeID: NodeID(9), removedAt: removedAt, findings: [])
                    ).count
                }
            }
            house.must(counts == [1, 0], "\(counts)")
        }
    }

    @Test("once the old key is taken from a node there is no way back, and a node that was off gets the new one")
    func noWayBack() async throws {
        try await House.live { house in
            try await house.rotate(.identityKey, throughPhases: 2)
            try await house.switchOff(.button)
            let job = try await house.rotate(.identityKey)
            house.must(job.rotation?.phase == .remove && job.pending == [House.button], "\(job)")
            do {
                _ = try await house.process { try await $0.rotations.turnBack(.identityKey) }
                house.must(false, "it went back")
            } catch let error as JobError { house.must(error.code == .noWayBack, "\(error)") }
            try await house.switchOn(.button)
            house.must(await house.reaches(House.button), "it has both keys still")
            house.must(try await house.resume(job.id).isDone, "it goes on")
            house.must(try await house.keys(.button) == [house.ownKey], "it has the new one")
        }
    }

    @Test("a node that was set back to what it had before is reached, and gets the keys of the phase")
    func setBack() async throws {
        try await House.live { house in
            let (old, before) = (try await house.ownKey, try await house.fabric(.lamp))
            try await house.rotate(.identityKey, throughPhases: 1)
            let device = try await house.device(.lamp)
            await device.withNode { node, _ in node.fabrics[Household.fabricIndex] = before }
            house.must(await house.reaches(House.lamp), "by the old key")
            let job = try await house.rotate(.identityKey)
            house.must(job.isDone, "\(job)")
            let new = try await house.ownKey
            let keys = try await house.keys(.lamp)
            house.must(new != old && keys == [new], "it has the new key")
        }
    }

    @Test("a process that began before reaches a node that has the new key alone")
    func earlier() async throws {
        try await House.live { house in
            let early = Controller(house.stage.options(house.stage.time))
            let old = try early.context.credentials().ipkEpochKey
            house.must(try await house.rotate(.identityKey).isDone, "it is done")
            try early.context.resumptions().removeAll()
            try early.context.keptSessions()?.remove(House.lamp)
            let node = try early.context.nodes().node(House.lamp)
            if let node {
                try await early.links.withLink(to: node) { link in
                    _ = try await link.accessList(deadline: link.time.now + House.patience)
                }
            }
            house.must(try early.context.credentials().ipkEpochKey != old, "it has read the new key")
            do {
                try early.context.checkIdentityKey(old)
                house.must(false, "a device would get the old key")
            } catch let error as JobError { house.must(error.code == .keyChanged, "\(error)") }
            await early.close()
        }
    }

    @Test("a device that is commissioned during a rotation gets both keys at once, and is one of its nodes")
    func joining() async throws {
        try await House.live { house in
            try await house.switchOff(.button)
            let job = try await house.rotate(.identityKey)
            let third = try await house.another()
            let address = try await third.address
            var options = house.stage.options(house.stage.time)
            options.addresses = [address]
            let controller = Controller(options)
            var request = CommissioningRequest(SetupCode(passcode: try SetupPasscode(Household.passcode)))
            request.addresses = [address]
            request.name = "third"
            let node = try await controller.commissioning.commission(
                [request], CommissioningService.CommissionOptions(trust: TrustPolicy(enforcement: .skip)),
                deadline: house.stage.time.now + .seconds(100)
            ).node
            await controller.close()
            let keys = try await House.fabric(of: third).keySets.first { $0.id == 0 }?.keys.map(\.key)
            house.must(try await keys == house.keys(.lamp), "it has the set as it stands")
            let after = try await house.process { try $0.jobs.job(job.id) }
            house.must(
                after.entries.count == 3 && after.entries.contains { $0.node == node.nodeID && $0.isDone }, "\(after)")
            house.must(after.pending == [House.button], "\(after)")
        }
    }

    @Test("an administrator that is not ours stops it before anything is written, unless the user knows")
    func strangers() async throws {
        try await House.live { house in
            await Self.addStranger(to: try await house.device(.lamp))
            for plan in [RotationPlan.identityKey, .certificates] {
                do {
                    try await house.rotate(plan)
                    house.must(false, "it began")
                } catch let error as JobError {
                    house.must(error.code == .foreignAdministrator && error.reason.contains("305419896"), "\(error)")
                }
            }
            let jobs = try await house.process { try $0.jobs.sound().jobs }
            let keys = try await house.keys(.lamp)
            house.must(jobs.isEmpty && keys.count == 1, "nothing is kept, and nothing written")
            house.must(try await house.rotate(.identityKey, knowing: [Self.stranger]).isDone, "the user knows")
        }
    }

    @Test(
        "members, their tag and nodes of ours are no strangers; other tags and ids are, by the names that commands take"
    )
    func members() throws {
        var roster = MemberRoster(tag: CASEAuthenticatedTag(identifier: 0x1234, version: 4))
        let request = try JoinRequest(
            key: try P256PrivateKey.generate(), recipient: try AgeIdentity.generate(SystemRandom()).recipient,
            made: 1, host: nil)
        roster.add(MemberRoster.Member("anna", request, nodeID: NodeID(64), version: 4, at: 10))
        let own = try LocalFabric.create(nodeID: NodeID(1), validity: .unlimited(from: 1000)).credentials.identity
        let other = CASEAuthenticatedTag(identifier: 0x4321, version: 2)
        let older = CASEAuthenticatedTag(identifier: 0x1234, version: 3)
        let entries = [
            MatterController.AccessControlEntry(.administer, subjects: [NodeID(1), NodeID(64), NodeID(7)]),
            MatterController.AccessControlEntry(.administer, subjects: [older.subject]),
            MatterController.AccessControlEntry(.administer, subjects: [other.subject, NodeID(112_233)]),
            MatterController.AccessControlEntry(.operate, subjects: [NodeID(5)]),
        ]
        let nodes = [NodeRecord(nodeID: NodeID(7))]
        let found = Administrators(own, nodes: nodes, members: roster).foreign(in: entries)
        #expect(found == [other.subject, NodeID(112_233)])
        #expect(Set(found.map(\.administratorName)) == ["cat:43210002", "112233"])
        let alone = Administrators(own, nodes: nodes, members: nil).foreign(in: entries)
        #expect(alone.count == 4)
    }

    @Test("an administrator on a node that was off is found when it is reached")
    func lateStranger() async throws {
        try await House.live { house in
            try await house.switchOff(.button)
            let job = try await house.rotate(.identityKey)
            try await house.switchOn(.button)
            await Self.addStranger(to: try await house.device(.button))
            let refused = try await house.resume(job.id)
            house.must(
                refused.refusedCount == 1 && refused.firstReason?.id == "job.foreign-administrator"
                    && refused.rotation?.phase == .add, "\(refused)")
            house.must(try await house.keys(.button).count == 1, "it is left alone")
            house.must(try await house.rotate(.identityKey, knowing: [Self.stranger]).isDone, "the user knows")
        }
    }

    @Test("a node that checks in is done then, phase by phase, and one that has left the fabric is no node of the job")
    func checkIn() async throws {
        try await House.live { house in
            try await house.switchOff(.button)
            let job = try await house.rotate(.identityKey)
            try await house.switchOn(.button)
            try await house.process { try await $0.jobs.workAtCheckIn(of: House.button) }
            let after = try await house.process { try $0.jobs.job(job.id) }
            house.must(after.rotation?.phase == .prefer && after.pending == [House.lamp], "\(after)")
            try await house.process { _ = try await $0.context.nodes().remove(House.lamp) }
            let last = try await house.resume(job.id)
            house.must(last.isDone && last.entries.map(\.node) == [House.button], "\(last)")
        }
    }

    @Test("keys of a service are refused, and so are certificates without the authority's key")
    func services() async throws {
        try await House.live { house in
            for (issuer, plan, id) in [
                ("cloud", RotationPlan.identityKey, "job.service-keys"), ("cloud", .certificates, "job.service-keys"),
                ("none", .certificates, "issuer.none"),
            ] {
                try await house.process { controller in
                    var record = try controller.context.fabric()
                    record.issuer = FabricRecord.Issuer(rawValue: issuer)
                    try controller.options.state.write("fabrics/home/fabric.json", record.encoded())
                }
                do {
                    try await house.rotate(plan)
                    house.must(false, "it began")
                } catch {
                    house.must((error as? any CodedError)?.id == id, "\(error)")
                }
            }
        }
    }
}
