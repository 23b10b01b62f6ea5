import SwiftASN1

/// From when until when an attestation certificate is valid, in seconds since 1970, both ends included (RFC 5280,
/// 4.1.2.5).
///
/// Attestation certificates are never converted to the Matter form, so unlike operational ones they may name any year.
public struct AttestationValidity: Hashable, Sendable, CustomStringConvertible {
    /// The first second in which it is valid, since 1970, UTC.
    public let notBefore: Int64
    /// The last second of 9999 where the certificate does not expire.
    public let notAfter: Int64

    package func contains(_ unixSeconds: Int64) -> Bool { notBefore <= unixSeconds && unixSeconds <= notAfter }

    /// `2022-02-05T00:00:00Z to 9999-12-31T23:59:59Z`.
    public var description: String { "\(X509Time.text(notBefore)) to \(X509Time.text(notAfter))" }
}

/// The times of X.509 as seconds since 1970 (RFC 5280, 4.1.2.5).
public enum X509Time {
    private static let secondsPerDay: Int64 = 86_400

    /// Reads a UTCTime or GeneralizedTime in the form of RFC 5280, 4.1.2.5: whole seconds, zone Z.
    ///
    /// A GeneralizedTime before 2050 is accepted although RFC 5280 asks for UTCTime: the meaning is the same.
    static func decode(_ node: ASN1Node, _ name: String) throws(CredentialsError) -> Int64 {
        guard let octets = node.primitive, [.utcTime, .generalizedTime].contains(node.identifier),
            let seconds = seconds(octets[...], isGeneralized: node.identifier == .generalizedTime)
        else {
            throw CredentialsError(.malformed, "\(name) is not a time of X.509")
        }
        return seconds
    }

    static func seconds(_ octets: ArraySlice<UInt8>, isGeneralized: Bool) -> Int64? {
        let yearDigits = isGeneralized ? 4 : 2
        guard octets.count == yearDigits + 11, octets.last == UInt8(ascii: "Z") else { return nil }
        var digits: [Int] = []
        for octet in octets.dropLast() {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet) else { return nil }
            digits.append(Int(octet - UInt8(ascii: "0")))
        }
        func number(_ places: Range<Int>) -> Int { digits[places].reduce(0) { 10 * $0 + $1 } }
        let written = number(0..<yearDigits)
        let rest = stride(from: yearDigits, to: digits.count, by: 2).map { number($0..<$0 + 2) }
        let year = yearDigits == 4 ? written : written + (written < 50 ? 2000 : 1900)
        let time = CalendarTime(
            year: year, month: rest[0], day: rest[1], hour: rest[2], minute: rest[3], second: rest[4])
        guard time.isValid else { return nil }
        let seconds = time.hour * 3600 + time.minute * 60 + time.second
        return days(time.year, time.month, time.day) * secondsPerDay + Int64(seconds)
    }

    /// A time as `2026-08-01T12:00:00Z`.
    public static func text(_ unixSeconds: Int64) -> String {
        let day = (unixSeconds >= 0 ? unixSeconds : unixSeconds - (secondsPerDay - 1)) / secondsPerDay
        let second = unixSeconds - day * secondsPerDay
        let (year, month, date) = calendarDate(day)
        func padded(_ number: Int64, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(date, 2))T"
            + "\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))Z"
    }

    // The calendar repeats every 400 years, 146 097 days. Years are counted from March, so that the leap day is the last
    // one, and days from 0000-03-01, which lies 719 468 days before 1970.

    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int64 {
        let marchYear = Int64(month > 2 ? year : year - 1) + 400
        let (era, yearOfEra) = marchYear.quotientAndRemainder(dividingBy: 400)
        let dayOfYear = Int64((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1)
        return (era - 1) * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func calendarDate(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = (days + 719_468 + 146_097).quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (
            yearOfEra + (era - 1) * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        )
    }
}
