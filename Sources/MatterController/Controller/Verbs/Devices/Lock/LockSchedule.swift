public import MatterModel

/// When a user of a lock may open it, in the local time of the lock (Matter application cluster specification).
public enum LockSchedule: Sendable, Hashable {
    package enum Kind: Sendable, CaseIterable {
        case weekDays, dates
    }

    /// A time of the day, to the minute.
    public struct TimeOfDay: Sendable, Hashable, Comparable, CustomStringConvertible {
        package let hour: UInt8
        package let minute: UInt8

        /// `08:00`.
        public init?(_ text: String) {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, parts.allSatisfy({ (1...2).contains($0.count) && $0.allSatisfy(\.isASCII) }),
                let hour = UInt8(parts[0]), let minute = UInt8(parts[1]), hour < 24, minute < 60
            else { return nil }
            self.init(hour, minute)
        }

        init(_ hour: UInt8, _ minute: UInt8) {
            self.hour = hour
            self.minute = minute
        }

        /// Whether the first comes before the second.
        public static func < (one: TimeOfDay, other: TimeOfDay) -> Bool {
            (one.hour, one.minute) < (other.hour, other.minute)
        }

        /// The value as text, as messages and logs show it.
        public var description: String {
            [hour, minute].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
        }
    }

    /// On days of the week, between two times.
    case weekDays(DoorLock.DaysMaskMap, from: TimeOfDay, until: TimeOfDay)
    /// Seconds since 2000-01-01 in local time.
    case dates(from: UInt32, until: UInt32)

    package var kind: Kind { if case .weekDays = self { .weekDays } else { .dates } }

    /// The same for each of its week-days alone; none for dates.
    var days: [LockSchedule] {
        guard case .weekDays(let days, let from, let until) = self else { return [] }
        return (0..<7).map { DoorLock.DaysMaskMap(rawValue: 1 << $0) }.filter(days.contains)
            .map { .weekDays($0, from: from, until: until) }
    }

    /// With the days that have the same hours in one.
    static func joined(_ schedules: [LockSchedule]) -> [LockSchedule] {
        schedules.reduce(into: []) { joined, schedule in
            guard case .weekDays(let days, let from, let until) = schedule else { return joined.append(schedule) }
            for place in joined.indices {
                guard case .weekDays(let others, from, until) = joined[place] else { continue }
                joined[place] = .weekDays(others.union(days), from: from, until: until)
                return
            }
            joined.append(schedule)
        }
    }

    /// The answer to GetWeekDaySchedule or GetYearDaySchedule.
    ///
    /// - Returns: `nil` for one that says nothing of a schedule.
    init?(_ kind: Kind, _ fields: TLVValue?) {
        switch kind {
        case .weekDays:
            typealias Field = DoorLock.GetWeekDayScheduleResponse.Field
            let answer = PartialStructure<DoorLock.GetWeekDayScheduleResponse>(fields)
            guard let days = answer?[Field.daysMask], let hour = answer?[Field.startHour],
                let minute = answer?[Field.startMinute], let lastHour = answer?[Field.endHour],
                let lastMinute = answer?[Field.endMinute]
            else { return nil }
            self = .weekDays(days, from: .init(hour, minute), until: .init(lastHour, lastMinute))
        case .dates:
            typealias Field = DoorLock.GetYearDayScheduleResponse.Field
            let answer = PartialStructure<DoorLock.GetYearDayScheduleResponse>(fields)
            guard let from = answer?[Field.localStartTime], let until = answer?[Field.localEndTime] else { return nil }
            self = .dates(from: from, until: until)
        }
    }
}
