/// What this build is.
enum Version {
    static let text = "matterctl 0.1.0"
}
