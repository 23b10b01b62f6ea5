import MatterClusters
import MatterController

// dim NODE LEVEL: brings a light to a level within two seconds, and stops it again after one.
let words = Array(CommandLine.arguments.dropFirst())
let home = try Controller(home: .default, fabric: "home")
do {
    let node = try await home.node(words.first ?? "")
    let level = words.count > 1 ? UInt8(words[1]) ?? 254 : 254
    try await node.invoke(LevelControl.MoveToLevelWithOnOff(level: level, transitionTime: 20))
    try await Task.sleep(for: .seconds(1))
    // Of MatterClusters: matterctl itself does not use this command.
    try await node.invoke(LevelControl.StopWithOnOff())
    print(try await node.read(LevelControl.currentLevel).map { "level \($0)" } ?? "no level")
} catch let error as MatterError {
    print("error: \(error)")
}
await home.close()
