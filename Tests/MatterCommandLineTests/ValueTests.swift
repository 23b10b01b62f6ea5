import JSON
import MatterCommandLine
import TestSupport
import Testing

/// Values with their units, in and out, with a virtual device in this process.
@Suite("Values", .fewAtATime) struct ValueTests {
    private let shell: Shell
    private let person: Shell
    private let setpoint = "1/thermostat/occupied-heating-setpoint"

    init() throws {
        shell = try Shell()
        person = try Shell(terminals: [.input, .output, .error])
    }

    private func commission(_ types: String) async throws -> Background {
        let device = try shell.start("simulate \(types) --port 0 --mdns none")
        let port = try await device.line("ready")
        try await shell.succeed(
            "commission 34970112332 --address 127.0.0.1:\(port) --attestation skip --name it --timeout 60s")
        return device
    }

    /// The view of a person.
    private func seen(_ words: String, input: String = "") async throws -> String {
        try await person.succeed("\(words) --home \(shell.home)", input: input).stdout
    }

    @Test("people see units and names, programs the numbers")
    func output() async throws {
        let device = try await commission("thermostat,dimmable-light")
        try await shell.succeed("write it \(setpoint) 21.5C")
        #expect(try await seen("read it \(setpoint)") == "21.50 °C\n")
        #expect(try await seen("read it \(setpoint) --numeric") == "2150\n")
        #expect(try await shell.succeed("read it \(setpoint)").stdout == "2150\n")
        #expect(try await seen("read it \(setpoint) --json").contains("\"value\":2150"))
        #expect(try await seen("subscribe it \(setpoint) --count 1") == "21.50 °C\n")
        #expect(try await shell.succeed("subscribe it \(setpoint) --count 1").stdout == "2150\n")
        #expect(try await seen("subscribe it \(setpoint) --count 1 --json").contains("\"value\":2150"))
        #expect(try await seen("level it/2 30% --verify") == "30% (76)\n")
        let rehearsal = try await seen("write it \(setpoint) 22C --dry-run")
        #expect(rehearsal.split(separator: "\n").dropFirst().first == "\(setpoint)  22.00 °C", "\(rehearsal)")
        #expect(try await seen("read it 2/descriptor/device-type-list").contains("Dimmable Light (0x0101)"))
        #expect(try await seen("read it 2/on-off/accepted-command-list").contains("toggle (0x0002)"))
        #expect(try await seen("read it 2/on-off/attribute-list").contains("on-off (0x0000)"))
        #expect(try await seen("read it 2/descriptor/server-list").contains("level-control (0x0008)"))
        let table = try await seen("read it 1/thermostat")
        for part in ["PATH", "21.50 °C", "accepted-command-list"] { #expect(table.contains(part), "\(table)") }
        _ = await device.stop()
    }

    @Test("a manufacturer's cluster reads by name, with its units for people; clusters names its maker")
    func vendor() async throws {
        let values = "--value 1/eve/watt=12.5 --value 1/eve/watt-accumulated=0.25 --value 1/eve/weather-trend=cloudy"
        let device = try await commission("on-off-light \(values)")
        #expect(try await seen("read it 1/eve/watt") == "12.5 W\n")
        #expect(try await shell.succeed("read it */eve/watt").stdout == "1/eve/watt\t12.5\n")
        #expect(try await seen("read it */eve/watt-accumulated").contains("0.25 kWh"))
        let json = try await shell.succeed("read it 1/eve/weather-trend --json").json()
        #expect(json["cluster"] == "Eve" && json["attribute"] == "WeatherTrend" && json["value"] == "Cloudy")
        #expect(try await shell.succeed("describe it --clusters").stdout.contains("watt-accumulated"))
        let list = try await shell.succeed("clusters --json").json().arrayValue ?? []
        #expect(list.contains(["id": 0x130A_FC01, "name": "Eve", "vendorId": 0x130A, "vendor": "Eve"]))
        #expect(try await shell.succeed("clusters").stdout.contains("0x130AFC01\teve\tEve\n"))
        _ = await device.stop()
        for value in ["1/on-off/on-off=true", "2/eve/watt=1", "0/eve/watt=1"] {
            let run = try await shell.run("simulate on-off-light --port 0 --mdns none --value \(value) --json")
            #expect(try run.status == 64 && run.error().text("id") == "usage.value", "\(run)")
        }
        #expect(try await shell.run("simulate on-off-light --port 0 --value 1/eve/watts=1").status == 64)
    }

    @Test("of two vendors' definitions, that of the node's vendor names its cluster; otherwise a warning says so")
    func contested() async throws {
        let device = try await commission("on-off-light --vendor-id 0xFFF1 --value 1/eve/status-fault=7")
        func file(_ vendor: String, _ name: String) throws -> String {
            try shell.file(
                name,
                """
                {"clusters":[{"id":"0x130AFC01","name":"\(name)","vendor":"\(vendor)",
                "attributes":[{"id":"0x130A000C","name":"\(name)State","type":"uint8"}]}]}
                """)
        }
        let (ours, other) = (try file("0xFFF1", "Ours"), try file("0x1217", "Other"))
        let words = "read it 1/0x130AFC01/0x130A000C --json --cluster-defs"
        #expect(try await shell.succeed("\(words) \(other) --cluster-defs \(ours)").json()["attribute"] == "OursState")
        let third = try file("0x1321", "Third")
        let run = try await shell.succeed("\(words) \(other) --cluster-defs \(third)")
        #expect(try run.json()["attribute"] == "OtherState" && run.stderr.contains("several vendors"), "\(run)")
        #expect(try await shell.run("\(words) \(other) --cluster-defs \(other)").status == 64)
        _ = await device.stop()
    }

    @Test("a bare number with two readings is asked about on a terminal, and 64 elsewhere")
    func question() async throws {
        let device = try await commission("thermostat")
        let run = try await shell.run("write it \(setpoint) 21 --json")
        let error = try run.error()
        #expect(run.status == 64 && error.text("id") == "data-model.ambiguous-number", "\(run)")
        #expect(error.text("message") == "occupied-heating-setpoint: 21 can mean 21.00 °C or 0.21 °C")
        #expect(error.text("hint") == "did you mean 21C or raw:21?")

        let asked = try await person.succeed("write it \(setpoint) 21 --home \(shell.home)", input: "1\n")
        #expect(asked.stderr == "occupied-heating-setpoint 21: 1 for 21.00 °C, or 2 for 0.21 °C? ", "\(asked)")
        #expect(try await shell.succeed("read it \(setpoint)").stdout == "2100\n")
        try await person.succeed("write it \(setpoint) 22 --home \(shell.home)", input: "22C\n")
        #expect(try await shell.succeed("read it \(setpoint)").stdout == "2200\n")
        for input in ["", "3\n", "yes\n"] {
            let refused = try await person.run("write it \(setpoint) 21 --home \(shell.home)", input: input)
            #expect(refused.status == 64 && refused.stderr.contains("did you mean 21C or raw:21?"), "\(refused)")
        }
        try await shell.succeed("write it \(setpoint) 2300")
        try await shell.succeed("write it \(setpoint) raw:2350")
        #expect(try await shell.succeed("read it \(setpoint)").stdout == "2350\n")

        // The fields of commands take what is on the wire, as ever.
        try await shell.succeed("invoke it 1/thermostat/setpoint-raise-lower mode=heat amount=5")
        #expect(try await shell.succeed("read it \(setpoint)").stdout == "2400\n")
        let awaited = try await shell.run("wait it \(setpoint)>=21 --timeout 20s")
        #expect(awaited.status == 64, "\(awaited)")
        try await shell.succeed("wait it \(setpoint)>=21C --timeout 20s")
        _ = await device.stop()
    }
}
