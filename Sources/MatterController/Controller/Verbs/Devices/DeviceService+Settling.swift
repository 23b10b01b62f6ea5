import MatterState

/// The state that a verb has made of an endpoint, read back.
public struct SettledState: Sendable {
    /// The attribute that tells most first; several for what takes several to say, as a colour does.
    public let paths: [ConcreteAttributePath]
    /// In the order of the paths.
    public let reports: [AttributeReport]
    /// The device's name for the first value, if that is known.
    public let name: String?
    /// Of a level: false if the light is off, so that the level is none.
    public let isLit: Bool?
    /// False if the time was over while the device was on its way.
    public let isSettled: Bool
}

/// Judges when the change that a request has started is over: the value is the wanted one, or it has stopped to change.
struct Settling {
    private let goals: [TLVValue?]
    /// The end of the transition.
    let end: Instant
    private let pause: Duration
    private var last: [TLVValue?]?
    private var quietSince: Instant

    init(_ request: DeviceRequest, at now: Instant) {
        goals = request.aims.map(\.goal)
        end = now + request.transition
        pause = request.pause
        quietSince = end
    }

    /// - Parameter values: of what the request changes, in its order.
    mutating func isOver(_ values: [TLVValue?], at now: Instant) -> Bool {
        guard !goals.contains(nil), !values.contains(nil) else { return now >= end }
        if values != last {
            last = values
            quietSince = max(end, now)
        }
        return values == goals || now >= quietSince + pause
    }
}

extension DeviceService {
    private static let look = Duration.milliseconds(400)

    /// Reads the state that a request leads to, once the change that it started is over or the time is.
    ///
    /// - Throws: ``ControllerError`` if the node refuses or cannot do it, ``SessionError`` if it does not answer.
    public func state(
        after request: DeviceRequest, to cluster: ClusterID, at place: ServingEndpoint, budget: Budget
    ) async throws -> SettledState {
        let wanted = request.aims.map {
            ConcreteAttributePath(endpoint: place.endpoint, cluster: cluster, attribute: $0.attribute)
        }
        let light = ConcreteAttributePath(
            endpoint: place.endpoint, cluster: OnOff.id, attribute: OnOff.Attribute.onOff)
        let paths = wanted.map { AttributePath($0) } + (request.dependsOnLight ? [AttributePath(light)] : [])
        let deadline = budget.deadline(for: place.node, work: request.transition + request.pause)
        var settling = Settling(request, at: options.time.now)
        var known: ReadResult?
        func state(_ result: ReadResult, isSettled: Bool) -> SettledState {
            SettledState(
                paths: wanted, reports: wanted.flatMap { path in result.attributes.filter { $0.path == path } },
                name: wanted.first.flatMap { result.attribute($0)?.value } == request.goal ? request.goalName : nil,
                isLit: request.dependsOnLight && result.attribute(light)?.value == .bool(false) ? false : nil,
                isSettled: isSettled)
        }
        while true {
            let result: ReadResult
            do {
                result = try await place.link.read(paths, deadline: deadline)
            } catch let error as TransportError where error.isLoss {
                // The last look is as late as can be; what the one before saw is more than nothing.
                guard let known else { throw error }
                return state(known, isSettled: false)
            }
            known = result
            let now = options.time.now
            let isOver = settling.isOver(wanted.map { result.attribute($0)?.value }, at: now)
            let wait = max(Self.look, min(settling.end - now, deadline - now - Self.look * 2))
            guard !isOver, now + wait + Self.look < deadline else { return state(result, isSettled: isOver) }
            try await options.time.sleep(for: wait)
        }
    }
}
