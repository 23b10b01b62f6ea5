import ArgumentParser
import MatterController

/// A time on the clock of a lock: `2026-12-01`, `2026-12-01T14:00`.
struct LocalTime: ExpressibleByArgument {
    /// Since 2000-01-01.
    let seconds: UInt32
    private let isDay: Bool

    private static let day: UInt32 = 86_400

    init?(argument: String) {
        // The lock knows no other zone than its own.
        guard argument.dropFirst("2026-12-01".count).allSatisfy({ $0.isNumber || "T :".contains($0) }),
            let seconds = PointInTime.parse(argument, as: .epochSeconds).flatMap({ UInt32(exactly: $0) })
        else { return nil }
        self.seconds = seconds
        isDay = argument.count == "2026-12-01".count
    }

    /// The end of the day, where no time is said.
    var end: UInt32 { isDay ? UInt32(clamping: UInt64(seconds) + UInt64(Self.day)) : seconds }

    static func text(_ seconds: UInt32) -> String {
        PointInTime.text(UInt64(seconds), as: .epochSeconds).map { String($0.dropLast()) } ?? "\(seconds)"
    }
}

/// `mon,tue`, `mon-fri`, `all`.
struct WeekDays: ExpressibleByArgument {
    let days: DoorLock.DaysMaskMap

    init?(argument: String) {
        let names = DoorLock.DaysMaskMap.names
        var mask: UInt8 = 0
        for part in argument.lowercased().split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map {
                names.firstIndex(of: String($0))
            }
            switch (ends.first ?? nil, ends.last ?? nil, ends.count) {
            case (let first?, let last?, 1...2):
                var day = first
                mask |= 1 << day
                while day != last {
                    day = (day + 1) % names.count
                    mask |= 1 << day
                }
            default:
                guard part == "all" else { return nil }
                mask = 0x7F
            }
        }
        days = .init(rawValue: mask)
    }
}

/// `08:00-17:00`.
struct DayHours: ExpressibleByArgument {
    let from: LockSchedule.TimeOfDay
    let until: LockSchedule.TimeOfDay

    init?(argument: String) {
        let ends = argument.split(separator: "-").map { LockSchedule.TimeOfDay(String($0)) }
        guard ends.count == 2, let from = ends[0], let until = ends[1], from < until else { return nil }
        self.from = from
        self.until = until
    }
}

struct LockRestrict: DoorLockUsersCommand, NodeAndUserCommand {
    static let configuration = CommandConfiguration(
        commandName: "restrict", abstract: "Let a user open a lock between two dates only, or on some days and hours.",
        discussion: """
            Times are those of the lock's own clock. A date for --until is the end of that day.

            Example: matterctl door-lock restrict door Ada --from 2026-12-01 --until 2026-12-24T18:00
            """)

    @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
    @Argument(help: "The user, by index or name.") var user: String
    @Option(name: .line(.from), help: ArgumentHelp("From this date, or date and time.", valueName: "DATE"))
    var from: LocalTime?
    @Option(name: .line(.until), help: ArgumentHelp("Until this date, or date and time.", valueName: "DATE"))
    var until: LocalTime?
    @Option(name: .line(.days), help: ArgumentHelp("On these days, such as mon-fri or sat,sun.", valueName: "DAYS"))
    var days: WeekDays?
    @Option(
        name: .line(.hours),
        help: ArgumentHelp("At this time of the day, such as 08:00-17:00.", valueName: "HH:MM-HH:MM"))
    var hours: DayHours?
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var isServed: Bool { true }

    func validate() throws {
        guard (from == nil) == (until == nil), (days == nil) == (hours == nil) else {
            throw ValidationError("give --from with --until, and --days with --hours")
        }
        guard from != nil || days != nil else {
            throw ValidationError("give --from and --until, or --days and --hours")
        }
        if let from, let until, from.seconds >= until.end { throw ValidationError("--until must be after --from") }
    }

    func run(_ lock: DoorLockUsers, _ context: CommandContext) async throws {
        var schedules: [LockSchedule] = []
        if let days, let hours { schedules.append(.weekDays(days.days, from: hours.from, until: hours.until)) }
        if let from, let until { schedules.append(.dates(from: from.seconds, until: until.end)) }
        try await lock.restrict(try await lock.user(user), to: schedules)
        try tellDone(context)
    }
}

struct LockUnrestrict: DoorLockUsersCommand, NodeAndUserCommand {
    static let configuration = CommandConfiguration(
        commandName: "unrestrict", abstract: "Let a user open a lock at any time again.",
        discussion: "Example: matterctl door-lock unrestrict door Ada")

    @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
    @Argument(help: "The user, by index or name.") var user: String
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var isServed: Bool { true }

    func run(_ lock: DoorLockUsers, _ context: CommandContext) async throws {
        try await lock.unrestrict(try await lock.user(user))
        try tellDone(context)
    }
}

extension DoorLock.DaysMaskMap {
    /// By bit.
    fileprivate static let names = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

    var words: [String] {
        Self.names.enumerated().filter { contains(.init(rawValue: 1 << $0.offset)) }.map(\.element)
    }
}

extension LockSchedule {
    /// `mon, tue 08:00-17:00`, `2026-12-01T00:00:00 – 2026-12-24T18:00:00`.
    var text: String {
        switch self {
        case .weekDays(let days, let from, let until): "\(days.words.joined(separator: ",")) \(from)-\(until)"
        case .dates(let from, let until): "\(LocalTime.text(from)) – \(LocalTime.text(until))"
        }
    }
}
