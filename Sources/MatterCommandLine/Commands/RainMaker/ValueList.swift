import JSON
import MatterCredentials
import MatterDataModel
import MatterRecords

/// What a command prints of several values: lines, or one object.
struct ValueList {
    private var object: JSONObject
    private var lines: [(name: String, value: String)] = []

    init(node: NodeRecord) { object = ["node": .id(node.nodeID.rawValue)] }

    /// - Parameters:
    ///   - key: in JSON.
    ///   - name: in text.
    mutating func add(_ key: String, _ name: String, _ value: JSONValue) {
        object[key] = value
        lines.append((name, value.stringValue ?? value.serialized()))
    }

    func print(_ console: Console) {
        if console.isJSON { return console.result(.object(object)) }
        for line in lines { console.result("\(line.name)\t\(TerminalText.escaped(line.value))") }
    }
}
