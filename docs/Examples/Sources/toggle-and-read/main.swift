import MatterController

// toggle-and-read NODE: switches a light over, and says what it is then.
let home = try Controller(home: .default, fabric: "home")
do {
    let node = try home.node(CommandLine.arguments.last ?? "")
    do {
        try await node.toggle()
    } catch let error as MatterError where error.code == .outcomeUnknown {
        // It may have happened. The state below tells; a second toggle could undo the first.
        print("no answer: \(error)")
    }
    let isOn = try await node.read(OnOff.onOff)
    print("\(node) is \(isOn ? "on" : "off")")
} catch let error as MatterError {
    print("error: \(error)")
}
await home.close()
