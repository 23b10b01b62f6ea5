import SwiftASN1

/// The validity times of X.509: UTCTime before 2050, GeneralizedTime from then on (RFC 5280, 4.1.2.5).
enum CertificateTime {
    /// The first year that UTCTime does not reach.
    private static let firstGeneralizedYear = 2050

    /// Appends a time in Matter seconds.
    static func encode(_ seconds: UInt32, into coder: inout DER.Serializer) {
        let time = seconds == MatterEpoch.none ? .noDate : CalendarTime(matterSeconds: seconds)
        let isGeneralized = time.year >= firstGeneralizedYear
        coder.appendPrimitiveNode(identifier: isGeneralized ? .generalizedTime : .utcTime) { octets in
            if isGeneralized { appendPair(time.year / 100, to: &octets) }
            for number in [time.year % 100, time.month, time.day, time.hour, time.minute, time.second] {
                appendPair(number, to: &octets)
            }
            octets.append(UInt8(ascii: "Z"))
        }
    }

    /// The Matter seconds of an X.509 time.
    static func decode(_ node: ASN1Node, _ name: String) throws(CredentialsError) -> UInt32 {
        guard let octets = node.primitive, let time = calendarTime(octets, node.identifier), time.isValid else {
            throw CredentialsError(.malformed, "\(name) is not a DER time")
        }
        guard (time.year >= firstGeneralizedYear) == (node.identifier == .generalizedTime) else {
            throw CredentialsError(.malformed, "\(name) has the wrong kind of time for the year \(time.year)")
        }
        if time == .noDate { return MatterEpoch.none }
        guard let seconds = time.matterSeconds, seconds != MatterEpoch.none else {
            throw CredentialsError(.notConvertible, "\(name) lies outside the years a Matter certificate can express")
        }
        return seconds
    }

    private static func calendarTime(_ octets: [UInt8], _ identifier: ASN1Identifier) -> CalendarTime? {
        let isGeneralized = identifier == .generalizedTime
        guard isGeneralized || identifier == .utcTime else { return nil }
        guard octets.count == (isGeneralized ? 15 : 13), octets.last == UInt8(ascii: "Z") else { return nil }
        var pairs: [Int] = []
        for start in stride(from: 0, to: octets.count - 1, by: 2) {
            guard let tens = digit(octets[start]), let ones = digit(octets[start + 1]) else { return nil }
            pairs.append(tens * 10 + ones)
        }
        let century = isGeneralized ? pairs.removeFirst() : (pairs[0] < 50 ? 20 : 19)
        return CalendarTime(
            year: century * 100 + pairs[0], month: pairs[1], day: pairs[2],
            hour: pairs[3], minute: pairs[4], second: pairs[5])
    }

    private static func digit(_ octet: UInt8) -> Int? {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet) ? Int(octet - UInt8(ascii: "0")) : nil
    }

    private static func appendPair(_ number: Int, to octets: inout [UInt8]) {
        octets.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / 10 % 10))
        octets.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
    }
}
