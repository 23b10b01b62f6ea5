import CAvahi

/// One published service: an Avahi entry group, made again whenever the daemon or its host name has changed.
///
/// Lives inside ``AvahiConnection`` and is used on the loop's thread only.
final class AvahiPublication {
    private struct Group {
        let pointer: OpaquePointer
        let user: UnsafeMutableRawPointer
    }

    /// How many random names to try at a time; that even one is taken is next to impossible.
    private static let attemptLimit = 3

    let id: Int
    /// The name of the instance; another one after a collision, if we chose it.
    private(set) var instance: String
    private var service: ServicePublication
    private var group: Group?
    private var isCommitted = false
    /// How probing has ended; `nil` while it is under way.
    private(set) var outcome: Result<Void, DiscoveryError>?
    /// Those who wait for the outcome.
    var waiting: [Int: CheckedContinuation<Void, any Error>] = [:]

    init(id: Int, _ service: ServicePublication) {
        self.id = id
        self.service = service
        instance = service.instance ?? Self.randomInstance()
    }

    private static func randomInstance() -> String {
        MatterService.hexadecimal(UInt64.random(in: UInt64.min...UInt64.max))
    }

    /// Hands the records to the daemon, which then probes for their names and announces them.
    ///
    /// - Throws: `collision` where this host publishes the instance already, `refused` for everything else.
    func commit(_ connection: isolated AvahiConnection, _ client: OpaquePointer) throws(DiscoveryError) {
        guard !isCommitted else { return }
        let library = connection.library
        if group == nil {
            let user = AvahiCallback(connection, owner: id, .group).retained()
            guard let pointer = cavahi_group_new(library.handle, client, AvahiCallback.group, user) else {
                AvahiCallback.release(user)
                throw refusal(library, cavahi_client_errno(library.handle, client))
            }
            group = Group(pointer: pointer, user: user)
        }
        guard let group else { return }
        outcome = nil
        let txt = service.txt.encoded
        var error: Int32
        var attempts = 0
        repeat {
            attempts += 1
            error = cavahi_group_add_service(
                library.handle, group.pointer, instance, service.type, service.port, txt, txt.count)
            for subtype in service.subtypes where error == 0 {
                error = cavahi_group_add_subtype(
                    library.handle, group.pointer, instance, service.type,
                    MatterService.subtype(subtype, of: service.type))
            }
            if error == 0 { error = cavahi_group_commit(library.handle, group.pointer) }
            if error != 0 { _ = cavahi_group_reset(library.handle, group.pointer) }
        } while Int(error) == CAVAHI_ERR_COLLISION && attempts < Self.attemptLimit && rename()
        guard error == 0 else { throw refusal(library, error) }
        isCommitted = true
    }

    /// Does the same if no caller waits for the error.
    func recommit(_ connection: isolated AvahiConnection, _ client: OpaquePointer) {
        do {
            try commit(connection, client)
        } catch {
            finish(.failure(error))
        }
    }

    func update(
        txt: TXTRecord, subtypes: [String]?, _ connection: isolated AvahiConnection, _ client: OpaquePointer?
    ) throws(DiscoveryError) {
        let hasNewSubtypes = subtypes.map { Set($0) != Set(service.subtypes) } ?? false
        let hasNewText = txt != service.txt
        service.txt = txt
        service.subtypes = subtypes ?? service.subtypes
        // A change that is not committed yet will be with the new values.
        guard isCommitted, let group, let client else { return }
        if hasNewSubtypes {
            reset(connection)
            return try commit(connection, client)
        }
        guard hasNewText else { return }
        let library = connection.library
        let data = txt.encoded
        let error = cavahi_group_update_txt(
            library.handle, group.pointer, instance, service.type, data, data.count)
        guard error == 0 else { throw refusal(library, error) }
    }

    /// Takes the records back, to commit them again later.
    func reset(_ connection: isolated AvahiConnection) {
        guard let group, isCommitted else { return }
        _ = cavahi_group_reset(connection.library.handle, group.pointer)
        isCommitted = false
    }

    /// Gives the group up without forgetting the service: the connection ends.
    func detach(_ connection: isolated AvahiConnection) {
        isCommitted = false
        guard let group else { return }
        cavahi_group_free(connection.library.handle, group.pointer)
        AvahiCallback.release(group.user)
        self.group = nil
    }

    /// Takes the service back for good; the daemon says goodbye for it.
    func withdraw(_ connection: isolated AvahiConnection) {
        detach(connection)
        finish(.failure(DiscoveryError(.refused, "the service was withdrawn before it was established")))
    }

    func groupChanged(_ state: Int32, _ connection: isolated AvahiConnection, _ client: OpaquePointer) {
        switch Int(state) {
        case CAVAHI_GROUP_ESTABLISHED: finish(.success(()))
        case CAVAHI_GROUP_COLLISION:
            // The daemon has taken the records back by itself.
            reset(connection)
            if rename() {
                recommit(connection, client)
            } else {
                finish(.failure(collision))
            }
        case CAVAHI_GROUP_FAILURE:
            finish(.failure(refusal(connection.library, cavahi_client_errno(connection.library.handle, client))))
        default: break
        }
    }

    /// Takes another name, if the name was ours to choose.
    private func rename() -> Bool {
        guard service.instance == nil else { return false }
        instance = Self.randomInstance()
        return true
    }

    private func finish(_ outcome: Result<Void, DiscoveryError>) {
        self.outcome = outcome
        let waiting = waiting
        self.waiting = [:]
        for continuation in waiting.values { continuation.resume(with: outcome.mapError { $0 as any Error }) }
    }

    private var collision: DiscoveryError {
        DiscoveryError(.collision, "'\(instance).\(service.type)' is already advertised by another program")
    }

    private func refusal(_ library: AvahiLibrary, _ error: Int32) -> DiscoveryError {
        Int(error) == CAVAHI_ERR_COLLISION
            ? collision
            : DiscoveryError(
                .refused, "avahi-daemon refuses to advertise '\(instance).\(service.type)': \(library.words(error))")
    }
}
