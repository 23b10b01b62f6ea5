import Testing

@testable import MatterNetwork

/// Requests and answers over a session under a virtual clock.
@Suite struct TrafficNetworkTests {
    /// No more than eight at a time: a datagram that is overtaken by 32 others counts as seen (4.6.5.1).
    @Test(
        "every request is delivered once and answered once, however many run at a time",
        arguments: [(0, 1), (0.1, 1), (0.1, 8), (0.3, 1), (0.3, 8), (0.5, 1), (0.5, 8)] as [(Double, Int)])
    func exactlyOnce(loss: Double, atOnce: Int) throws {
        let scene = try Scene(seed: 11)
        let reference = try #require(try scene.pase().reference)
        scene.network.conditions = .rough(loss: loss)
        var requests: [Request] = []
        for number in 0..<(200 as UInt8) {
            let request = Request([number])
            try request.start(from: scene.controller, on: reference)
            requests.append(request)
            if (Int(number) + 1).isMultiple(of: atOnce) { scene.network.run() }
        }
        scene.network.run()
        for request in requests {
            request.giveUp(of: scene.controller)
            let deliveries = scene.device.echo.deliveries[request.payload] ?? 0
            #expect(deliveries <= 1 && request.answers <= 1)
            #expect(request.answers == 1 || request.failed || deliveries == 1)
            if request.answers == 1 {
                #expect(deliveries == 1 && request.answer == request.payload)
                #expect(request.report?.acknowledged == true)
            }
            if request.failed { #expect(request.report?.transmissions == 5) }
        }
        let answered = requests.count { $0.answers == 1 }
        #expect(answered >= (loss < 0.3 ? 199 : loss < 0.5 ? 190 : 150), "\(answered)")
        if loss > 0 { #expect(scene.controller.repetitions.count > 5) }
        scene.expectOrder()
    }

    @Test("an application that takes its time: the acknowledgement comes by itself after 200 ms, and only once")
    func slowAnswer() throws {
        let scene = try Scene(seed: 12)
        let reference = try #require(try scene.pase().reference)
        scene.device.echo.isSilent = true
        let before = scene.device.host.transmissions.count
        let start = scene.network.now
        let request = Request([1])
        try request.start(from: scene.controller, on: reference)
        scene.network.run()
        let sent = scene.device.host.transmissions.dropFirst(before)
        #expect(sent.map(\.at) == [start + .milliseconds(201)], "1 ms on the way, then 200")
        #expect(scene.controller.repetitions.isEmpty)
        #expect(request.answers == 0 && !request.failed, "it is acknowledged, and waits")
    }

    @Test("a device that moves to another address is followed as soon as it speaks")
    func moving() throws {
        let network = VirtualNetwork(seed: 13)
        let controller = try Host([host(1), host(4)], on: network, seed: 1) { _, _, _ in false }
        let device = try Device(on: network, addresses: [host(2)], seed: 2)
        let attempt = HandshakeConversation(
            PASEInitiator(passcode: PASESample.passcode, localSessionID: 9, random: SeededRandom(1)))
        try attempt.start(from: controller, to: [host(2)])
        network.run()
        let reference = try #require(attempt.reference)
        let known = try #require(device.handshakes.first?.reference)
        #expect(device.host.engine.address(of: known) == host(1))
        // From now on the controller writes from its other address.
        controller.perform([], at: host(4))
        let request = Request([1])
        try request.start(from: controller, on: reference)
        network.run()
        #expect(request.answers == 1)
        #expect(device.host.engine.address(of: known) == host(4))
    }
}
