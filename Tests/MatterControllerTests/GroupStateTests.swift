import MatterCrypto
import MatterModel
import MatterState
import TestSupport
import Testing

@testable import MatterController

@Suite("What a member of a group needs") struct GroupStateTests {
    private static let group = GroupRecord(group: 7, name: "lights", keySet: 0x1234, keyStart: 99)
    private static let node = NodeRecord(nodeID: NodeID(5), name: "kitchen")

    private static func state(_ change: (inout GroupState) -> Void) -> GroupState {
        var state = GroupState()
        change(&state)
        return state
    }

    private static func joining(_ state: GroupState, _ endpoints: Set<EndpointID> = [1]) throws -> [GroupStep] {
        try state.steps(toJoin: group, endpoints, on: node)
    }

    @Test("a group takes no verb that writes attributes")
    func writes() throws {
        let command = try Self.group.request(Verb.toggle).command
        #expect(command.path.endpoint == nil)
        let error = #expect(throws: ControllerError.self) { try Self.group.request(FanVerb.percent(30)) }
        #expect(error?.code == .groupTarget)
    }

    @Test("a new node gets the key, its mapping, the endpoints and access, in this order")
    func new() throws {
        #expect(try Self.joining(GroupState(), [2, 1]) == [.keySet, .mapping, .endpoint(1), .endpoint(2), .access])
    }

    @Test("what is there is not done again")
    func partial() throws {
        let full = Self.state {
            $0.keyStart = 99
            $0.mapping = 0x1234
            $0.endpoints = [1]
            $0.hasAccess = true
        }
        #expect(try Self.joining(full) == [])
        #expect(try Self.joining(full, [1, 2]) == [.endpoint(2)])
        #expect(try Self.joining(Self.state { $0.keyStart = 99 }) == [.mapping, .endpoint(1), .access])
        #expect(try Self.joining(Self.state { $0.hasAccess = true }) == [.keySet, .mapping, .endpoint(1)])
    }

    @Test("a key set or a group of another administrator is not touched")
    func conflict() throws {
        for state in [Self.state { $0.keyStart = 98 }, Self.state { $0.mapping = 0x4321 }] {
            let error = #expect(throws: ControllerError.self) { try Self.joining(state) }
            #expect(error?.code == .groupConflict)
        }
        let foreign = Self.state {
            $0.mapping = 0x4321
            $0.endpoints = [1]
            $0.hasAccess = true
        }
        #expect(foreign.steps(toLeave: Self.group, nil) == [])
    }

    @Test("the last endpoint takes access, mapping and key with it; a key that another group uses stays")
    func leaving() {
        var state = Self.state {
            $0.keyStart = 99
            $0.mapping = 0x1234
            $0.endpoints = [1, 2]
            $0.hasAccess = true
        }
        #expect(state.steps(toLeave: Self.group, [2]) == [.endpoint(2)])
        #expect(state.steps(toLeave: Self.group, [3]) == [])
        let all: [GroupStep] = [.access, .endpoint(1), .endpoint(2), .mapping, .keySet]
        #expect(state.steps(toLeave: Self.group, nil) == all)
        #expect(state.steps(toLeave: Self.group, [1, 2]) == all)
        state.isKeyShared = true
        #expect(state.steps(toLeave: Self.group, nil) == all.dropLast())
        state.keyStart = 98
        state.isKeyShared = false
        #expect(state.steps(toLeave: Self.group, nil) == all.dropLast(), "a key set that only has the id of ours")
        #expect(GroupState().steps(toLeave: Self.group, nil) == [])
    }

    @Test("after all steps of any subset nothing is left to do, and leaving takes back what joining gave")
    func closure() throws {
        for bits in 0..<16 {
            var state = Self.state {
                if bits & 1 != 0 { $0.keyStart = 99 }
                if bits & 2 != 0 { $0.mapping = 0x1234 }
                if bits & 4 != 0 { $0.endpoints = [1] }
                if bits & 8 != 0 { $0.hasAccess = true }
            }
            for step in try Self.joining(state) { state.take(step) }
            #expect(try Self.joining(state) == [])
            for step in state.steps(toLeave: Self.group, nil) { state.takeBack(step) }
            #expect(state == GroupState())
        }
    }
}

extension GroupState {
    fileprivate mutating func take(_ step: GroupStep) {
        switch step {
        case .keySet: keyStart = 99
        case .mapping: mapping = 0x1234
        case .endpoint(let endpoint): endpoints.insert(endpoint)
        case .access: hasAccess = true
        }
    }

    fileprivate mutating func takeBack(_ step: GroupStep) {
        switch step {
        case .keySet: keyStart = nil
        case .mapping: mapping = nil
        case .endpoint(let endpoint): endpoints.remove(endpoint)
        case .access: hasAccess = false
        }
    }
}
