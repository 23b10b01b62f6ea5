extension InteractionClient {
    /// Interactions on a session.
    package init(_ session: SecureSession) {
        self.init(
            openExchange: { try await session.openExchange() },
            deliveryAllowance: { await session.responseAllowance(processing: .zero) })
    }
}
