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
    private static let modes = ["normal", "vacation", "privacy", "no-remote-lock-unlock", "passage"]

    private static let answers = ["yes", "no"]
    /// The word for a lock that does not lock itself.
    private static let never = "never"

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
        case .autoRelock: .unit(.seconds, zero: Self.never)
        case .lockout: .unit(.seconds)
        case .volume: .words(Self.volumes)
        case .mode: .words(Self.modes)
        case .wrongCodeLimit, .pinForRemote, .language: .model
        }
    }

    /// Its value on a lock.
    public var reading: Reading { Reading(DoorLock.id, attribute, rawValue, scale) }

    /// Words that it may be set to; none for a number, a time or a language.
    public var offers: [String] {
        switch self {
        case .autoRelock: [Self.never]
        case .mode: Self.modes
        case .pinForRemote: Self.answers
        case .volume: ["silent", "low", "medium", "high"]
        case .wrongCodeLimit, .lockout, .language: []
        }
    }

    /// The value of a word: `3`, `30s`, `never`, `vacation`, `yes`, `low`.
    fileprivate func value(_ word: String) throws(ControllerError) -> TLVValue {
        if self == .volume, let number = Self.volumes.firstIndex(of: word) { return .uint(UInt64(number)) }
        if self == .autoRelock, word == Self.never { return .uint(0) }
        if self == .pinForRemote, Self.answers.contains(word) { return .bool(word == "yes") }
        if self == .volume, UInt64(word) == nil {
            let words = offers.map { "'\($0)'" }.joined(separator: ", ")
            throw ControllerError(.outOfLimits, "\(rawValue): expected one of \(words), not '\(word)'")
        }
        guard var type = reading.type else { throw ControllerError(.outOfLimits, "\(rawValue) is not known") }
        if case .unit(let unit, _) = scale { type.unit = unit }
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

    /// The commands for a device with these facts.
    ///
    /// - Throws: ``ControllerError`` if the device cannot do it.
    public func request(_ facts: DeviceFacts) throws(ControllerError) -> DeviceRequest {
        try facts.require(setting.attribute, "setting '\(setting.rawValue)'")
        return DeviceRequest(write: setting.attribute, value)
    }
}
