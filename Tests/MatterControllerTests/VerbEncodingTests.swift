import Foundation
import JSON
import MatterBase
import TestSupport
import Testing

@testable import MatterController
@testable import MatterModel

/// Messages of every verb, beside those that the official controller's Python definitions make of the names and numbers.
@Suite("Encodings of verbs") struct VerbEncodingTests {
    /// A request of ours, and the same by the names of chip.clusters.
    private struct Case {
        let cluster: ClusterID
        let action: DeviceRequest.Action
        /// `DoorLock.LockDoor`, or an attribute.
        let name: String
        let value: JSONValue

        init(_ verb: any DeviceVerb, _ facts: DeviceFacts, _ name: String, _ value: JSONValue = [:]) throws {
            self.init(verb.cluster, try verb.request(facts).action, name, value)
        }

        /// To a device that tells nothing of itself.
        init(_ verb: any DeviceVerb, _ name: String, _ value: JSONValue = [:]) throws {
            try self.init(verb, silent, name, value)
        }

        init(_ cluster: ClusterID, _ action: DeviceRequest.Action, _ name: String, _ value: JSONValue) {
            self.cluster = cluster
            self.action = action
            self.name = name
            self.value = value
        }

        var id: UInt32 {
            switch action {
            case .invoke(let command, _): command.rawValue
            case .write(let attribute, _): attribute.rawValue
            }
        }

        var encoded: [UInt8] {
            switch action {
            case .invoke(_, let fields): TLVElement(.anonymous, fields ?? .structure([])).encoded()
            case .write(_, let value): TLVElement(.anonymous, value).encoded()
            }
        }

        /// For encode_with_chip.py.
        var json: JSONValue {
            let parts = name.split(separator: ".").map(String.init)
            return switch action {
            case .invoke: ["cluster": .string(parts[0]), "command": .string(parts[1]), "fields": value]
            case .write: ["cluster": .string(parts[0]), "attribute": .string(parts[1]), "value": value]
            }
        }
    }

    /// Of a device that tells nothing of itself.
    private static let silent = facts([:])

    private static func facts(_ values: [AttributeID: TLVValue], features: FeatureMap? = nil) -> DeviceFacts {
        var values = values
        values[GlobalAttribute.featureMap] = features?.tlv
        return DeviceFacts(title: "node 'it'", label: "it", values: values)
    }

    private static func modes(_ cluster: ClusterID) -> DeviceFacts {
        let modes = ["Idle": 0x4000, "Cleaning": 0x4001].sorted { $0.value < $1.value }
        return facts([
            DeviceModes.attributes(of: cluster).supported: .array(
                of: modes.enumerated().map { number, mode in
                    .structure([
                        TLVElement(0, .string(mode.key)), TLVElement(1, .uint(UInt64(number + 7))),
                        TLVElement(
                            2, .array(of: [.structure([TLVElement(1, .uint(UInt64(mode.value)))])])),
                    ])
                })
        ])
    }

    private static func everyday() throws -> [Case] {
        [
            try Case(Verb.on, "OnOff.On"), try Case(Verb.off, "OnOff.Off"), try Case(Verb.toggle, "OnOff.Toggle"),
            try Case(
                Verb.off(.dyingLight, variant: 0), "OnOff.OffWithEffect", ["effectIdentifier": 1, "effectVariant": 0]),
            try Case(Verb.identify(seconds: 30), "Identify.Identify", ["identifyTime": 30]),
            try Case(
                Verb.level(127, transition: .seconds(2)), "LevelControl.MoveToLevelWithOnOff",
                ["level": 127, "transitionTime": 20, "optionsMask": 0, "optionsOverride": 0]),
            try Case(
                Verb.level(254, switches: false, options: (.executeIfOff, .executeIfOff)), "LevelControl.MoveToLevel",
                ["level": 254, "transitionTime": nil, "optionsMask": 1, "optionsOverride": 1]),
            try Case(
                Verb.levelStep(25, transition: .seconds(2)), "LevelControl.StepWithOnOff",
                ["stepMode": 0, "stepSize": 25, "transitionTime": 20, "optionsMask": 0, "optionsOverride": 0]),
            try Case(
                Verb.levelStep(-254, switches: false, options: (.executeIfOff, .executeIfOff)), "LevelControl.Step",
                ["stepMode": 1, "stepSize": 254, "transitionTime": nil, "optionsMask": 1, "optionsOverride": 1]),
            try Case(
                Verb.volume(76), "LevelControl.MoveToLevel",
                ["level": 76, "transitionTime": nil, "optionsMask": 1, "optionsOverride": 1]),
        ]
    }

    private static func colors() throws -> [Case] {
        let plain = facts(
            [:],
            features: [
                ColorControl.Feature.hueAndSaturation, ColorControl.Feature.xy, ColorControl.Feature.colorTemperature,
            ])
        func fields(_ first: JSONObject) -> JSONValue {
            var fields = first
            fields["transitionTime"] = 20
            fields["optionsMask"] = 1
            fields["optionsOverride"] = 1
            return .object(fields)
        }
        let slow = Duration.seconds(2)
        return [
            try Case(
                ColorVerb(.temperature(mireds: 370), transition: slow), plain, "ColorControl.MoveToColorTemperature",
                fields(["colorTemperatureMireds": 370])),
            try Case(
                ColorVerb(.hue(240, saturation: 203), transition: slow), plain, "ColorControl.MoveToHueAndSaturation",
                fields(["hue": 169, "saturation": 203])),
            try Case(
                ColorVerb(.hue(120, saturation: nil), transition: slow), plain, "ColorControl.MoveToHue",
                fields(["hue": 85, "direction": 0])),
            try Case(
                ColorVerb(.hue(120, saturation: 254), transition: slow), silent,
                "ColorControl.EnhancedMoveToHueAndSaturation", fields(["enhancedHue": 21845, "saturation": 254])),
            try Case(
                ColorVerb(.hue(120, saturation: nil), transition: slow), silent, "ColorControl.EnhancedMoveToHue",
                fields(["enhancedHue": 21845, "direction": 0])),
            try Case(
                ColorVerb(.xy(0.3125, 1), transition: slow), plain, "ColorControl.MoveToColor",
                fields(["colorX": 20480, "colorY": 65279])),
            try Case(
                ColorVerb(.named(.blue), transition: slow), plain, "ColorControl.MoveToHueAndSaturation",
                fields(["hue": 169, "saturation": 254])),
        ]
    }

    private static func house() throws -> [Case] {
        let dates = LockSchedule.dates(from: 900_000_000, until: 900_086_400)
        let days = LockSchedule.weekDays([.monday, .friday], from: .init(8, 0), until: .init(17, 30))
        func lock(_ action: DeviceRequest.Action, _ name: String, _ value: JSONValue) -> Case {
            Case(DoorLock.id, action, "DoorLock.\(name)", value)
        }
        let credential: JSONValue = ["credentialType": 1, "credentialIndex": 3]
        return [
            try Case(LockVerb(.lock), "DoorLock.LockDoor"),
            try Case(LockVerb(.lock, pin: "1234"), "DoorLock.LockDoor", ["PINCode": "hex:31323334"]),
            try Case(
                LockVerb(.unlock(relockAfter: nil), pin: "0042"), "DoorLock.UnlockDoor", ["PINCode": "hex:30303432"]),
            try Case(
                LockVerb(.unlock(relockAfter: 300), pin: "1234"), "DoorLock.UnlockWithTimeout",
                ["timeout": 300, "PINCode": "hex:31323334"]),
            lock(LockRequest.user(2), "GetUser", ["userIndex": 2]),
            lock(LockRequest.credential(3), "GetCredentialStatus", ["credential": credential]),
            lock(
                LockRequest.add("1234", at: 3, to: nil), "SetCredential",
                [
                    "operationType": 0, "credential": credential, "credentialData": "hex:31323334", "userIndex": nil,
                    "userStatus": nil, "userType": nil,
                ]),
            lock(
                LockRequest.add("1234", at: 3, to: 9), "SetCredential",
                [
                    "operationType": 0, "credential": credential, "credentialData": "hex:31323334", "userIndex": 9,
                    "userStatus": nil, "userType": nil,
                ]),
            lock(
                LockRequest.modify(9, name: "Ada"), "SetUser",
                [
                    "operationType": 2, "userIndex": 9, "userName": "Ada", "userUniqueID": nil, "userStatus": nil,
                    "userType": nil, "credentialRule": nil,
                ]),
            lock(
                LockRequest.modify(9, type: .yearDayScheduleUser), "SetUser",
                [
                    "operationType": 2, "userIndex": 9, "userName": nil, "userUniqueID": nil, "userStatus": nil,
                    "userType": 1, "credentialRule": nil,
                ]),
            lock(LockRequest.clear(user: 9), "ClearUser", ["userIndex": 9]),
            lock(LockRequest.clear(credential: 3), "ClearCredential", ["credential": credential]),
            lock(LockRequest.schedule(.weekDays, 1, of: 9), "GetWeekDaySchedule", ["weekDayIndex": 1, "userIndex": 9]),
            lock(LockRequest.schedule(.dates, 1, of: 9), "GetYearDaySchedule", ["yearDayIndex": 1, "userIndex": 9]),
            lock(
                LockRequest.set(days, 1, of: 9), "SetWeekDaySchedule",
                [
                    "weekDayIndex": 1, "userIndex": 9, "daysMask": 0x22, "startHour": 8, "startMinute": 0,
                    "endHour": 17, "endMinute": 30,
                ]),
            lock(
                LockRequest.set(dates, 1, of: 9), "SetYearDaySchedule",
                [
                    "yearDayIndex": 1, "userIndex": 9, "localStartTime": 900_000_000, "localEndTime": 900_086_400,
                ]),
            lock(LockRequest.clear(.weekDays, of: 9), "ClearWeekDaySchedule", ["weekDayIndex": 254, "userIndex": 9]),
            lock(LockRequest.clear(.dates, 2, of: 9), "ClearYearDaySchedule", ["yearDayIndex": 2, "userIndex": 9]),
            try Case(LockSettingVerb(.wrongCodeLimit, "3"), "DoorLock.WrongCodeEntryLimit", 3),
            try Case(LockSettingVerb(.lockout, "1min"), "DoorLock.UserCodeTemporaryDisableTime", 60),
            try Case(LockSettingVerb(.autoRelock, "never"), "DoorLock.AutoRelockTime", 0),
            try Case(LockSettingVerb(.mode, "vacation"), "DoorLock.OperatingMode", 1),
            try Case(LockSettingVerb(.pinForRemote, "yes"), "DoorLock.RequirePINforRemoteOperation", true),
            try Case(LockSettingVerb(.volume, "medium"), "DoorLock.SoundVolume", 3),
            try Case(LockSettingVerb(.language, "en"), "DoorLock.Language", "en"),
            try Case(
                ThermostatVerb.heat(-150), facts([Thermostat.Attribute.minHeatSetpointLimit: .int(-500)]),
                "Thermostat.OccupiedHeatingSetpoint", -150),
            try Case(ThermostatVerb.cool(2500), "Thermostat.OccupiedCoolingSetpoint", 2500),
            try Case(ThermostatVerb.mode(.emergencyHeat), "Thermostat.SystemMode", 5),
            try Case(FanVerb.mode(.auto), "FanControl.FanMode", 5),
            try Case(FanVerb.percent(30), "FanControl.PercentSetting", 30),
            try Case(FanVerb.airflow(.reverse), "FanControl.AirflowDirection", 1),
            try Case(CoverVerb.open, "WindowCovering.UpOrOpen"),
            try Case(CoverVerb.close, "WindowCovering.DownOrClose"),
            try Case(CoverVerb.stop, "WindowCovering.StopMotion"),
            try Case(CoverVerb.position(4000), "WindowCovering.GoToLiftPercentage", ["liftPercent100thsValue": 4000]),
            try Case(CoverVerb.tilt(7550), "WindowCovering.GoToTiltPercentage", ["tiltPercent100thsValue": 7550]),
        ]
    }

    private static func appliances() throws -> [Case] {
        func scene(_ action: DeviceRequest.Action, _ name: String, _ value: JSONValue) -> Case {
            Case(ScenesManagement.id, action, "ScenesManagement.\(name)", value)
        }
        return [
            try Case(ValveVerb.open(seconds: nil, level: nil), "ValveConfigurationAndControl.Open"),
            try Case(
                ValveVerb.open(seconds: 600, level: 50), "ValveConfigurationAndControl.Open",
                ["openDuration": 600, "targetLevel": 50]),
            try Case(ValveVerb.open(seconds: nil, level: 50), "ValveConfigurationAndControl.Open", ["targetLevel": 50]),
            try Case(ValveVerb.close, "ValveConfigurationAndControl.Close"),
            try Case(
                ModeVerb(ModeSelect.id, "cleaning"), modes(ModeSelect.id), "ModeSelect.ChangeToMode", ["newMode": 8]),
            try Case(ModeVerb(0x0051, "8"), modes(0x0051), "LaundryWasherMode.ChangeToMode", ["newMode": 8]),
            try Case(VacuumVerb.start, modes(RvcRunMode.id), "RvcRunMode.ChangeToMode", ["newMode": 8]),
            try Case(VacuumVerb.stop, modes(RvcRunMode.id), "RvcRunMode.ChangeToMode", ["newMode": 7]),
            try Case(VacuumVerb.pause, "RvcOperationalState.Pause"),
            try Case(VacuumVerb.resume, "RvcOperationalState.Resume"),
            try Case(VacuumVerb.home, "RvcOperationalState.GoHome"),
            try Case(MediaVerb.play, "MediaPlayback.Play"), try Case(MediaVerb.pause, "MediaPlayback.Pause"),
            try Case(MediaVerb.stop, "MediaPlayback.Stop"), try Case(MediaVerb.next, "MediaPlayback.Next"),
            try Case(MediaVerb.previous, "MediaPlayback.Previous"),
            try Case(
                SceneVerb(.store, scene: 3, group: 0x102), "ScenesManagement.StoreScene",
                ["groupID": 258, "sceneID": 3]),
            try Case(SceneVerb(.recall, scene: 3), "ScenesManagement.RecallScene", ["groupID": 0, "sceneID": 3]),
            try Case(
                SceneVerb(.recall, scene: 3, transition: .seconds(2)), "ScenesManagement.RecallScene",
                ["groupID": 0, "sceneID": 3, "transitionTime": 2000]),
            try Case(SceneVerb(.remove, scene: 254), "ScenesManagement.RemoveScene", ["groupID": 0, "sceneID": 254]),
            scene(EndpointScenes.membership(1), "GetSceneMembership", ["groupID": 1]),
            scene(EndpointScenes.view(1, 2), "ViewScene", ["groupID": 1, "sceneID": 2]),
            scene(
                EndpointScenes.add(1, 2, named: "Evening", transition: .seconds(70)), "AddScene",
                [
                    "groupID": 1, "sceneID": 2, "transitionTime": 70000, "sceneName": "Evening",
                    "extensionFieldSetStructs": [],
                ]),
        ]
    }

    private static func cases() throws -> [Case] { try everyday() + colors() + house() + appliances() }

    @Test("every verb sends what the catalogue expects: a known element, and fields that pass its own parser")
    func catalogue() throws {
        for item in try Self.cases() {
            let cluster = try #require(Catalogue.standard.cluster(item.cluster))
            let element = try #require(item.name.split(separator: ".").last.map(String.init))
            switch item.action {
            case .invoke(let id, let fields):
                let command = try #require(cluster.command(id))
                #expect(command.name.lowercased() == element.lowercased())
                let printed = ValuePrinter().json(fields: fields, of: command.fields)
                let again = try ValueParser().fields(json: printed, of: command)
                #expect(again.value == fields ?? .structure([]) && again.warnings.isEmpty, "\(item.name): \(again)")
            case .write(let id, let value):
                let attribute = try #require(cluster.attribute(id))
                #expect(attribute.name == element && attribute.isWritable)
                let printed = ValuePrinter().json(value, as: attribute.type)
                let again = try ValueParser().value(json: printed, as: attribute.type, at: element)
                #expect(again.value == value && again.warnings.isEmpty, "\(item.name): \(again)")
            }
        }
    }

    @Test(
        "every verb sends, byte for byte, what the official controller sends", .enabled(if: PeerPython.hasController))
    func official() throws {
        let cases = try Self.cases()
        let folder = FileManager.default.temporaryDirectory
        let (input, output) = (
            folder.appendingPathComponent("verbs-\(UUID().uuidString)"),
            folder.appendingPathComponent("chip-verbs-\(UUID().uuidString)")
        )
        defer { for file in [input, output] { try? FileManager.default.removeItem(at: file) } }
        try Data(JSONValue.array(cases.map(\.json)).serialized().utf8).write(to: input)
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../Tools/encode_with_chip.py").standardizedFileURL
        try #require(try PeerPython.run(script.path, input.path, output.path).status == 0)
        let answers = try #require(
            try JSONValue(parsing: String(contentsOf: output, encoding: .utf8)).arrayValue)
        #expect(answers.count == cases.count && cases.count > 60)
        for (item, answer) in zip(cases, answers) {
            #expect(answer["cluster"] == .id(item.cluster) && answer["id"]?.integer() == item.id, "\(item.name)")
            #expect(answer["tlv"]?.stringValue == hexString(item.encoded), "\(item.name) \(item.value)")
            guard case .invoke(let id, _) = item.action else { continue }
            let isTimed = Catalogue.standard.cluster(item.cluster)?.command(id)?.isTimed ?? false
            #expect(answer["timed"]?.boolValue == isTimed, "\(item.name)")
        }
    }
}
