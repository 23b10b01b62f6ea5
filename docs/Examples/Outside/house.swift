import MatterController

/// house LOCK COVER VALVE VACUUM PLAYER LIGHT: tells each kind of device what it can be told.
@Sendable func house(_ words: [String]) async throws {
    let home = try Controller(fabric: "home")
    if let lock = try home.node(words[0]).lock {
        try await lock.lock()
        check("locked", try await lock.state() == .locked)
        await check("no PIN", fails: .invalidInput) { try await lock.unlock(pin: "abcd") }
        try await lock.unlock(lockingAgainAfter: nil)
        check("unlocked", try await lock.state() == .unlocked)
        try await lock.add(pin: "135790", named: "Ada")
        let users = try await lock.users()
        check("user", users.first?.name == "Ada" && users.first?.pinCodes.count == 1, users)
        try await lock.unlock(pin: "135790")
        try await lock.remove(users[0])
        check("no user", try await lock.users().isEmpty)
    }
    let cover = try home.node(words[1]).device(CoverDevice.self)
    try await cover?.open()
    try await cover?.stop()
    try await cover?.set(closedPercent: 40)
    try await cover?.set(tiltPercent: 10)
    await check("too far", fails: .invalidInput) { try await cover?.set(closedPercent: 140) }
    try await cover?.close()
    check("cover", cover?.endpoint == 1 && CoverDevice.cluster == WindowCovering.id)
    let valve = try home.node(words[2]).valve
    try await valve?.open(for: .seconds(60))
    try await valve?.close()
    check("valve", valve?.node.name == words[2])
    let vacuum = try home.node(words[3]).vacuum
    try await vacuum?.start()
    try await vacuum?.pause()
    try await vacuum?.resume()
    try await vacuum?.stop()
    try await vacuum?.goHome()
    check("vacuum", vacuum != nil)
    let player = try home.node(words[4]).player
    try await player?.play()
    try await player?.pause()
    try await player?.next()
    try await player?.previous()
    try await player?.stop()
    check("player", player != nil)
    let node = try home.node(words[5])
    for light in node.devices(LightDevice.self) {
        try await light.on()
        try await light.toggle()
        check("off", try await light.isOn() == false)
        try await light.set(level: 20, over: .zero)
        try await light.set(hue: 120, saturation: 200)
        try await light.set(kelvins: 2700)
        try await light.identify(for: .seconds(2))
        try await light.off()
    }
    try await node.invoke(ColorControl.moveToColorTemperature(mireds: 300))
    check("white", try await node.read(ColorControl.colorTemperatureMireds) == 300)
    check("no lock", node.lock == nil && node.player == nil && node.cover == nil)
    await home.close()
}

/// climate THERMOSTAT FAN: temperatures and speeds.
@Sendable func climate(_ words: [String]) async throws {
    let home = try Controller(fabric: "home")
    let thermostat = try home.node(words[0]).thermostat
    try await thermostat?.set(mode: .cool)
    try await thermostat?.cool(to: 24)
    try await thermostat?.set(mode: .heat)
    try await thermostat?.heat(to: .fahrenheit(68))
    try await thermostat?.set(21.5)
    check("set", try await thermostat?.node.read(Thermostat.occupiedHeatingSetpoint) == 2150)
    let readings = try await thermostat?.node.readings() ?? []
    let now = readings.first { $0.name == "temperature" }
    check("reading", now?.unit == "0.01 °C" && now?.text.hasSuffix(" °C") == true && now?.endpoint == 1, readings)
    check("plain", now?.plain.isEmpty == false && now?.value != .null, readings)
    check("degrees", Temperature.celsius(20) < 21 && Temperature(hundredths: 2000).fahrenheit == 68)
    let fan = try home.node(words[1]).fan
    try await fan?.set(percent: 30)
    try await fan?.set(mode: .high)
    try await fan?.set(direction: .reverse)
    await check("too fast", fails: .invalidInput) { try await fan?.set(percent: 101) }
    check("fan", try await fan?.node.read(FanControl.fanMode) == .high)
    await home.close()
}
