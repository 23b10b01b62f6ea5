import TestSupport
import Testing

@testable import MatterCrypto

@Suite("damaged setup codes")
struct MutationTests {
    private func run(_ corpus: [String], seed: UInt64, check: (SetupPayload) throws -> Void) rethrows -> Int {
        var mutator = Mutator(seed: seed, corpus: corpus.map { Array($0.utf8) })
        var accepted = 0
        for _ in 0..<Effort.inputs(20_000) {
            let text = String(decoding: mutator.next(), as: UTF8.self)
            guard let payloads = try? SetupPayload.parse(text) else { continue }
            accepted += 1
            for payload in payloads { try check(payload) }
        }
        return accepted
    }

    @Test("damaged QR payloads are read or refused, and what is read can be written and read again")
    func qrCodes() throws {
        let corpus = [
            "MT:Y.K9042C00KA0648G00", "MT:M5L90MP500K64J00000*M5L90U.D010K4J00000",
            "MT:Y.K90AFN00KA064IJ3P0IXZB0DK5N1K8SQ1RYCU1-A40", "X%MT:-MOA52X-038C4E3YY00%Z",
            "MT:Y.K90AFN00KA064IJ3P09K3B7RAN206LBK0G9H52L-MS3QPSD5VEY-6CNWT0",
        ]
        var written = 0
        let accepted = run(corpus, seed: 11) { payload in
            guard let code = try? payload.qrCode() else { return }
            written += 1
            #expect((try? SetupPayload.parse(code)) == [payload])
        }
        #expect(accepted > Effort.inputs(500) && accepted < Effort.inputs(15_000) && written > Effort.inputs(500))
    }

    @Test("damaged manual codes are read or refused, and what is read is written alike")
    func manualCodes() throws {
        let corpus = [
            "34970112332", "749701123365521327694", "0112 761 4316", "1604-371-4310", "529276236304562000322",
        ]
        let accepted = run(corpus, seed: 12) { payload in
            guard payload.discriminator.long == nil else { return }
            #expect((try? SetupPayload.parse(payload.manualCode())) == [payload])
        }
        #expect(accepted > Effort.inputs(50) && accepted < Effort.inputs(15_000))
    }

    @Test("damaged extension structures are read or refused")
    func extensions() throws {
        let fixed = try Base38.decode("Y.K9042C00KA0648G00")
        var mutator = Mutator(
            seed: 13,
            corpus: [
                hex("15 2C 81 06 56 65 6E 64 6F 72 2C 00 0A 31 32 33 34 35 36 37 38 39 30 18"),
                hex(
                    "15 25 01 E8 03 30 02 10 00 11 22 33 44 55 66 77 88 99 AA BB CC DD EE FF 24 03 02 25 04 84 03 18 00"
                ),
            ])
        var accepted = 0
        for _ in 0..<Effort.inputs(20_000) {
            let code = "MT:" + Base38.encode(fixed + mutator.next())
            do {
                #expect(try SetupPayload.parse(code).count == 1)
                accepted += 1
            } catch {
                #expect(error.code == .extensionData || error.code == .length)
            }
        }
        #expect(accepted > Effort.inputs(500))
    }
}
