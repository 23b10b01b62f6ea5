import Testing

@testable import MatterController
@testable import MatterNetwork

/// Which of the devices over Bluetooth is tried, and when.
@Suite struct BluetoothBoardTests {
    private static func device(_ number: Int, rssi: Int? = nil) -> BluetoothDevice {
        BluetoothDevice(
            address: "AA:BB:CC:DD:EE:0\(number)", adapter: "hci0", rssi: rssi,
            advertisement: BLEAdvertisement(longDiscriminator: 3840))
    }

    private static let lost = TransportError(.linkLost, "out of reach")
    private static func refusal(_ code: SecureChannelError.Code) -> SessionError {
        var error = SessionError(.refused, phase: .pase, "refused")
        error.refusal = SecureChannelError(code, "refused")
        return error
    }

    /// The devices that are to be tried.
    private func tried(_ actions: [BluetoothBoard.Action]) -> [String] {
        actions.compactMap { if case .pair(let device) = $0 { device.address } else { nil } }
    }

    private func waits(_ actions: [BluetoothBoard.Action]) -> [Duration] {
        actions.compactMap { if case .wait(let pause, _) = $0 { pause } else { nil } }
    }

    /// The address that failed last, if the search is over for that.
    private func end(_ actions: [BluetoothBoard.Action]) -> (refusals: [String], last: String?)? {
        for case .fail(let refusals, let last) in actions {
            return (refusals.map(\.device.address), last?.device.address)
        }
        return nil
    }

    @Test("the first device is tried at once, and the others wait for its turn to end")
    func oneAtATime() {
        var board = BluetoothBoard()
        let first = board.handle(.seen(Self.device(1, rssi: -90)))
        #expect(tried(first) == [Self.device(1).address])
        #expect(first.contains { if case .sayLocated = $0 { true } else { false } })
        #expect(board.handle(.seen(Self.device(2, rssi: -40))).isEmpty)
        #expect(board.handle(.seen(Self.device(3, rssi: -50))).isEmpty)
        let failed = board.handle(.failed(address: Self.device(1).address, Self.lost))
        #expect(tried(failed).isEmpty && waits(failed) == [.milliseconds(500)])
        #expect(tried(board.handle(.pauseEnded)) == [Self.device(2).address], "the strongest signal first")
    }

    @Test("turns go round: a device that failed is tried again after the others, three times in all")
    func turns() {
        var board = BluetoothBoard()
        var order = tried(board.handle(.seen(Self.device(1, rssi: -40))))
        _ = board.handle(.seen(Self.device(2, rssi: -50)))
        while let address = order.last {
            _ = board.handle(.failed(address: address, Self.lost))
            let actions = board.handle(.pauseEnded)
            guard let next = tried(actions).first else {
                #expect(waits(actions) == [.seconds(3)])
                break
            }
            order.append(next)
        }
        #expect(order.map(\.last) == ["1", "2", "1", "2", "1", "2"])
        let ended = end(board.handle(.graceEnded))
        #expect(ended?.refusals == [] && ended?.last == Self.device(2).address)
    }

    @Test("a device that comes during the last wait is tried")
    func late() {
        var board = BluetoothBoard()
        _ = board.handle(.seen(Self.device(1)))
        _ = board.handle(.failed(address: Self.device(1).address, Self.refusal(.wrongPasscode)))
        #expect(waits(board.handle(.pauseEnded)) == [.seconds(3)])
        #expect(tried(board.handle(.seen(Self.device(2)))) == [Self.device(2).address])
        #expect(board.handle(.graceEnded).isEmpty)
    }

    @Test("a device that rejects the passcode is not asked again")
    func wrongPasscode() {
        var board = BluetoothBoard()
        _ = board.handle(.seen(Self.device(1)))
        _ = board.handle(.failed(address: Self.device(1).address, Self.refusal(.wrongPasscode)))
        _ = board.handle(.pauseEnded)
        #expect(board.handle(.seen(Self.device(1, rssi: -1))).isEmpty)
        #expect(end(board.handle(.graceEnded))?.refusals == [Self.device(1).address])
    }

    @Test("a device that says that it is closed is tried again after three seconds, as long as there is time")
    func closed() {
        var board = BluetoothBoard()
        _ = board.handle(.seen(Self.device(1)))
        for _ in 0..<10 {
            let failed = board.handle(.failed(address: Self.device(1).address, Self.refusal(.windowClosed)))
            #expect(waits(failed) == [.milliseconds(500), .seconds(3)])
            #expect(board.handle(.pauseEnded).isEmpty)
            #expect(tried(board.handle(.reopening(address: Self.device(1).address))) == [Self.device(1).address])
        }
        #expect(end(board.handle(.timeUp))?.refusals == [Self.device(1).address])
        var hasty = BluetoothBoard(waitsForWindow: false)
        _ = hasty.handle(.seen(Self.device(1)))
        _ = hasty.handle(.failed(address: Self.device(1).address, Self.refusal(.windowClosed)))
        #expect(waits(hasty.handle(.pauseEnded)) == [.seconds(3)])
        #expect(end(hasty.handle(.graceEnded))?.refusals == [Self.device(1).address])
    }

    @Test("without a device the search ends with the look-out, and with one it goes on")
    func lookout() {
        var board = BluetoothBoard()
        #expect(board.handle(.lookoutEnded).contains { if case .failUnfound = $0 { true } else { false } })
        _ = board.handle(.seen(Self.device(1)))
        #expect(board.handle(.lookoutEnded).isEmpty)
    }

    @Test("a scan that fails ends the search, unless there is a device to be tried")
    func scanFails() {
        var board = BluetoothBoard()
        #expect(board.handle(.scanFailed(Self.lost)).contains { if case .abort = $0 { true } else { false } })
        _ = board.handle(.seen(Self.device(1)))
        #expect(board.handle(.scanFailed(Self.lost)).isEmpty)
    }

    @Test("no more devices are remembered than there is room for")
    func capacity() {
        var board = BluetoothBoard()
        for number in 0..<200 {
            _ = board.handle(
                .seen(
                    BluetoothDevice(
                        address: "\(number)", adapter: "hci0", advertisement: .init(longDiscriminator: 1))))
        }
        var count = 0
        var current: String? = "0"
        while let address = current {
            count += 1
            _ = board.handle(.failed(address: address, Self.refusal(.wrongPasscode)))
            current = tried(board.handle(.pauseEnded)).first
        }
        #expect(count == BluetoothBoard.capacity)
    }
}
