import MatterController

// house-monitor [COUNT]: follows every attribute and event of every node, until COUNT lines are out.
var limit = CommandLine.arguments.count > 1 ? Int(CommandLine.arguments[1]) ?? .max : .max
let home = try Controller(fabric: "home")
func text(_ update: NodeUpdate) -> String? {
    switch update {
    case .established(let now): return now.missed.map { "back after \($0)" } ?? "there"
    case .change(let change) where change.cause == .initial: return nil
    case .change(let change):
        return "\(change.path) \(change.value.map { "\($0)" } ?? change.failure ?? "")"
    case .event(let event): return "\(event.path) happened"
    case .lost(let loss): return "silent: \(loss.error)"
    }
}
for await news in home.follow(try home.allNodes(), [.everything], [.everything]) {
    switch news {
    case .update(let node, let update):
        guard let line = text(update) else { continue }
        print("\(node): \(line)")
    case .ended(let node, let error): print("\(node): \(error)")
    }
    limit -= 1
    if limit == 0 { break }
}
await home.close()
