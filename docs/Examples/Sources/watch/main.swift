import MatterController

// watch NODE [COUNT]: prints the level of a light now, and whenever it changes.
let words = Array(CommandLine.arguments.dropFirst())
let home = try Controller(home: .default, fabric: "home")
do {
    let node = try await home.node(words.first ?? "")
    let levels = node.subscribe(LevelControl.currentLevel)
    for try await level in levels.prefix(words.count > 1 ? Int(words[1]) ?? 1 : .max) {
        print(level.map { "level \($0)" } ?? "no level")
    }
} catch let error as MatterError {
    print("error: \(error)")
}
await home.close()
