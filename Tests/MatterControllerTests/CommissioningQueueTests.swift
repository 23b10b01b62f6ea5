import MatterCrypto
import Testing

@testable import MatterController
@testable import MatterNetwork

/// Event in, line out.
@Suite("The order of a list") struct CommissioningQueueTests {
    private func queue(_ count: Int, known: Set<Int> = []) throws -> CommissioningQueue {
        CommissioningQueue(
            try (0..<count).map { number in
                [
                    CommissioningRequest(
                        SetupCode(
                            passcode: try SetupPasscode(20_202_021),
                            discriminator: try SetupDiscriminator(long: UInt16(number))))
                ]
            }, known: known)
    }

    private func device(_ discriminator: UInt16, vendorID: UInt16? = nil) throws -> CommissionableDevice {
        let address = try #require(ResolvedAddress(octets: [192, 0, 2, 1], port: 5540))
        return CommissionableDevice(
            instance: "\(discriminator)", host: "device.local", port: 5540, addresses: [address],
            record: CommissionableRecord(
                longDiscriminator: discriminator, commissioningMode: .basic, vendorID: vendorID))
    }

    private func all(_ queue: inout CommissioningQueue) -> [Int] {
        var indices: [Int] = []
        while let next = queue.next() { indices.append(next.index) }
        return indices
    }

    @Test(
        "a line begins when its device is there, whatever its place in the list; one that is not there keeps none waiting"
    )
    func whoIsThere() throws {
        var queue = try queue(4)
        #expect(queue.next() == nil && !queue.isDone)
        queue.see(try device(2))
        queue.see(try device(2))
        queue.see(try device(0))
        queue.see(try device(99))
        #expect(queue.next() == .init(index: 2, isExpected: true))
        #expect(queue.next() == .init(index: 0, isExpected: true))
        #expect(queue.next() == nil)
        queue.stopWaiting()
        #expect(queue.next() == .init(index: 1, isExpected: false))
        #expect(queue.next() == .init(index: 3, isExpected: false))
        for _ in 0..<4 {
            #expect(!queue.isDone)
            queue.end()
        }
        #expect(queue.isDone && queue.next() == nil)
    }

    @Test("no more than sixteen run at a time, and all have their turn")
    func bounds() throws {
        var queue = try queue(100)
        for number in 0..<100 { queue.see(try device(UInt16(number))) }
        var seen = all(&queue)
        #expect(seen.count == CommissioningQueue.together)
        while !queue.isDone {
            queue.end()
            let next = all(&queue)
            #expect(next.count <= 1)
            seen += next
        }
        #expect(seen == Array(0..<100))
    }

    @Test("a code that was used before need not be seen: its device may be a node by now")
    func known() throws {
        var queue = try queue(3, known: [1])
        #expect(all(&queue) == [1])
        queue.end()
        #expect(!queue.isDone)
        queue.stopWaiting()
        #expect(all(&queue) == [0, 2])
    }
}
