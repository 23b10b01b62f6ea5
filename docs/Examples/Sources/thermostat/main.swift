import MatterController

// thermostat NODE [DEGREES]: says how warm it is, and sets the temperature of what the thermostat does at present.
let words = Array(CommandLine.arguments.dropFirst())
let home = try Controller(fabric: "home")
do {
    let node = try home.node(words.first ?? "")
    if let thermostat = node.thermostat {
        if let now = try await thermostat.temperature() { print("it is \(now)") }
        if words.count > 1, let degrees = Double(words[1]) {
            try await thermostat.set(.celsius(degrees))
            print("set to \(Temperature.celsius(degrees))")
        }
    } else {
        print("\(node) is no thermostat")
    }
} catch let error as MatterError where error.code == .outcomeUnknown {
    print("no answer, it may have been set: \(error)")
} catch let error as MatterError {
    print("error: \(error)\(error.hint.map { "; \($0)" } ?? "")")
}
await home.close()
