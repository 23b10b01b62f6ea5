import MatterClusters
import MatterController

// fan-by-sensor SENSOR FAN [COUNT]: lets a fan blow the harder the warmer it is: not at all below 20 °C, with all its might from
// 30 °C. Ends after COUNT values.
let words = Array(CommandLine.arguments.dropFirst())
guard words.count >= 2 else { fatalError("usage: fan-by-sensor SENSOR FAN [COUNT]") }
let home = try Controller(fabric: "home")
do {
    let sensor = try home.node(words[0])
    guard let fan = try home.node(words[1]).fan else { fatalError("\(words[1]) is no fan") }
    let values = sensor.values(of: TemperatureMeasurement.measuredValue)
    for try await value in values.prefix(words.count > 2 ? Int(words[2]) ?? 1 : .max) {
        guard let value else { continue }
        let temperature = Temperature(hundredths: value)
        let percent = UInt8(max(0, min(100, (temperature.celsius - 20) * 10)))
        try await fan.set(percent: percent)
        print("\(temperature): fan at \(percent) %")
    }
} catch let error as MatterError {
    print("error: \(error)")
}
await home.close()
