import MatterController

// outside SCENE [WORD …]: calls what the other examples do not, from outside of the package, and says "ok" or "wrong" of each. It is for
// the tests: a public name that no program calls stops being public.
let words = Array(CommandLine.arguments.dropFirst())
let scenes: [String: @Sendable ([String]) async throws -> Void] = [
    "find": find, "administer": administer, "house": house, "climate": climate, "follow": follow, "sleep": sleep,
    "trust": trust,
]
guard let scene = scenes[words.first ?? ""] else { fatalError("usage: outside \(scenes.keys.sorted()) …") }
do {
    try await scene(Array(words.dropFirst()))
} catch let error as MatterError {
    print("wrong: \(error.code) \(error.id) \(error.message)")
}

/// Says whether something is as it should be.
@Sendable func check(_ what: String, _ isRight: Bool, _ found: @autoclosure () -> Any = "") {
    print(isRight ? "ok \(what)" : "wrong: \(what) \(found())")
}

/// Says whether something fails as it should.
@Sendable func check(_ what: String, fails code: MatterError.Code, _ body: () async throws -> Void) async {
    do {
        try await body()
        print("wrong: \(what) succeeded")
    } catch let error as MatterError {
        check(what, error.code == code, "\(error.code) \(error)")
    } catch {
        print("wrong: \(what) \(error)")
    }
}
