import ArgumentParser
import MatterController

struct TrustCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust", abstract: "The keys that the attestation of devices ends at.",
        discussion: "Example: matterctl trust update",
        subcommands: [Update.self, List.self, Show.self, Add.self, Remove.self, Export.self])
}

extension StateCommand {
    /// All keys that are known here.
    ///
    /// - Parameter fault: hears of a set no copy of which can be read, and the catalogue goes without it; `nil` to throw that.
    func trustCatalogue(fault: ((LedgerError) -> Void)? = nil) throws -> TrustCatalogue {
        let records = TrustRecords(try state.state())
        func set(_ net: LedgerNet) throws -> TrustSet? {
            do {
                return try records.set(net) { console.warning($0.reason, $0.hint) }
            } catch let error as LedgerError {
                guard let fault else { throw error }
                fault(error)
                return nil
            }
        }
        return TrustCatalogue(main: try set(.main), test: try set(.test), own: try records.ownTrust())
    }

    /// All points at which authorities publish lists of revoked certificates.
    func revocationEntries() throws -> [RevocationEntry] {
        let records = TrustRecords(try state.state())
        return LedgerNet.allCases.flatMap { net in
            // The catalogue finds the faults of a set.
            guard let set = try? records.set(net) else { return [RevocationEntry]() }
            return records.revocation(set, now: Terminal.current.unixTime())
        }
    }
}
