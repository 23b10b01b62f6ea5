import MatterCrypto
import MatterModel

/// The observations on a device, from which its cases are judged.
struct DeviceCheckFacts: Sendable {
    /// Something that was tried, or not.
    enum Tried<Value: Sendable>: Sendable {
        case not(String)
        case failed(String)
        case done(Value)
    }

    /// The advertisement of a device that is open for commissioning.
    struct Advertisement: Sendable, Equatable {
        var instance = ""
        var addresses: [String] = []
        var discriminator: UInt16?
        var vendorID: UInt16?
        var productID: UInt16?
        var time = Duration.zero
    }

    struct Commissioning: Sendable {
        var vendorID: UInt16?
        var productID: UInt16?
        var address = ""
        var stages: [StageTime] = []
        var total = Duration.zero
    }

    /// A fault of the radio that was played, and how the device got on.
    struct Loss: Sendable, Equatable {
        var script: LossScript
        var asked = 0
        var answered = 0
        var datagrams = 0
        var faults = 0
        var time = Duration.zero
        /// The first failure.
        var failure: String?
    }

    struct Window: Sendable, Equatable {
        /// The states that the device told: after it was opened, and after it was closed.
        var opened = WindowState.Mode.closed
        var closed = WindowState.Mode.closed
        /// How long opening took.
        var time = Duration.zero
    }

    struct Second: Sendable, Equatable {
        var total = Duration.zero
        /// The device's numbers for the two fabrics.
        var indices: [UInt8] = []
        /// Whether each read what the other one wrote.
        var sharesChanges = false
    }

    struct Removal: Sendable, Equatable {
        /// Whether a removed fabric may still come in.
        var admitsOld = false
        /// Whether the device is open for commissioning with its own code again.
        var isOpen = false
        var time = Duration.zero
    }

    var code: SetupPayload
    var discovery = Tried<Advertisement>.not("")
    var commissioning = Tried<Commissioning>.not("")
    var attestation = Tried<AttestationReport>.not("")
    var conformance = Tried<ConformanceReport>.not("")
    var loss = Tried<[Loss]>.not("")
    var window = Tried<Window>.not("")
    var second = Tried<Second>.not("")
    var removal = Tried<Removal>.not("")
}

/// A fault of the radio that can be played on our own link.
enum LossScript: Sendable, Equatable {
    /// Of our datagrams, every one of so many is not sent.
    case losesOurs(every: Int)
    /// Of the device's datagrams, every one of so many is not heard.
    case losesTheirs(every: Int)
    /// Each of our datagrams is sent twice.
    case duplicates
    /// Nothing comes through for so long.
    case silence(Duration)

    static let all: [LossScript] = [.losesOurs(every: 3), .losesTheirs(every: 3), .duplicates, .silence(.seconds(2))]

    var text: String {
        switch self {
        case .losesOurs(let number): "one of \(number) of our datagrams is lost"
        case .losesTheirs(let number): "one of \(number) of the device's datagrams is lost"
        case .duplicates: "each of our datagrams comes twice"
        case .silence(let time): "nothing comes through for \(DurationText.format(time))"
        }
    }
}
