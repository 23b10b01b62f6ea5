import HouseServer
import Testing

@Suite struct VisitorTests {
    @Test func administrationIncludesAllAndEveryRoleReads() {
        let owner = Visitor(name: "owner", roles: [.administer])
        #expect(Role.allCases.allSatisfy(owner.may))
        let panel = Visitor(name: "panel", roles: [.control])
        #expect(panel.may(.read) && panel.may(.control) && !panel.may(.unlock) && !panel.may(.administer))
        #expect(!Visitor(name: "nothing", roles: []).may(.read))
    }
}
