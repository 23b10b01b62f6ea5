import MatterBase

@testable import MatterController
@testable import MatterCrypto
@testable import MatterNetwork
@testable import MatterState
@testable import RainMaker

extension FuzzEntry {
    /// The records of the state directory.
    static let records = [
        FuzzEntry("envelope") {
            Seeds.records.map { RecordEnvelope.encode($0, version: 1) }
        } run: { bytes in
            do throws(RecordEnvelope.Fault) {
                let contents = try RecordEnvelope.decode(bytes, newest: 1)
                let again = try RecordEnvelope.decode(RecordEnvelope.encode(contents, version: 1), newest: 1)
                precondition(again == contents)
                return .deep
            } catch {
                // All of it was read but for the checksum, which no fuzzer guesses.
                guard case .damaged(let fault) = error else { return .refused }
                return fault.contains("altered") ? .deep : .refused
            }
        },
        FuzzEntry("age") {
            Seeds.ageFiles
        } run: { bytes in
            // Identities only: a passphrase costs a second for each try.
            _ = try? AgeFile.open(bytes, with: .identities(AgeIdentity.parse(file: Seeds.ageIdentity)))
            _ = AgeFile.needsPassphrase(bytes)
            return accepts { _ = try AgeHeader(parsing: bytes) }
        },
        FuzzEntry("export") {
            Seeds.exports
        } run: { bytes in
            accepts { _ = try ExportDocument(decoding: bytes) }
        },
        FuzzEntry("records") {
            Seeds.records
        } run: { bytes in
            roundTrip(bytes, { try FabricRecord(decoding: $0, "fabric.json") }, { $0.encoded() })
                | roundTrip(bytes, { try NodeRecord(decoding: $0, "node.json") }, { $0.encoded() })
                | roundTrip(bytes, { try PendingNode(decoding: $0, "pending.json") }, { $0.encoded() })
                | roundTrip(bytes, { try GroupRecord(decoding: $0, "group.json") }, { $0.encoded() })
                | roundTrip(bytes, { try ICDRegistration(decoding: $0, of: .init(7), "icd") }, { $0.encoded() })
                | accepts { _ = try RainMakerMembership(decoding: bytes, "rainmaker.json") }
                | accepts { _ = try PendingConfirmation(decoding: bytes, "confirmation.json") }
                | accepts { _ = try PendingRemoval(decoding: bytes, "removal.json") }
                | accepts { _ = try CloudTokens(decoding: bytes) }
        },
    ]
}
