import MatterController

/// The next step after a status of the Interaction Model (Matter core specification, section 8.10).
enum StatusAdvice {
    /// - Parameter place: the element that the status is about.
    /// - Returns: `nil` for a code that has no name here, and where something better is known: a refused access.
    static func remedy(for status: IMStatus, _ target: NodeTarget?, at place: ElementPath?) -> String? {
        let words = place?.text(.attribute, in: .standard).split(separator: "/").map(String.init) ?? []
        let values = target.map { [$0.argument] + (words.count == 3 ? ["\(words[0])/\(words[1])", words[1]] : []) }
        let isBolt = place?.cluster == DoorLock.id && status == .failure
        guard let text = Hints.text(forID: isBolt ? "lock.refused" : "im.\(status)", values ?? []) else { return nil }
        // A command with a gap cannot be pasted.
        guard text.contains("{") else { return text }
        return text.split(separator: ";").first.flatMap { $0.contains("{") ? nil : String($0) }
    }

    /// An alternative to writing an attribute that the catalogue knows as read-only.
    static func instead(
        ofWriting attribute: AttributeDefinition, at path: ElementPath, _ value: String, _ target: NodeTarget
    ) -> String {
        let name = NameStyle.kebab(attribute.name)
        guard let endpoint = path.endpoint, let cluster = path.cluster else { return "\(name) is read-only" }
        let node = ShellWord.quoted("\(target.word)/\(endpoint)")
        func invoke(_ command: String) -> String { "matterctl invoke \(target.argument) \(endpoint)/\(command)" }
        let command: String?
        switch (cluster, attribute.id) {
        case (0x0006, 0x0000):
            let isOff = ["false", "off", "no", "0"].contains(value.lowercased())
            command = "matterctl \(isOff ? "off" : "on") \(node)"
        case (0x0008, 0x0000): command = "matterctl level \(node) \(ShellWord.quoted(value))"
        case (0x0101, 0x0000): command = invoke("door-lock/lock-door")
        case (0x0102, 0x000E): command = invoke("window-covering/go-to-lift-percentage")
        case (0x0102, 0x000F): command = invoke("window-covering/go-to-tilt-percentage")
        case (0x0300, 0x0000): command = invoke("color-control/move-to-hue")
        case (0x0300, 0x0001): command = invoke("color-control/move-to-saturation")
        case (0x0300, 0x0003), (0x0300, 0x0004): command = invoke("color-control/move-to-color")
        case (0x0300, 0x0007): command = invoke("color-control/move-to-color-temperature")
        default: command = nil
        }
        if let command { return "\(name) is read-only; use: \(command)" }
        let clusterName = path.text(.attribute, in: .standard).split(separator: "/").dropFirst().first.map(String.init)
        return "\(name) is read-only; see what changes it: matterctl clusters \(clusterName ?? hexadecimal(cluster))"
    }
}

/// An error with a next step that only its command knows; it comes behind the error's own.
struct AdvisedError: Error {
    let error: any Error
    let advice: String
}
