import MatterController
import Testing

@testable import HouseServer

@Suite("Tickets of uploads") struct UploadTicketsTests {
    private let owner = Visitor(name: "owner", roles: [.administer])
    private let start = Instant.now

    @Test("an id admits one upload of the visitor who reserved it, and no second one")
    func once() throws {
        var tickets = UploadTickets()
        try tickets.reserve("aa", for: owner, now: start)
        #expect(tickets.begin("ab", of: owner, now: start) == .unknown)
        #expect(tickets.begin("", of: owner, now: start) == .unknown)
        #expect(tickets.begin("aa", of: owner, now: start) == .admitted)
        #expect(tickets.begin("aa", of: owner, now: start) == .unknown)
    }

    @Test("another visitor, or the same with other rights, does not get in, and does not spend it")
    func foreign() throws {
        var tickets = UploadTickets()
        try tickets.reserve("aa", for: owner, now: start)
        for visitor in [Visitor(name: "other", roles: [.administer]), Visitor(name: "owner", roles: [.control])] {
            #expect(tickets.begin("aa", of: visitor, now: start) == .unknown)
        }
        #expect(tickets.begin("aa", of: owner, now: start) == .admitted)
    }

    @Test("an id lives for a minute, in which the upload has to begin")
    func late() throws {
        var tickets = UploadTickets()
        try tickets.reserve("aa", for: owner, now: start)
        try tickets.reserve("bb", for: owner, now: start)
        #expect(tickets.begin("aa", of: owner, now: start + .milliseconds(59_999)) == .admitted)
        #expect(tickets.begin("bb", of: owner, now: start + .seconds(60)) == .unknown)
    }

    @Test("four are reserved at a time; a place is free once one is spent or late")
    func most() throws {
        var tickets = UploadTickets()
        for id in ["aa", "bb", "cc", "dd"] { try tickets.reserve(id, for: owner, now: start) }
        let error = #expect(throws: InterfaceError.self) { try tickets.reserve("ee", for: owner, now: start) }
        #expect(error?.code == .otaUpload)
        #expect(tickets.begin("aa", of: owner, now: start) == .admitted)
        try tickets.reserve("ee", for: owner, now: start)
        try tickets.reserve("ff", for: owner, now: start + .seconds(60))
    }

    @Test("two uploads go on at a time; an id that comes meanwhile is not spent")
    func busy() throws {
        var tickets = UploadTickets()
        for id in ["aa", "bb", "cc"] { try tickets.reserve(id, for: owner, now: start) }
        #expect(tickets.begin("aa", of: owner, now: start) == .admitted)
        #expect(tickets.begin("bb", of: owner, now: start) == .admitted)
        #expect(tickets.begin("cc", of: owner, now: start) == .busy)
        tickets.end()
        #expect(tickets.begin("cc", of: owner, now: start) == .admitted)
    }
}
