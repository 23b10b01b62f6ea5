import ArgumentParser
import MatterController

/// Options of every command that asks the Alliance's ledger.
struct LedgerOptions: ParsableArguments {
    @Flag(name: .long, help: "Ask the ledger for devices in development.") var testNet = false
    @Option(name: .long, help: ArgumentHelp("Time for the whole command, such as 10s.", valueName: "DURATION"))
    var timeout: TimeSpan?
    @OptionGroup(title: HelpPage.common) var state: StateOptions

    func validate() throws { try timeout?.requireSome() }

    var net: LedgerNet { testNet ? .test : .main }
}

/// The two numbers of a product.
struct ProductArguments: ParsableArguments {
    @Argument(help: "The vendor id.") var vendor: NumberArgument<UInt16>
    @Argument(help: "The product id.") var product: NumberArgument<UInt16>

    var vendorID: UInt16 { vendor.value }
    var productID: UInt16 { product.value }
}

/// A command that asks the ledger.
protocol LedgerCommand: StateCommand {
    var options: LedgerOptions { get }
}

extension LedgerCommand {
    var state: StateOptions { options.state }

    /// Runs something with a client, and ends its connections.
    func withClient<Result>(
        time: Duration, _ body: (LedgerClient) async throws -> Result
    ) async throws -> Result {
        try await LedgerConnection(output: output).withClient(
            options.net, deadline: .now + (options.timeout?.duration ?? time), body)
    }

    /// Runs something that fetches lists of revoked certificates, and ends its connections.
    func withListFetcher<Result>(
        deadline: ContinuousClock.Instant, _ body: (ListFetcher) async throws -> Result
    ) async throws -> Result {
        try await LedgerConnection(output: output).withListFetcher(options.net, deadline: deadline, body)
    }
}

/// A command that shows answers of the ledger, from the cache where they are fresh.
protocol CachedLedgerCommand: LedgerCommand {
    var refresh: Bool { get }
}

/// Questions to the ledger by way of the cache.
struct CachedLedgerClient: Sendable {
    let client: LedgerClient
    let cache: LedgerCache
    let console: Console
    let refresh: Bool
    let now: Int64

    /// The answer; `nil` if the ledger has no such entry.
    func ask<Answer>(_ query: LedgerQuery<Answer>) async throws -> DatedAnswer<Answer> {
        told(try await cache.answer(query, from: client, refresh: refresh, now: now))
    }

    /// All products of a vendor.
    func products(of vendorID: UInt16) async throws -> ProductList {
        let found = told(try await cache.products(of: vendorID, from: client, refresh: refresh, now: now))
        guard let answer = found.answer else {
            throw LedgerError(.notFound, "the ledger has no entry for the products of vendor \(vendorID)")
        }
        return answer
    }

    /// Says that an answer is an old one.
    private func told<Answer>(_ found: DatedAnswer<Answer>) -> DatedAnswer<Answer> {
        if let fault = found.fault {
            console.message(
                "warning: \(TerminalText.escaped(fault.reason)); this is of \(DateText.day(found.date))")
        }
        return found
    }

    /// The answer, with the time at which it came.
    func need<Answer>(_ query: LedgerQuery<Answer>) async throws -> (answer: Answer, date: Int64) {
        let found = try await ask(query)
        guard let answer = found.answer else {
            throw LedgerError(.notFound, "the ledger has no entry for \(query.subject)")
        }
        return (answer, found.date)
    }
}

extension CachedLedgerCommand {
    private static var patience: Duration { .seconds(30) }

    func withCachedClient<Result>(_ body: (CachedLedgerClient) async throws -> Result) async throws -> Result {
        let cache = LedgerCache(try state.state(), options.net)
        return try await withClient(time: Self.patience) { client in
            try await body(
                CachedLedgerClient(
                    client: client, cache: cache, console: console, refresh: refresh, now: Terminal.current.unixTime()))
        }
    }
}

/// Times as users read them.
enum DateText {
    static func day(_ unixSeconds: Int64) -> String { String(time(unixSeconds).prefix("2026-07-15".count)) }

    static func time(_ unixSeconds: Int64) -> String { X509Time.text(unixSeconds) }
}
