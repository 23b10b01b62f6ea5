import MatterCrypto

/// Which state directory a fabric's record was written in, and how far it had come: what tells a copy, or a backup that
/// was restored, from the original.
package struct FabricOrigin: Equatable, Sendable {
    /// A digest of the machine's id; `nil` on machines without one.
    package var machine: String?
    /// The file system and the folder, as ``StatePlace`` has them.
    package var device: UInt64
    var fileSystem: UInt64
    var inode: UInt64
    /// Grows by one with each node id that is given out. It is repeated outside of the state directory.
    var generation: UInt64

    init(_ place: StatePlace, generation: UInt64) {
        machine = place.machine.map(Self.digest)
        device = place.device
        fileSystem = place.fileSystem
        inode = place.inode
        self.generation = generation
    }

    /// A digest in place of the id of a machine, which is not for files that may be shown around (machine-id(5)).
    static func digest(_ machine: String) -> String {
        var number: UInt64 = 0
        for octet in SHA256.hash(Array("matterctl \(machine)".utf8))[..<8] { number = number << 8 | UInt64(octet) }
        return Hex.number(number, digits: 16)
    }

    init(_ fields: RecordFields) throws(RecordError) {
        machine = try fields.optionalString("machine")
        device = try fields.integer("device")
        fileSystem = try fields.optionalInteger("fileSystem") ?? 0
        inode = try fields.integer("inode")
        generation = try fields.integer("generation")
    }

    var json: JSONValue {
        var object: JSONObject = [
            "device": .id(device), "fileSystem": .id(fileSystem), "inode": .id(inode), "generation": .id(generation),
        ]
        object["machine"] = machine.map { .string($0) }
        return .object(object)
    }

    /// True if both are the same folder of the same machine. Some file systems get another device number at each start
    /// of the machine, and others another name: one of both is enough.
    func isSamePlace(as other: FabricOrigin) -> Bool {
        machine == other.machine && inode == other.inode
            && (device == other.device || fileSystem != 0 && fileSystem == other.fileSystem)
    }
}
