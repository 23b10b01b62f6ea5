import MatterController

/// `commission --check`.
extension Commission {
    /// - Throws: the first problem, after all of them were printed.
    func checkOnly(_ context: CommandContext) async throws {
        let request = try payload == nil ? nil : requests(context).first
        let results = try await context.controller.commissioning.readiness(
            for: commissionOptions(), name: name, room: room, ways: ways(of: request), deadline: context.deadline)
        context.console.result(
            results.map { result in
                let error = result.failure.map { ErrorReport($0) }
                return Report {
                    Field("check", result.check.rawValue, column: "CHECK")
                    Field(
                        "result", error == nil ? "ready" : result.isNeeded ? "failed" : "missing", column: "RESULT")
                    Field("note", result.note.isEmpty ? nil : result.note)
                    Field(column: "NOTE", [error?.message ?? result.note])
                    Field(
                        "error",
                        error.map { error in
                            Report {
                                Field("id", error.id)
                                Field("message", error.message)
                            }
                        })
                }
            })
        if let failure = results.lazy.filter(\.isNeeded).compactMap(\.failure).first { throw failure }
    }

    /// How a device can be found; without a code, either way.
    private func ways(of request: CommissioningRequest?) -> [CommissioningWay] {
        guard options.address == nil else { return [.ip] }
        guard let request else { return way.via.map { [$0] } ?? CommissioningWay.allCases }
        // A device that its code has on Bluetooth alone is looked for on the network only because it may have joined already.
        if way.via == nil, let known = request.capabilities, known.contains(.ble), !known.contains(.onNetwork) {
            return [.ble]
        }
        return request.ways(hasBluetooth: true)
    }
}
