/// What this build is.
enum Version {
    static let number = "0.1.0"
    static let text = "matterctl \(number)"
}
