import MatterController

/// The user's answer to the terms of a device's manufacturer: from the options, or given on a terminal with the texts in
/// view. Texts are fetched only after a device has asked for them.
struct TermsPrompt: Sendable {
    /// How long the ledger and the manufacturer's server may take.
    private static let patience = Duration.seconds(30)

    let state: StateDirectory
    let connection: LedgerConnection
    let console: Console
    /// The ledgers that may know the product.
    let nets: [LedgerNet]
    /// The answer in the options.
    let given: TermsAcknowledgement?
    /// Whether the required texts are accepted without a question.
    let acceptsRequired: Bool
    let country: String
    /// The answer to a question.
    var agreed: TermsAcknowledgement?

    /// The answer, as far as there is one without a question or the network.
    func answer(to demand: TermsDemand) -> TermsAcknowledgement? {
        if let known = given ?? agreed { return known }
        guard acceptsRequired, let found = known(demand) else { return nil }
        return required(found.document)
    }

    /// Fetches the texts, and asks where nothing is accepted in advance.
    ///
    /// - Parameter deadline: the end of what needs no person.
    /// - Returns: `nil` if no answer is possible, or the user accepts not every required text.
    /// - Throws: the error of the commissioning, with the reason why there are no texts.
    func settle(_ failure: CommissioningError, deadline: Instant) async throws -> TermsAcknowledgement? {
        guard let demand = failure.terms, given == nil, acceptsRequired || console.canAsk else {
            return nil
        }
        let found: (model: LedgerModel, document: TermsDocument)
        do {
            if let known = known(demand) {
                found = known
            } else {
                found = try await fetched(demand, deadline: min(deadline, .now + Self.patience))
            }
        } catch let error as LedgerError {
            var failure = failure
            failure.reason += "; the texts could not be had: \(error.reason)"
            failure.hint = .step("terms.by-number")
            failure.underlying = error
            throw failure
        }
        return acceptsRequired ? required(found.document) : try await ask(found.model, found.document)
    }

    // MARK: Texts

    private func query(_ demand: TermsDemand) -> LedgerQuery<LedgerModel>? {
        guard let vendorID = demand.vendorID, let productID = demand.productID else { return nil }
        return .model(vendorID, productID)
    }

    private func known(_ demand: TermsDemand) -> (model: LedgerModel, document: TermsDocument)? {
        guard let query = query(demand) else { return nil }
        for net in nets {
            guard let model = LedgerCache(state, net).known(query)?.answer, let terms = model.terms,
                terms.revision >= demand.minimumVersion, let document = TermsLibrary(state).known(terms)
            else { continue }
            return (model, document)
        }
        return nil
    }

    private func fetched(
        _ demand: TermsDemand, deadline: Instant
    ) async throws -> (model: LedgerModel, document: TermsDocument) {
        guard let query = query(demand) else {
            throw LedgerError(.notFound, "the device does not say what product it is")
        }
        for net in nets {
            let model = try await connection.withClient(net, deadline: deadline) { client in
                try await LedgerCache(state, net).answer(
                    query, from: client, refresh: true, now: Terminal.current.unixTime())
            }.answer
            guard let model, let terms = model.terms else { continue }
            guard terms.revision >= demand.minimumVersion else {
                throw LedgerError(.notFound, "the ledger has version \(terms.revision) of them")
            }
            let document = try await TermsLibrary(state).fetch(terms, deadline: deadline) { url in
                // A ledger on this machine may name files on it.
                let orHere = try connection.url(net).isLoopback
                return try connection.service(
                    url, largestBody: TermsLibrary.largestFile, reach: .publicInternet(orHere: orHere))
            }
            return (model, document)
        }
        throw LedgerError(.notFound, "the ledger has no terms of this product")
    }

    // MARK: Answers

    private func texts(_ document: TermsDocument) -> [TermsDocument.Text] {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap(Environment.variable).first
        let language = locale.map { String($0.prefix { $0.isLetter }) }
        return document.texts(country: country, language: language)
    }

    private func acknowledgement(_ document: TermsDocument, _ texts: [TermsDocument.Text]) -> TermsAcknowledgement {
        TermsAcknowledgement(
            version: document.revision, response: texts.reduce(0) { $0 | 1 << $1.ordinal })
    }

    private func required(_ document: TermsDocument) -> TermsAcknowledgement {
        acknowledgement(document, texts(document).filter(\.isRequired))
    }

    private func ask(_ model: LedgerModel, _ document: TermsDocument) async throws -> TermsAcknowledgement? {
        let terminal = Terminal.current
        func show(_ line: String) { terminal.message(TerminalText.escaped(line)) }
        let product = model.name.map { " '\($0)'" } ?? ""
        show("The manufacturer of this device\(product) wants its terms accepted, version \(document.revision):")
        if let url = model.terms?.url { show(url) }
        var accepted: [TermsDocument.Text] = []
        for text in texts(document) {
            let title = PlainMarkup.lines(text.title).joined(separator: " ")
            show("")
            show("\(title) (\(text.isRequired ? "required" : "optional"))")
            for line in PlainMarkup.lines(text.text) { show(line) }
            terminal.error("Accept '\(TerminalText.escaped(title))'? [y/N] ")
            let answer = try await StandardInput.awaitedLine()?.lowercased()
            if answer == "y" || answer == "yes" {
                accepted.append(text)
            } else if text.isRequired {
                return nil
            }
        }
        return acknowledgement(document, accepted)
    }
}
