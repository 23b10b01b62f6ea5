import TestSupport
import Testing

@testable import MatterModel
@testable import MatterSimulator

/// The elements that devices of Matter 1.6 must have beyond those of earlier versions.
@Suite("Devices of Matter 1.6", .beside) struct NewInMatter16Tests {
    @Test("CopyScene copies one scene, or all of a group, as far as there is room")
    func copyScene() throws {
        let bench = try ClusterBench("on-off-light")
        typealias Command = ScenesManagement.Command
        func copy(_ all: Bool, _ from: UInt64, _ to: UInt64) throws -> UInt64? {
            try bench.response(
                ScenesManagement.id, Command.copyScene,
                [0: .uint(all ? 1 : 0), 1: .uint(0), 2: .uint(from), 3: .uint(0), 4: .uint(to)]
            ).field(0)?.integer()
        }
        func scenes() throws -> [UInt64] {
            try bench.response(ScenesManagement.id, Command.getSceneMembership, [0: .uint(0)]).field(3)?.octetString
                .map { $0.map(UInt64.init) }
                ?? bench.response(ScenesManagement.id, Command.getSceneMembership, [0: .uint(0)]).field(3)?.items?
                .compactMap { $0.integer() } ?? []
        }
        #expect(try copy(false, 1, 2) == UInt64(IMStatus.notFound.rawValue))
        _ = try bench.response(ScenesManagement.id, Command.storeScene, [0: .uint(0), 1: .uint(1)])
        #expect(try copy(false, 1, 2) == 0)
        #expect(try scenes() == [1, 2])
        // A scene that is there already is replaced, and takes no room.
        #expect(try copy(false, 1, 2) == 0)
        #expect(try scenes() == [1, 2])
        for number in UInt64(3)...7 { #expect(try copy(false, 1, number) == 0) }
        #expect(try copy(false, 1, 8) == UInt64(IMStatus.resourceExhausted.rawValue))
        // All scenes of a group into itself: nothing new.
        #expect(try copy(true, 0, 0) == 0)
        #expect(try scenes().count == 7)
        let stranger = try bench.response(
            ScenesManagement.id, Command.copyScene,
            [0: .uint(0), 1: .uint(77), 2: .uint(1), 3: .uint(0), 4: .uint(1)])
        #expect(stranger.field(0)?.integer() == Int(IMStatus.invalidCommand.rawValue))
    }

    @Test("a fabric keeps one extension of the access control list, which is a list in TLV, also over a restart")
    func accessExtension() throws {
        let bench = try ClusterBench("door-lock")
        typealias Attribute = AccessControl.Attribute
        func note(_ bytes: [UInt8]) -> TLVValue { ClusterBench.structure([1: .octets(bytes)]) }
        func write(_ notes: TLVValue...) -> IMStatus {
            bench.write(AccessControl.id, Attribute.extension, .array(of: notes), endpoint: 0).status
        }
        let empty: [UInt8] = [0x17, 0x18]
        #expect(write(note(empty)) == .success)
        #expect(write(note(empty), note(empty)) == .constraintError)
        #expect(write(note([0x15, 0x18])) == .constraintError, "a structure is not a list")
        #expect(write(note([0x17])) == .constraintError, "a list without its end")
        #expect(write(note([UInt8](repeating: 0x18, count: 129))) == .constraintError)
        let kept = TLVValue.array(of: [note(empty).setting(254, .uint(1))])
        #expect(bench.read(AccessControl.id, Attribute.extension, endpoint: 0) == kept)
        let again = try bench.restarted()
        #expect(again.read(AccessControl.id, Attribute.extension, endpoint: 0) == kept)
        #expect(write() == .success)
        let changes = bench.events(AccessControl.id).filter {
            $0.id == AccessControl.Event.accessControlExtensionChanged
        }
        #expect(changes.compactMap { $0.data.field(3)?.integer() } == [1, 2], "added, removed: \(changes)")
    }

    @Test("DeviceLoadStatus counts the subscriptions of the node and of the asking fabric")
    func load() throws {
        let bench = try ClusterBench("on-off-light")
        func load() throws -> GeneralDiagnostics.DeviceLoad {
            let value = bench.read(GeneralDiagnostics.id, GeneralDiagnostics.Attribute.deviceLoadStatus, endpoint: 0)
            return try #require(value.flatMap { GeneralDiagnostics.DeviceLoad(tlv: $0) })
        }
        #expect(try load().currentSubscriptions == 0)
        bench.node.load.messagesSent = 3
        #expect(try load().totalInteractionModelMessagesSent == 3)
    }

    @Test("revisions, SpecificationVersion and DataModelRevision are those of Matter 1.6")
    func versions() throws {
        let bench = try ClusterBench("dimmable-light")
        typealias Basic = BasicInformation.Attribute
        #expect(bench.number(BasicInformation.id, Basic.specificationVersion, endpoint: 0) == 0x0106_0000)
        #expect(bench.number(BasicInformation.id, Basic.dataModelRevision, endpoint: 0) == 21)
        #expect(bench.number(BasicInformation.id, Basic.configurationVersion, endpoint: 0) == 1)
        #expect(bench.number(LevelControl.id, GlobalAttribute.clusterRevision) == 7)
    }
}
