public import MatterBase

/// One attribute to be set (Matter core specification, chapter 8).
public struct AttributeWrite: Hashable, Sendable {
    /// Absent only for a group.
    package var endpoint: EndpointID?
    /// The cluster.
    public var cluster: ClusterID
    /// The attribute.
    public var attribute: AttributeID
    /// The new value; a list is an array, given whole.
    public var value: TLVValue
    /// Write only if the cluster's data still has this version.
    package var dataVersion: UInt32?

    // memberwise: public, dataVersion = nil

    /// A write of a value; with a version, only if the cluster still has that one.
    public init(_ path: ConcreteAttributePath, value: TLVValue, dataVersion: UInt32? = nil) {
        self.init(
            endpoint: path.endpoint, cluster: path.cluster, attribute: path.attribute, value: value,
            dataVersion: dataVersion)
    }

    /// Where it is written.
    public var path: AttributePath { AttributePath(endpoint: endpoint, cluster: cluster, attribute: attribute) }
}

/// The result of one ``AttributeWrite`` (Matter core specification, chapter 8).
public struct AttributeWriteResult: Hashable, Sendable {
    package var path: AttributePath
    /// The first failure among the parts of the write, or success.
    public var status: StatusIB
}

/// A piece of an ``AttributeWrite`` that one AttributeDataIB carries, encoded.
struct WriteBlock: Sendable {
    /// The position of the write it belongs to.
    var write: Int
    var isAppend: Bool
    var encoded: [UInt8]

    /// The pieces of a write in order, each fit for a message of its own.
    ///
    /// A list becomes an empty one and its items one by one, as the reference client does. Where the list must not be
    /// short of items in between – access control – or where the write hangs on a data version, which the first piece
    /// changes, the first piece holds as many items as fit, and only that one names the version.
    ///
    /// - Parameter room: the bytes that a message has for blocks.
    static func blocks(of write: AttributeWrite, at position: Int, room: Int) throws(InteractionError) -> [WriteBlock] {
        func block(_ data: TLVValue, isAppend: Bool) throws(InteractionError) -> WriteBlock {
            var path = write.path
            if isAppend { path.listIndex = .append }
            let data = AttributeDataIB(dataVersion: isAppend ? nil : write.dataVersion, path: path, data: data)
            let encoded = data.encodedMember()
            guard encoded.count <= room else {
                throw InteractionError(
                    .requestTooLarge, "\(write.path): \(encoded.count) bytes do not fit the \(room) of a message")
            }
            return WriteBlock(write: position, isAppend: isAppend, encoded: encoded)
        }
        guard case .array(let items) = write.value else { return [try block(write.value, isAppend: false)] }
        let empty = try block(.array([]), isAppend: false)
        var first = 0
        if write.cluster == AccessControl.id || write.dataVersion != nil {
            var left = room - empty.encoded.count
            for item in items {
                left -= item.encoded().count
                guard left >= 0 else { break }
                first += 1
            }
            guard first > 0 || items.isEmpty || write.cluster != AccessControl.id else {
                throw InteractionError(
                    .requestTooLarge, "\(write.path): the first entry does not fit the \(room) bytes of a message")
            }
        }
        var blocks = [first == 0 ? empty : try block(.array(Array(items[..<first])), isAppend: false)]
        for item in items[first...] { blocks.append(try block(item.value, isAppend: true)) }
        return blocks
    }
}
