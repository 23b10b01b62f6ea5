import Glibc

/// The program that libFuzzer drives: `MATTERCTL_FUZZ_TARGET` names the decoder. With `MATTERCTL_FUZZ_SEEDS` set to a
/// folder it writes the seeds of that decoder there and ends; with `MATTERCTL_FUZZ_PLANTED=1` there is a bug to find.
enum FuzzProgram {
    static let entry: FuzzEntry = {
        let name = environment("MATTERCTL_FUZZ_TARGET") ?? ""
        guard let entry = FuzzEntry.named(name) else {
            say("MATTERCTL_FUZZ_TARGET is one of \(FuzzEntry.all.map(\.name).joined(separator: " "))")
            exit(64)
        }
        return entry
    }()

    static let seeds: [[UInt8]] = {
        do { return try entry.seeds() } catch {
            say("no seeds: \(error)")
            exit(1)
        }
    }()

    static let planted: Set<[UInt8]>? = environment("MATTERCTL_FUZZ_PLANTED") == nil ? nil : Set(seeds)

    private static func say(_ text: String) {
        let line = text + "\n"
        _ = line.withCString { Glibc.write(STDERR_FILENO, $0, strlen($0)) }
    }

    static func tooLong() -> Never {
        say("one input took more than a second of CPU")
        abort()
    }

    static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    static func writeSeeds(to folder: String) -> Never {
        for (number, seed) in seeds.enumerated() {
            guard let file = fopen("\(folder)/seed-\(number)", "w") else { exit(1) }
            fwrite(seed, 1, seed.count, file)
            fclose(file)
        }
        exit(0)
    }
}

/// Called once, before the first input.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeMutableRawPointer, _ arguments: UnsafeMutableRawPointer) -> CInt {
    _ = FuzzProgram.entry
    if let folder = FuzzProgram.environment("MATTERCTL_FUZZ_SEEDS") { FuzzProgram.writeSeeds(to: folder) }
    return 0
}

/// Called with every input; traps at what it finds.
@_cdecl("LLVMFuzzerTestOneInput")
public func test(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    let start = clock()
    // Time on the clock would count what other programs on the machine take.
    defer { if clock() - start > CLOCKS_PER_SEC { FuzzProgram.tooLong() } }
    if let planted = FuzzProgram.planted {
        _ = FuzzProgram.entry.run(bytes, planted: planted)
    } else {
        _ = FuzzProgram.entry.run(bytes)
    }
    return 0
}
