package import Testing

/// How `make test` runs a suite that cannot run beside all others.
///
/// `swift test --filter` knows names and no traits, so Tests/Tools/suites.py reads the traits from the sources and makes the
/// names of each group. A suite without such a trait runs beside all others, eight tests at a time: all at once, each would
/// take minutes.
package struct RunGroup: SuiteTrait {
    package let name: String
}

extension Trait where Self == RunGroup {
    /// Computes, as suites without a trait do: beside all others. It is for modules whose other suites cannot.
    package static var together: RunGroup { RunGroup(name: "together") }
    /// Waits in real time, for sockets, servers, threads or locks: one test at a time, in a process that computes nothing else.
    package static var timed: RunGroup { RunGroup(name: "timed") }
    /// Uses what a process has once, such as its standard output: one test at a time.
    package static var oneByOne: RunGroup { RunGroup(name: "oneByOne") }
    /// Has whole devices in its process, which answer late if too many compute: a few tests at a time.
    package static var fewAtATime: RunGroup { RunGroup(name: "fewAtATime") }
    /// Waits for another program most of the time: in a process beside those of other groups.
    package static var beside: RunGroup { RunGroup(name: "beside") }
    /// Speaks with Avahi or D-Bus, stops them and starts them: in a process with daemons of its own.
    package static var ownDaemons: RunGroup { RunGroup(name: "ownDaemons") }
}
