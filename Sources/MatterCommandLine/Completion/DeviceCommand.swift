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
extension DoorLockCommand: DeviceCommand { static var clusters: [ClusterID] { LockKind.kind.clusters } }
extension LockDoor: DeviceCommand { static var clusters: [ClusterID] { LockKind.kind.clusters } }
extension Unlock: DeviceCommand { static var clusters: [ClusterID] { LockKind.kind.clusters } }
extension IdentifyCommand: DeviceCommand { static var clusters: [ClusterID] { [Identify.id] } }
