extension [EndpointPlan] {
    /// Gives the device the signalling of a camera, on its first endpoint.
    package mutating func addCamera() {
        guard !isEmpty else { return }
        self[0].servers.append(WebRTCTransportProviderServer())
    }
}
