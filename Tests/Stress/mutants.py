"""The mutants that the explorer has to find: what is taken from the ladder of sessions, from the fate of a command, from
the kept sessions, from the editing of lists and from the journal, and where.
"""
import dataclasses

SESSION = "Sources/MatterNetwork/Session/Connect/SecureSession.swift"
FATE = "Sources/MatterNetwork/Session/Converse/CommandFate.swift"
SNAPSHOT = "Sources/MatterNetwork/Transport/Exchange/SessionSnapshot.swift"
LEASE = "Sources/MatterState/Records/Session/KeptLease.swift"
STORE = "Sources/MatterState/Records/Session/KeptSessionStore.swift"
KEPT = "Sources/MatterController/Controller/Nodes/NodeLink+Kept.swift"
LADDER = "Sources/MatterController/Controller/Nodes/SessionLadder.swift"
LISTS = "Sources/MatterController/Controller/Lists/NodeLink+Lists.swift"
RUN = "Sources/MatterController/Commissioning/Driver/CommissioningRun.swift"
JOBS = "Sources/MatterController/Controller/Jobs/JobService.swift"
PROOF = "Sources/MatterNetwork/Session/Converse/RestartProof.swift"


@dataclasses.dataclass
class Mutant:
    name: str
    # What is taken away.
    what: str
    # File, the text there, and the text in its place; MUTANT says whether the mutant lives.
    edits: list
    # How the name of the story begins in which it is found first, and with how many faults.
    story: str
    faults: int = 1


MUTANTS = [
    Mutant("goodbye-late", "the closing messages of a session on which something may be late", [
        (SESSION, "        await sayGoodbye()\n        for _ in 1..<Self.goodbyes",
         "        if MUTANT { return await manager.remove(reference) }\n        await sayGoodbye()\n        for _ in 1..<Self.goodbyes")],
        "fresh oneByOne absolute"),
    Mutant("goodbye-replaced", "the closing messages of a session in whose place there is another one", [
        (SESSION, "        for _ in 0..<Self.goodbyes { await sayGoodbye() }",
         "        for _ in 0..<Self.goodbyes where !MUTANT { await sayGoodbye() }")],
        "kept oneByOne absolute"),
    Mutant("reservation", "the reservation of message counters before their use", [
        (LEASE, "            Self.write(next, to: record, now: now)\n        else { return nil }\n        var found = session\n        found.snapshot.nextCounter = next.snapshot.nextCounter - UInt64(KeptSessionStore.block)",
         "            MUTANT || Self.write(next, to: record, now: now)\n        else { return nil }\n        var found = session\n        if !MUTANT { found.snapshot.nextCounter = next.snapshot.nextCounter - UInt64(KeptSessionStore.block) }")],
        "kept oneByOne"),
    Mutant("leap", "the random distance before each block of counters", [
        (LEASE, "        next.snapshot.nextCounter += distance %", "        next.snapshot.nextCounter += MUTANT ? UInt64(KeptSessionStore.block) : distance %")],
        "kept oneByOne"),
    Mutant("counter-back", "the counters that this process has used, in the record that it leaves", [
        (LEASE, "        state.withLock { state in _ = Self.write(session, to: state.record, now: now) }",
         "        var session = session\n        if MUTANT { session.snapshot.nextCounter = self.session.snapshot.nextCounter - UInt64(KeptSessionStore.block) }\n        state.withLock { state in _ = Self.write(session, to: state.record, now: now) }"),
        (LEASE, "distance % UInt64(KeptSessionStore.leap)", "(MUTANT ? 0 : distance % UInt64(KeptSessionStore.leap))")],
        "kept oneByOne"),
    Mutant("unknown", "the unknown outcome", [
        (FATE, "            ? [.abandon, .unknownOutcome(error)] : [.abandon, .drop, .unknownOutcome(error)]",
         "            ? [.abandon, .unknownOutcome(error)] : [.abandon, .drop, MUTANT ? .fail(error) : .unknownOutcome(error)]")],
        "kept oneByOne atMostOnce", 2),
    Mutant("again", "the rule that a command that may run once is sent in no other session", [
        (FATE, "            case .atMostOnce where isInDoubt: return", "            case .atMostOnce where isInDoubt && !MUTANT: return")],
        "kept oneByOne atMostOnce"),
    Mutant("doubt", "the memory that an earlier transmission may have run", [
        (FATE, "            isInDoubt = isInDoubt || mayHaveRun", "            isInDoubt = MUTANT ? false : isInDoubt || mayHaveRun")],
        "kept oneByOne atMostOnce"),
    Mutant("proof", "the proof by restart: any answer proves that the command did not run", [
        (KEPT, "        return proof.holds(", "        return MUTANT || proof.holds(")],
        "kept oneByOne atMostOnce"),
    Mutant("proof-time", "the proof that the node was started before the command was sent", [
        (PROOF, "latest < sent - Self.margin", "(MUTANT || latest < sent - Self.margin)")],
        "kept oneByOne atMostOnce", 2),
    Mutant("superseded", "the difference between a session that has a successor and one that is known to be lost", [
        (LADDER, "            successions[session] = isProven ? .disproved : .unproven", "            successions[session] = isProven || MUTANT ? .disproved : .unproven")],
        "kept oneByOne atMostOnce", 2),
    Mutant("window", "what was received before, in a kept session, and the exchange ids that were used", [
        (SNAPSHOT, "        state.window = ReceptionWindow(snapshot.seen)", "        if !MUTANT { state.window = ReceptionWindow(snapshot.seen) }"),
        (LEASE, "        found.snapshot.nextExchangeID = next", "        found.snapshot.nextExchangeID = MUTANT ? 7 : next")],
        "kept oneByOne"),
    Mutant("exchange-leap", "the random distance before the exchange ids of a process", [
        (LEASE, "        next.snapshot.nextExchangeID &+= exchanges &+", "        next.snapshot.nextExchangeID &+= (MUTANT ? 0 : exchanges) &+")],
        "kept oneByOne atMostOnce", 2),
    Mutant("announcement", "the announcement of a command in a session that was silent for a minute", [
        (KEPT, "        await manager.lastAcknowledged(on: session.reference).map { time.now - $0 > Self.freshness } ?? true",
         "        MUTANT ? false : await manager.lastAcknowledged(on: session.reference).map { time.now - $0 > Self.freshness } ?? true")],
        "stale oneByOne atMostOnce"),
    Mutant("version", "the version of the list that a write depends on", [
        (LISTS, "value: .array(of: entries.map(\\.tlv)), dataVersion: version)",
         "value: .array(of: entries.map(\\.tlv)), dataVersion: MUTANT ? nil : version)")],
        "change of acl"),
    Mutant("pending", "the record of a node that may have its certificate", [
        (RUN, "        try environment.journal.record(pending)", "        if !MUTANT { try environment.journal.record(pending) }")],
        "commissioning"),
    Mutant("job-first", "the order of a job: first the node has it, then the record says so", [
        (JOBS, "            let event = try await attempt(",
         "            if MUTANT { try await store.note([.done(node.nodeID)], of: job.id, at: now) }\n            let event = try await attempt(")],
        "join beside"),
    Mutant("job-identity", "putting the other controller's identity away", [
        (JOBS, "if job.pending.isEmpty, job.borrowed != nil {", "if job.pending.isEmpty, job.borrowed != nil, !MUTANT {")],
        "join beside"),
]
