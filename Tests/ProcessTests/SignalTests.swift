import CProcess
import Foundation
import TestSupport
import Testing

/// How a process ends whose threads may not run any more.
@Suite("Signals and limits of a process", .timed) struct SignalTests {
    @Test("before it listens, a signal ends it with the status of an interruption", arguments: [SIGINT, SIGTERM])
    func early(number: Int32) async {
        await #expect(processExitsWith: .exitCode(130)) { [number] in
            cprocess_arm("interrupted\n", 130)
            kill(getpid(), number)
            while true { pause() }
        }
    }

    @Test("one that the parent had blocked ends it all the same", arguments: [SIGINT, SIGTERM])
    func blocked(number: Int32) async {
        await #expect(processExitsWith: .exitCode(130)) { [number] in
            var mask = sigset_t()
            sigfillset(&mask)
            // The test library's threads would take the signal.
            pthread_sigmask(SIG_BLOCK, &mask, nil)
            cprocess_arm("interrupted\n", 130)
            pthread_kill(pthread_self(), number)
            while true { pause() }
        }
    }

    @Test("a signal that it hears is its own affair")
    func heard() async {
        await #expect(processExitsWith: .exitCode(7)) {
            var ends: [Int32] = [-1, -1]
            #expect(cprocess_pipe(&ends) == 0)
            cprocess_arm("interrupted\n", 130)
            cprocess_listen(ends[1])
            kill(getpid(), SIGTERM)
            var octet: UInt8 = 0
            while read(ends[0], &octet, 1) != 1 {}
            cprocess_acknowledge()
            // Longer than a signal may go unheard: that nothing happens is what is tested.
            try await Task.sleep(for: .seconds(7))
            exit(7)
        }
    }

    @Test("one that it does not get to acting on ends it after a while, and a second one sooner")
    func unheard() async throws {
        let start = ContinuousClock.now
        await #expect(processExitsWith: .exitCode(130)) {
            cprocess_arm("interrupted\n", 130)
            cprocess_listen(open("/dev/null", O_WRONLY))
            kill(getpid(), SIGTERM)
            while true { pause() }
        }
        #expect(.now - start > .seconds(3))
        await #expect(processExitsWith: .exitCode(130)) {
            cprocess_arm("interrupted\n", 130)
            cprocess_listen(open("/dev/null", O_WRONLY))
            kill(getpid(), SIGTERM)
            // The first one is that old by then; the alarm must not have rung.
            try await Task.sleep(for: .seconds(2))
            alarm(0)
            kill(getpid(), SIGTERM)
            while true { pause() }
        }
    }

    @Test("at the end of its time it ends")
    func late() async {
        await #expect(processExitsWith: .exitCode(10)) {
            cprocess_arm("interrupted\n", 130)
            cprocess_limit(1, "late\n", 10)
            while true { pause() }
        }
    }

    @Test("what the system does not give is known beforehand")
    func shortage() async {
        #expect(cprocess_has_descriptors(8) == 0)
        #expect(cprocess_has_threads(4) == 0)
        await #expect(processExitsWith: .success) {
            var few = rlimit(rlim_cur: 8, rlim_max: 8)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &few)
            #expect(cprocess_has_descriptors(8) == EMFILE)
        }
    }

    @Test("the arguments are those that the process was started with")
    func arguments() {
        #expect(cprocess_argument(0).map { String(cString: $0) } == CommandLine.arguments.first)
        #expect(cprocess_argument(Int32(CommandLine.arguments.count)) == nil)
        #expect(cprocess_argument(-1) == nil)
    }
}
