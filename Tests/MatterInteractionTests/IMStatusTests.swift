import MatterBase
import Testing

@testable import MatterModel

@Suite("Status codes")
struct IMStatusTests {
    @Test("each code prints the specification's name")
    func names() {
        #expect(IMStatus.named.count == 35)
        #expect(IMStatus(rawValue: 0x00).description == "SUCCESS")
        #expect(IMStatus(rawValue: 0x7F).description == "UNSUPPORTED_ENDPOINT")
        #expect(IMStatus(rawValue: 0x92).description == "DATA_VERSION_MISMATCH")
        #expect(IMStatus(rawValue: 0xC6).description == "NEEDS_TIMED_INTERACTION")
        #expect(IMStatus(rawValue: 0xD1).description == "INVALID_TRANSPORT_TYPE")
    }

    @Test("codes and names are each used once, codes ascending")
    func uniqueness() {
        let codes = IMStatus.named.map(\.status.rawValue)
        #expect(zip(codes, codes.dropFirst()).allSatisfy { $0 < $1 })
        #expect(Set(IMStatus.named.map(\.name)).count == codes.count)
    }

    @Test("a code of a later revision keeps its number")
    func unknown() throws {
        let status = IMStatus(rawValue: 0xE5)
        #expect(status.name == nil)
        #expect(status.description == "0xE5")
        #expect(IMStatus(rawValue: 0x05).description == "0x05")
        #expect(try StatusResponse(decoding: StatusResponse(status).encoded()).status.rawValue == 0xE5)
    }

    @Test("a cluster status is printed with the status")
    func clusterStatus() {
        #expect(StatusIB(.failure, clusterStatus: 2).description == "FAILURE (cluster status 2)")
        #expect(StatusIB(.success, clusterStatus: 0).description == "SUCCESS")
        #expect(StatusIB(.busy).description == "BUSY")
    }

    @Test("an error says what frees the peer, unless the peer ended it")
    func statusForPeer() {
        #expect(InteractionError(.malformed, "").statusForPeer == .invalidAction)
        #expect(InteractionError(.invalidSubscription, "").statusForPeer == .invalidSubscription)
        #expect(InteractionError(.limitExceeded, "").statusForPeer == .resourceExhausted)
        #expect(InteractionError(.refused, "", status: .busy).statusForPeer == nil)
        #expect(InteractionError(.requestTooLarge, "").statusForPeer == nil)
    }
}
