public import MatterModel

/// A setting of a lock that people change (Matter application cluster specification 5.2.9).
public enum LockSetting: String, Sendable, CaseIterable {
    /// How many wrong codes lock it.
    case wrongCodeLimit = "wrong-code-limit"
    /// How long it stays locked after wrong codes, in seconds.
    case lockout
    /// After how many seconds it locks itself; 0 for never.
    case autoRelock = "auto-relock"
    /// The mode of operation.
    case mode
    /// Whether a code is needed from afar.
    case pinForRemote = "pin-for-remote"
    /// The volume of its sounds.
    case volume
    /// The language of its voice.
    case language

    /// By the number that locks have for them.
    private static let volumes = ["silent", "low", "high", "medium"]

    fileprivate var attribute: AttributeID {
        switch self {
        case .wrongCodeLimit: DoorLock.Attribute.wrongCodeEntryLimit
        case .lockout: DoorLock.Attribute.userCodeTemporaryDisableTime
        case .autoRelock: DoorLock.Attribute.autoRelockTime
        case .mode: DoorLock.Attribute.operatingMode
        case .pinForRemote: DoorLock.Attribute.requirePINforRemoteOperation
        case .volume: DoorLock.Attribute.soundVolume
        case .language: DoorLock.Attribute.language
        }
    }

    private var scale: Reading.Scale {
        switch self {
        case .autoRelock, .lockout: .unit(.seconds)
        case .volume: .words(Self.volumes)
        case .wrongCodeLimit, .mode, .pinForRemote, .language: .model
        }
    }

    /// Its value on a lock.
    public var reading: Reading { Reading(DoorLock.id, attribute, rawValue, scale) }

    /// The value of a word: `3`, `30s`, `never`, `vacation`, `yes`, `low`.
    fileprivate func value(_ word: String) throws(ControllerError) -> TLVValue {
        if self == .volume, let number = Self.volumes.firstIndex(of: word) { return .uint(UInt64(number)) }
        if self == .autoRelock, word == "never" { return .uint(0) }
        if self == .pinForRemote, ["yes", "no"].contains(word) { return .bool(word == "yes") }
        guard var type = reading.type else { throw ControllerError(.outOfLimits, "\(rawValue) is not known") }
        if case .unit(let unit) = scale { type.unit = unit }
        do {
            let parsed = try ValueParser().value(word: word, as: type, at: rawValue)
            if let warning = parsed.warnings.first { throw ControllerError(.outOfLimits, "\(warning)") }
            return parsed.value
        } catch let error as DataModelError {
            throw ControllerError(.outOfLimits, error.message)
        } catch let error as ControllerError {
            throw error
        } catch {
            throw ControllerError(.outOfLimits, "\(error)")
        }
    }
}

/// Changes a setting of a lock (Matter application cluster specification 5.2.9).
public struct LockSettingVerb: DeviceVerb {
    /// The cluster that is controlled.
    public let cluster = DoorLock.id
    private let setting: LockSetting
    private let value: TLVValue

    /// - Parameter word: as it is typed: `3`, `30s`, `vacation`.
    /// - Throws: ``ControllerError`` `outOfLimits` about the word.
    public init(_ setting: LockSetting, _ word: String) throws(ControllerError) {
        self.setting = setting
        value = try setting.value(word)
    }

    /// What is sent to a device of which these facts are known.
    ///
    /// - Throws: ``ControllerError`` if the device cannot do it.
    public func request(_ facts: DeviceFacts) throws(ControllerError) -> DeviceRequest {
        try facts.require(setting.attribute, "setting '\(setting.rawValue)'")
        return DeviceRequest(write: setting.attribute, value)
    }
}
