import MatterCrypto
import Testing

@Suite struct RandomSourceTests {
    @Test("the system's source gives as many octets as asked for, and others each time")
    func system() throws {
        let random = SystemRandom()
        #expect(try random.bytes(0).isEmpty)
        #expect(try random.secret(0).isEmpty)
        #expect(try random.bytes(100).count == 100)
        #expect(try random.bytes(32) != random.bytes(32))
        #expect(try random.secret(32).count == 32)
        #expect(try random.secret(32) != random.secret(32))
        #expect(try random.secret(32) != SecretBytes(Array(repeating: 0, count: 32)))
    }

    @Test("an integer takes its octets most significant first")
    func integers() throws {
        #expect(try ScriptedRandom([[0x12, 0x34]]).integer(UInt16.self) == 0x1234)
        #expect(try ScriptedRandom([[1, 2, 3, 4, 5, 6, 7, 8]]).integer(UInt64.self) == 0x0102_0304_0506_0708)
    }

    @Test("a source's secret is its octets")
    func secrets() throws {
        #expect(try ScriptedRandom([[1, 2]]).secret(2).copyBytes() == [1, 2])
        #expect(code { _ = try ScriptedRandom([]).secret(2) } == .randomFailed)
    }
}
