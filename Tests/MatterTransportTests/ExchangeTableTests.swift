import Testing

@testable import MatterNetwork

@Suite("Exchange table")
struct ExchangeTableTests {
    private static let session = SessionReference.secure(7)

    private static func key(_ number: UInt16) -> ExchangeKey {
        ExchangeKey(session: session, exchangeID: number, role: .initiator)
    }

    @Test("the exchanges of a session are told in the order in which they began, whatever their numbers hash to")
    func order() {
        let numbers = (0..<40).map { UInt16(truncatingIfNeeded: $0 &* 40_503) }
        var table = ExchangeTable()
        for number in numbers { table[Self.key(number)] = ExchangeState() }
        table[Self.key(numbers[3])] = nil
        table[Self.key(numbers[5])] = ExchangeState()
        #expect(table.keys(of: Self.session).map(\.exchangeID) == numbers.filter { $0 != numbers[3] })
        #expect(table.count == 39 && table.keys(of: .secure(8)).isEmpty)
    }

    @Test("a session without exchanges is forgotten")
    func empty() {
        var table = ExchangeTable()
        table[Self.key(1)] = ExchangeState()
        #expect(!table.isEmpty(Self.session))
        table[Self.key(1)] = nil
        #expect(table.isEmpty(Self.session) && table.keys(of: Self.session).isEmpty && table.count == 0)
    }
}
