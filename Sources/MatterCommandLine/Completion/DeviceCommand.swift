import ArgumentParser
import MatterController

/// A command, or a group of commands, for devices that serve one of some clusters. Nodes that serve none are not offered.
protocol DeviceCommand: ParsableCommand {
    static var clusters: [ClusterID] { get }
}

extension On: DeviceCommand { static var clusters: [ClusterID] { [OnOff.id] } }
extension Off: DeviceCommand { static var clusters: [ClusterID] { [OnOff.id] } }
extension Toggle: DeviceCommand { static var clusters: [ClusterID] { [OnOff.id] } }
extension Level: DeviceCommand { static var clusters: [ClusterID] { [LevelControl.id] } }
extension ColorCommand: DeviceCommand { static var clusters: [ClusterID] { [ColorControl.id] } }
extension CoverCommand: DeviceCommand { static var clusters: [ClusterID] { [WindowCovering.id] } }
extension DoorLockCommand: DeviceCommand { static var clusters: [ClusterID] { [DoorLock.id] } }
extension Unlock: DeviceCommand { static var clusters: [ClusterID] { [DoorLock.id] } }
extension ThermostatCommand: DeviceCommand { static var clusters: [ClusterID] { [Thermostat.id] } }
extension FanCommand: DeviceCommand { static var clusters: [ClusterID] { [FanControl.id] } }
extension ValveCommand: DeviceCommand { static var clusters: [ClusterID] { [ValveConfigurationAndControl.id] } }
extension VacuumCommand: DeviceCommand { static var clusters: [ClusterID] { [RvcOperationalState.id] } }
extension MediaCommand: DeviceCommand { static var clusters: [ClusterID] { [MediaPlayback.id, LevelControl.id] } }
extension SceneCommand: DeviceCommand { static var clusters: [ClusterID] { [ScenesManagement.id] } }
extension IdentifyCommand: DeviceCommand { static var clusters: [ClusterID] { [Identify.id] } }

extension ReadingCommand {
    static var clusters: [ClusterID] { kinds.map(\.cluster) }
}
