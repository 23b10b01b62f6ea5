import TestSupport
import Testing

@testable import MatterNetwork

/// The rules of a BTP session: event in, action out.
@Suite struct BTPSessionTests {
    let now = Instant.now

    // MARK: Handshake

    @Test("a central writes its request, subscribes when that is confirmed, and opens with the response")
    func centralHandshake() {
        var session = BTPSession(.central, attMTU: 185)
        #expect(session.handle(.began, now: now) == [.transmit(hex("656C04000000B90006"))])
        #expect(session.handle(.confirmed, now: now) == [.subscribe])
        #expect(session.handle(.confirmed, now: now).isEmpty)
        #expect(session.handle(.received(hex("656C04B60004")), now: now) == [.opened])
        #expect(session.segmentSize == 182 && session.window == 4 && session.isOpen)
    }

    @Test("a response that overtakes the confirmation of the subscription opens the session, too")
    func earlyResponse() {
        var session = BTPSession(.central, attMTU: 247)
        _ = session.handle(.began, now: now)
        _ = session.handle(.confirmed, now: now)
        #expect(session.handle(.received(hex("656C04F40006")), now: now) == [.opened])
        #expect(session.handle(.send([1]), now: now).isEmpty, "the subscription is not confirmed")
        #expect(session.handle(.confirmed, now: now) == [.transmit(hex("0D0000010001"))])
    }

    @Test("an ATT MTU of 23 is told as not known, since stacks say so before they have asked")
    func unknownMTU() {
        for mtu: UInt16? in [nil, 0, 23] {
            var session = BTPSession(.central, attMTU: mtu)
            #expect(session.handle(.began, now: now) == [.transmit(hex("656C04000000000006"))])
        }
    }

    @Test("a peripheral answers once the central has subscribed, before its request or after it")
    func peripheralHandshake() {
        for subscribesFirst in [false, true] {
            var session = BTPSession(.peripheral, attMTU: nil)
            #expect(session.handle(.began, now: now).isEmpty)
            let events: [BTPSession.Event] = [.received(hex("656C04000000B90006")), .subscribed]
            let first = session.handle(subscribesFirst ? events[1] : events[0], now: now)
            #expect(first.isEmpty)
            let second = session.handle(subscribesFirst ? events[0] : events[1], now: now)
            #expect(second == [.opened, .transmit(hex("656C04B60006"))])
        }
    }

    @Test(
        "the segment size is the ATT MTU without its header, within the limits",
        arguments: [(0, 20), (20, 20), (24, 21), (185, 182), (247, 244), (517, 244)] as [(UInt16, Int)])
    func segmentSize(mtu: UInt16, size: Int) {
        let session = BTPSession.peripheral(mtu: mtu, now: now)
        #expect(session.segmentSize == size)
    }

    @Test("the smaller ATT MTU of both counts, and one that is not known does not")
    func smallerMTU() throws {
        for (own, theirs, size) in [(100, 185, 97), (185, 100, 97), (100, 0, 97)] as [(UInt16, UInt16, UInt16)] {
            var session = BTPSession(.peripheral, attMTU: own)
            let request = BTPHandshakeRequest(attMTU: theirs == 0 ? nil : theirs, window: 6)
            _ = session.handle(.received(request.encoded()), now: now)
            let value = try #require(session.handle(.subscribed, now: now).transmitted.first)
            #expect(try BTPHandshakeResponse(decoding: value).segmentSize == size)
        }
    }

    @Test("the smaller window of both counts")
    func smallerWindow() throws {
        for (own, theirs, agreed) in [(6, 4, 4), (3, 6, 3), (255, 255, 255)] as [(UInt8, UInt8, UInt8)] {
            var session = BTPSession(.peripheral, attMTU: nil, window: own)
            let request = BTPHandshakeRequest(attMTU: nil, window: theirs)
            _ = session.handle(.received(request.encoded()), now: now)
            let value = try #require(session.handle(.subscribed, now: now).transmitted.first)
            #expect(try BTPHandshakeResponse(decoding: value).window == agreed)
        }
    }

    @Test(
        "a window of 0, another version and tiny segments end the session",
        arguments: [
            "656C04F40000", "656C05F40006", "656C00000000", "656C04050006", "656C04F400", "64",
        ])
    func badResponse(value: String) {
        var session = BTPSession(.central, attMTU: 247)
        _ = session.handle(.began, now: now)
        _ = session.handle(.confirmed, now: now)
        #expect(session.handle(.received(hex(value)), now: now).end?.code == .btp)
        #expect(session.isClosed)
    }

    @Test("a response of segments that are too large or a little small is taken as it can be used")
    func oddSizes() {
        for (offered, size) in [(256, 244), (244, 244), (12, 12), (20, 20)] as [(UInt16, Int)] {
            #expect(BTPSession.central(segmentSize: offered, now: now).segmentSize == size)
        }
    }

    @Test("a peripheral without a version in common says so, and closes")
    func noVersion() {
        var session = BTPSession(.peripheral, attMTU: nil)
        let request = BTPHandshakeRequest(versions: [6, 5], attMTU: nil, window: 6)
        _ = session.handle(.received(request.encoded()), now: now)
        #expect(session.handle(.subscribed, now: now).transmitted.map { $0[2] } == [0])
        #expect(session.handle(.confirmed, now: now).end?.code == .btp)
    }

    @Test("a peripheral chooses version 4 among several")
    func severalVersions() {
        var session = BTPSession(.peripheral, attMTU: nil)
        _ = session.handle(.received(hex("656C54060000B90006")), now: now)
        #expect(session.handle(.subscribed, now: now).transmitted.map { $0[2] } == [4])
    }

    @Test("a handshake that stays without an answer ends after 15 seconds, in either role")
    func handshakeTimeout() {
        var central = BTPSession(.central, attMTU: 247)
        _ = central.handle(.began, now: now)
        #expect(central.deadline == now + .seconds(15))
        #expect(central.handle(.timer, now: now + .seconds(14)).isEmpty)
        #expect(central.wait().end?.code == .linkLost)
        var peripheral = BTPSession(.peripheral, attMTU: nil)
        _ = peripheral.handle(.received(hex("656C04000000B90006")), now: now)
        #expect(peripheral.deadline == now + .seconds(15))
        #expect(peripheral.wait().end?.code == .linkLost)
        var unused = BTPSession(.peripheral, attMTU: nil)
        _ = unused.handle(.began, now: now)
        #expect(unused.deadline == now + .seconds(15))
        #expect(unused.wait().end?.code == .linkLost)
    }

    // MARK: Segments

    @Test("a message that fits is one segment, and a longer one fills its segments")
    func fragmentation() {
        var session = BTPSession.central(segmentSize: 20, now: now)
        let message = [UInt8](0..<40)
        // 20 bytes each: flags, acknowledgement, sequence, length; then flags and sequence only.
        let first = session.handle(.send(message), now: now).transmitted
        #expect(first == [hex("0900002800") + message[0..<15]])
        let second = session.handle(.confirmed, now: now).transmitted
        #expect(second == [hex("0201") + message[15..<33]])
        #expect(session.handle(.confirmed, now: now).transmitted == [hex("0602") + message[33...]])
        #expect(session.handle(.send([7]), now: now).isEmpty, "one value is on its way")
        #expect(session.handle(.confirmed, now: now).transmitted == [hex("0503010007")])
    }

    @Test("an ending that does not say that it continues is one")
    func bareEnding() {
        var session = BTPSession.peripheral(now: now)
        #expect(session.handle(.received(hex("0900000300AA")), now: now).delivered.isEmpty)
        #expect(session.handle(.received(hex("0401BBCC")), now: now).delivered == [hex("AABBCC")])
    }

    @Test(
        "what breaks the order, the lengths or the window ends the session",
        arguments: [
            (["0D0000010001", "0D0001010001"], "the same segment again"),
            (["0D0001010001"], "a segment is missing"), (["0D0000020001"], "shorter than announced"),
            (["0D000001000102"], "longer than announced"), (["090000020001", "0501010001"], "begun twice"),
            (["0A000001"], "no beginning"), (["0E000001"], "an ending alone"), (["0D00000000"], "an empty message"),
            (["0D00000105FF"], "1281 bytes"), (["0D0100010001"], "an acknowledgement of the future"),
            (["080000", "080001"], "acknowledged twice"), (["656C04000000B90006"], "a second handshake"),
            (["0000"], "neither piece nor acknowledgement"), (["00"], "cut short"), ([""], "nothing"),
            (["0F0000010001"], "beginning and continuing"), (["08000001"], "a piece of nothing"),
        ] as [([String], String)])
    func violations(values: [String], what: String) {
        var session = BTPSession.peripheral(now: now)
        var actions: [BTPSession.Action] = []
        for value in values {
            #expect(!actions.isEnd, "\(what): too early")
            actions = session.handle(.received(hex(value)), now: now)
        }
        #expect(actions.end?.code == .btp, "\(what)")
        #expect(session.handle(.received(hex("0D0000010001")), now: now).isEmpty, "\(what): it goes on")
    }

    @Test("segments may be 3 bytes larger than agreed, and no more")
    func tolerance() {
        for (extra, isTaken) in [(3, true), (4, false)] {
            var session = BTPSession.peripheral(mtu: 0, now: now)
            let value = hex("0D00001200") + [UInt8](repeating: 1, count: 15 + extra)
            let actions = session.handle(.received(Array(value.prefix(20 + extra))), now: now)
            #expect(actions.delivered.count == (isTaken ? 1 : 0) && session.isClosed == !isTaken)
        }
    }

    @Test("more segments than the window end the session")
    func overrun() {
        var session = BTPSession.peripheral(window: 2, now: now)
        // The response was acknowledged with the first one, so that two are owed after the second.
        #expect(session.handle(.received(hex("0900000A0001")), now: now).isEnd == false)
        #expect(session.handle(.received(hex("020101")), now: now).isEnd == false)
        #expect(session.handle(.received(hex("020201")), now: now).isEnd == false, "it has acknowledged by then")
        var strict = BTPSession.central(window: 2, now: now)
        #expect(strict.handle(.received(hex("0101080001")), now: now).transmitted == [hex("080100")])
        // Without a confirmation nothing more is acknowledged.
        #expect(strict.handle(.received(hex("020201")), now: now).isEmpty)
        #expect(strict.handle(.received(hex("020301")), now: now).isEmpty)
        #expect(strict.handle(.received(hex("020401")), now: now).end?.code == .btp)
    }

    // MARK: Windows and acknowledgements

    @Test("the last place of a window is for segments that acknowledge")
    func reservedPlace() {
        var session = BTPSession.central(segmentSize: 20, window: 3, now: now)
        var sent = session.handle(.send([UInt8](repeating: 1, count: 200)), now: now).transmitted
        sent += session.handle(.confirmed, now: now).transmitted
        #expect(sent.count == 2)
        #expect(session.handle(.confirmed, now: now).isEmpty, "one place is left, and nothing to acknowledge")
        // A standalone acknowledgement of the first one gives the place back, and something to acknowledge.
        #expect(session.handle(.received(hex("080001")), now: now).transmitted.map { $0[0] } == [0x0A])
        #expect(session.handle(.confirmed, now: now).isEmpty)
    }

    @Test("nothing is sent into a full window")
    func fullWindow() {
        var session = BTPSession.central(window: 1, now: now)
        #expect(session.handle(.send([1]), now: now).transmitted.count == 1)
        _ = session.handle(.confirmed, now: now)
        #expect(session.handle(.send([2]), now: now).isEmpty)
        #expect(session.handle(.received(hex("080001")), now: now).transmitted == [hex("0D0101010002")])
    }

    @Test("an acknowledgement waits 2.5 s for a segment to ride on, and then goes alone")
    func delayedAcknowledgement() {
        var session = BTPSession.central(now: now)
        #expect(session.deadline == now + .milliseconds(2500))
        #expect(session.handle(.timer, now: now + .seconds(2)).isEmpty)
        #expect(session.wait() == [.transmit(hex("080000"))])
        var riding = BTPSession.central(now: now)
        #expect(riding.handle(.send([9]), now: now) == [.transmit(hex("0D0000010009"))])
        #expect(riding.deadline == now + .seconds(15), "nothing is owed any more")
    }

    @Test("when one place of our window is left, the acknowledgement goes at once")
    func promptAcknowledgement() {
        var session = BTPSession.central(window: 4, now: now)
        _ = session.handle(.received(hex("0101300001")), now: now)
        #expect(session.handle(.received(hex("020201")), now: now) == [.transmit(hex("080200"))])
    }

    @Test("acknowledgements alone are not answered at once, or two sides would never rest")
    func noPingPong() {
        var session = BTPSession.central(window: 2, now: now)
        _ = session.handle(.send([1]), now: now)
        _ = session.handle(.confirmed, now: now)
        #expect(session.handle(.received(hex("080001")), now: now).isEmpty)
        #expect(session.deadline == now + .milliseconds(2500))
    }

    @Test("an acknowledgement confirms everything up to its number, across the end of the numbers")
    func wrap() {
        var pair = BTPPair(
            central: BTPSession(.central, attMTU: nil, window: 5), peripheral: BTPSession(.peripheral, attMTU: nil),
            seed: 1, latency: 1)
        pair.run(for: .seconds(1))
        for number in 0..<40 {
            pair.give(.send([UInt8](repeating: UInt8(number), count: 300)), to: .central)
            pair.run(for: .milliseconds(400))
        }
        #expect(pair.values.filter { $0.side == .central }.count > 512, "the numbers wrapped twice")
        #expect(pair.delivered[.peripheral]?.map { $0.first } == (0..<40).map { UInt8($0) })
        #expect(pair.ends.isEmpty)
    }

    @Test("a segment without an acknowledgement for 15 s ends the session")
    func unacknowledged() {
        var session = BTPSession.central(now: now)
        _ = session.handle(.send([1]), now: now + .seconds(1))
        #expect(session.deadline == now + .seconds(16))
        #expect(session.wait().end?.code == .linkLost)
    }

    @Test("a central leaves a session that carries acknowledgements only for a minute, and a peripheral does not")
    func idle() {
        var pair = BTPPair(
            central: BTPSession(.central, attMTU: nil), peripheral: BTPSession(.peripheral, attMTU: nil), seed: 2)
        pair.run(for: .seconds(59))
        #expect(pair.ends.isEmpty)
        pair.run(for: .seconds(3))
        #expect(pair.ends[.central]??.code == .linkLost)
        var patient = BTPPair(
            central: BTPSession(.central, attMTU: nil, idleLimit: nil),
            peripheral: BTPSession(.peripheral, attMTU: nil), seed: 2)
        patient.run(for: .seconds(3600))
        #expect(patient.ends.isEmpty)
        #expect(patient.values.count > 1000, "acknowledgements keep it up")
    }

    // MARK: The end

    @Test("a close sends what waits, and then ends the session")
    func closing() {
        var session = BTPSession.central(segmentSize: 20, now: now)
        _ = session.handle(.send([UInt8](repeating: 1, count: 30)), now: now)
        #expect(session.handle(.close, now: now).isEmpty && !session.isClosed)
        #expect(!session.accepts([1]))
        #expect(session.handle(.confirmed, now: now).transmitted.count == 1)
        let last = session.handle(.confirmed, now: now)
        #expect(last == [.closed(nil)])
    }

    @Test("a close waits for 5 s at most")
    func slowClosing() {
        var session = BTPSession.central(now: now)
        _ = session.handle(.send([1]), now: now)
        _ = session.handle(.close, now: now)
        #expect(session.handle(.timer, now: now + .seconds(5)) == [.closed(nil)])
    }

    @Test("the end of the connection ends the session, with its reason")
    func disconnected() {
        var session = BTPSession.central(now: now)
        let error = session.handle(.disconnected("out of reach"), now: now).end
        #expect(error?.code == .linkLost && error?.reason.contains("out of reach") == true)
        #expect(session.handle(.send([1]), now: now).isEmpty && session.deadline == nil)
    }

    @Test("messages of no bytes, of too many, and too many of them are not taken")
    func unacceptable() {
        var session = BTPSession.central(now: now)
        #expect(!session.accepts([]) && !session.accepts([UInt8](repeating: 0, count: 1281)))
        #expect(session.accepts([UInt8](repeating: 0, count: 1280)))
        for _ in 0...BTPSession.queueLimit { _ = session.handle(.send([1]), now: now) }
        #expect(!session.accepts([1]))
    }
}
