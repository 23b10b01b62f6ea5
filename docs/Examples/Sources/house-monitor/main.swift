import MatterController

// house-monitor [COUNT]: follows every attribute and event of every node, until COUNT lines are out.
let limit = CommandLine.arguments.count > 1 ? Int(CommandLine.arguments[1]) ?? .max : .max
let home = try Controller(fabric: "home")
let (lines, send) = AsyncStream.makeStream(of: String.self)
let following = Task {
    await withTaskGroup(of: Void.self) { house in
        for node in (try? await home.allNodes()) ?? [] {
            house.addTask {
                do {
                    let updates = node.follow([.everything], [.everything], waitsForNode: true)
                    for try await update in updates { if let line = text(update) { send.yield("\(node): \(line)") } }
                } catch {
                    send.yield("\(node): \(error)")
                }
            }
        }
    }
    send.finish()
}
@Sendable func text(_ update: NodeUpdate) -> String? {
    switch update {
    case .established(let now): return now.missed.map { "back after \($0)" } ?? "there"
    case .change(let change) where change.cause == .initial: return nil
    case .change(let change):
        return "\(change.path) \(change.value.map { "\($0)" } ?? change.failure ?? "")"
    case .event(let event): return "\(event.path) happened"
    case .lost(let loss): return "silent: \(loss.error)"
    }
}
for await line in lines.prefix(limit) { print(line) }
following.cancel()
await home.close()
