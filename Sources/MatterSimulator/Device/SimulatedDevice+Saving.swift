import MatterState

/// The state that a device keeps over a restart.
extension SimulatedDevice {
    /// Saves what has changed: fabrics at once, so that no peer believes in one that a power cut takes away; attributes soon
    /// after, since there may be many changes in a row. Who has written or stored something waits for that: see
    /// ``saved()``.
    func save() {
        let parts = node.takeUnsaved()
        if parts.contains(.fabrics) { followGroups() }
        guard let store = surroundings.store, !parts.isEmpty else { return }
        if parts.contains(.states) { hasUnsavedStates = true }
        if parts.contains(.fabrics) { attempt { try store.save(fabrics: node.savedFabrics) } }
        if parts.contains(.eventNumber) {
            let number = node.reserveEventNumbers()
            attempt { try store.save(nextEventNumber: number) }
        }
        if parts.contains(.clusters) || parts.contains(.fabrics) { saveClusters(store) }
    }

    private func saveClusters(_ store: DeviceStore) {
        guard saving == nil else {
            isSavingAgain = true
            return
        }
        let clusters = node.savedClusters
        // Beside the work of the device.
        let writing = Task.detached(executorPreference: time.executor, priority: .utility) { () -> (any Error)? in
            do {
                try store.save(clusters: clusters)
                return nil
            } catch {
                return error
            }
        }
        saving = time.start { await self.finish(await writing.value, in: store) }
    }

    private func finish(_ failure: (any Error)?, in store: DeviceStore) {
        if let failure { reportFailure(failure) }
        saving = nil
        if isSavingAgain {
            isSavingAgain = false
            saveClusters(store)
        }
    }

    /// Waits until what has changed is saved.
    func saved() async {
        hasUnsavedStates = false
        // A save that is under way may have begun before the change; the one that follows it has not.
        for _ in 0..<2 { await saving?.value }
    }

    func saveResumptions() {
        guard let store = surroundings.store else { return }
        let records = resumptions.records
        attempt { try store.save(resumptions: records) }
    }

    func saveEverything() {
        guard let store = surroundings.store else { return }
        attempt {
            try store.save(fabrics: node.savedFabrics)
            try store.save(clusters: node.savedClusters)
            try store.save(resumptions: resumptions.records)
        }
    }

    private func attempt(_ body: () throws -> Void) {
        do { try body() } catch { reportFailure(error) }
    }

    private func reportFailure(_ error: any Error) {
        report("saving-failed", [("reason", .string("\(error)"))])
    }
}
