import MatterController

// motion-light SENSOR LIGHT [COUNT]: switches a light on when a sensor sees a person, and off when the room is empty. Ends after
// COUNT changes.
let words = Array(CommandLine.arguments.dropFirst())
guard words.count >= 2 else { fatalError("usage: motion-light SENSOR LIGHT [COUNT]") }
let home = try Controller(fabric: "home")
do {
    let (sensor, light) = (try home.node(words[0]), try home.node(words[1]))
    var left = words.count > 2 ? Int(words[2]) ?? 1 : .max
    for try await update in sensor.changes(of: OccupancySensing.occupancy) {
        switch update {
        case .established: print("following \(sensor)")
        case .lost(let loss): print("\(sensor) is silent: \(loss.error)")
        case .change(let change):
            guard let seen = change.value(of: OccupancySensing.occupancy) else { continue }
            let isOccupied = seen.contains(.occupied)
            if isOccupied { try await light.on() } else { try await light.off() }
            print("\(light) is \(isOccupied ? "on" : "off")")
            left -= 1
        case .event: break
        }
        if left == 0 { break }
    }
} catch let error as MatterError {
    print("error: \(error)")
}
await home.close()
