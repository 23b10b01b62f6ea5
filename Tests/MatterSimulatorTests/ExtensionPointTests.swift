import MatterCrypto
import MatterModel
import TestSupport
import Testing

@testable import MatterNetwork
@testable import MatterSimulator

@Suite("Kinds of devices", .beside)
struct DeviceKindTests {
    @Test("every kind has its own name")
    func names() {
        #expect(Set(SimulatedType.all.map(\.name)).count == SimulatedType.all.count)
    }

    /// The lines that docs/virtual-device.md names.
    static let typed: [(kind: String, lines: [String])] = [
        ("on-off-light", ["1 on-off on", "1 on-off off", "1 on-off toggle"]),
        ("dimmable-light", ["1 on-off toggle"]), ("color-temperature-light", ["1 on-off toggle"]),
        ("color-light", ["1 on-off toggle"]), ("on-off-plug", ["1 on-off toggle"]),
        ("on-off-switch", ["1 binding on", "1 binding off", "1 binding toggle", "1 binding identify"]),
        (
            "aggregator",
            [
                "2 on-off toggle", "2 bridged-device-basic-information unreachable",
                "4 bridged-device-basic-information reachable",
            ]
        ),
        (
            "door-lock",
            [
                "1 door-lock lock", "1 door-lock unlock", "1 door-lock keypad 123456", "1 door-lock keypad 123456 lock",
                "1 door-lock keypad 123456 unlock",
            ]
        ),
        ("thermostat", ["1 thermostat temperature 18.5", "1 thermostat outdoor -3"]),
        (
            "fan",
            [
                "1 fan-control off", "1 fan-control low", "1 fan-control medium", "1 fan-control high",
                "1 fan-control auto", "1 fan-control 45",
            ]
        ),
        (
            "window-covering",
            [
                "1 window-covering open", "1 window-covering close", "1 window-covering stop",
                "1 window-covering lift 40", "1 window-covering tilt 75",
            ]
        ),
        (
            "occupancy-sensor",
            ["1 occupancy-sensing motion", "1 occupancy-sensing occupied", "1 occupancy-sensing unoccupied"]
        ),
        ("contact-sensor", ["1 boolean-state open", "1 boolean-state closed", "1 boolean-state toggle"]),
        (
            "smoke-alarm",
            [
                "1 smoke-co-alarm smoke", "1 smoke-co-alarm smoke off", "1 smoke-co-alarm co",
                "1 smoke-co-alarm battery",
                "1 smoke-co-alarm fault", "1 smoke-co-alarm expired", "1 smoke-co-alarm clear",
            ]
        ),
        ("temperature-sensor", ["1 temperature-measurement 21.3", "1 temperature-measurement unknown"]),
        ("humidity-sensor", ["1 relative-humidity-measurement 45", "1 relative-humidity-measurement unknown"]),
        (
            "energy-plug",
            ["1 on-off toggle", "1 electrical-power-measurement 60", "1 electrical-energy-measurement 1500"]
        ),
        (
            "water-valve",
            [
                "1 valve-configuration-and-control leaking", "1 valve-configuration-and-control blocked",
                "1 valve-configuration-and-control ok",
            ]
        ),
        (
            "robot-vacuum",
            [
                "1 rvc-operational-state stuck", "1 rvc-operational-state ok", "1 rvc-clean-mode mop",
                "1 rvc-clean-mode deep clean", "1 rvc-run-mode cleaning",
            ]
        ),
        ("mode-select", ["1 mode-select warm"]),
        ("video-player", ["1 media-playback play", "1 media-playback pause", "1 media-playback stop"]),
        ("speaker", ["1 on-off toggle"]),
        (
            "button",
            ["1 switch press", "1 switch press 2", "1 switch long", "1 switch hold", "1 switch release"]
        ),
        ("battery", ["1 power-source 42"]),
        ("rainmaker-controller", ["1 matter-controller cloud on", "1 matter-controller cloud off"]),
        ("rainmaker-border-router", ["1 binding on", "1 binding off", "1 binding toggle", "1 binding identify"]),
        ("rainmaker-badge", ["1 binding on", "1 binding off", "1 binding toggle", "1 binding identify"]),
    ]

    @Test("every kind is listed with what can be typed at it")
    func listed() { #expect(Self.typed.map(\.kind).sorted() == SimulatedType.all.map(\.name).sorted()) }

    @Test("what can be typed at a device makes sense to it, and nothing else does", arguments: typed)
    func input(_ kind: String, _ lines: [String]) throws {
        for line in lines {
            let bench = try ClusterBench(kind)
            #expect(bench.type(line), "\(kind): \(line)")
            #expect(!bench.type(line + " nonsense"), "\(kind): \(line) nonsense")
            #expect(!bench.type("9" + line), "\(kind): 9\(line)")
        }
    }
}
