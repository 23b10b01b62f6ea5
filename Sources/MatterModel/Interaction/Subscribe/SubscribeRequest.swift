package import MatterBase

/// Asks for reports of attributes and events whenever they change (Matter core specification 10.7.4).
public struct SubscribeRequest: InteractionMessage {
    package static let opcode = InteractionModelOpcode.subscribeRequest

    /// True if the subscriber's other subscriptions live on.
    package var keepsSubscriptions: Bool
    /// The least time between reports, in seconds.
    package var minIntervalFloor: UInt16
    /// The most time between reports that the subscriber wants, in seconds.
    public var maxIntervalCeiling: UInt16
    package var attributePaths: [AttributePath]
    package var eventPaths: [EventPath]
    package var eventFilters: [EventFilter]
    /// True if entries of other fabrics are left out of fabric-scoped lists.
    package var isFabricFiltered: Bool
    package var dataVersionFilters: [DataVersionFilter]

    // memberwise: public, keepsSubscriptions = true, eventPaths = [], eventFilters = [], isFabricFiltered = true,
    //     dataVersionFilters = []

    package init(fields: TLVFields) throws(TLVError) {
        keepsSubscriptions = try fields.bool(0)
        minIntervalFloor = try fields.unsigned(1)
        maxIntervalCeiling = try fields.unsigned(2)
        attributePaths = try fields.blocks(3)
        eventPaths = try fields.blocks(4)
        eventFilters = try fields.blocks(5)
        isFabricFiltered = try fields.bool(7)
        dataVersionFilters = try fields.blocks(8)
    }

    package var members: [TLVElement] {
        [
            .bool(0, keepsSubscriptions), .unsigned(1, minIntervalFloor), .unsigned(2, maxIntervalCeiling),
            .blocksIfAny(3, attributePaths), .blocksIfAny(4, eventPaths), .blocksIfAny(5, eventFilters),
            .bool(7, isFabricFiltered), .blocksIfAny(8, dataVersionFilters),
        ].compactMap { $0 }
    }

    /// - Throws: what makes the request one that cannot be sent.
    func check(maxPayload: Int) throws(InteractionError) {
        guard minIntervalFloor <= maxIntervalCeiling else {
            throw InteractionError(
                .invalidRequest,
                "a subscription with at least \(minIntervalFloor) s and at most \(maxIntervalCeiling) s")
        }
        guard !attributePaths.isEmpty || !eventPaths.isEmpty else {
            throw InteractionError(.invalidRequest, "a subscription without paths")
        }
        if let path = attributePaths.first(where: { !$0.isReadable }) {
            throw InteractionError(
                .invalidRequest, "\(path): a path for all clusters can only name a global attribute")
        }
        guard encoded().count <= maxPayload else {
            throw InteractionError(.requestTooLarge, "a SubscribeRequest that does not fit \(maxPayload) bytes")
        }
    }
}

/// Completes a subscription (Matter core specification 10.7.5).
package struct SubscribeResponse: InteractionMessage {
    package static let opcode = InteractionModelOpcode.subscribeResponse

    package var subscriptionID: UInt32
    /// The most time between reports that the publisher promises, in seconds.
    package var maxInterval: UInt16

    // memberwise: package

    package init(fields: TLVFields) throws(TLVError) {
        subscriptionID = try fields.unsigned(0)
        maxInterval = try fields.unsigned(2)
    }

    package var members: [TLVElement] { [.unsigned(0, subscriptionID), .unsigned(2, maxInterval)] }
}
