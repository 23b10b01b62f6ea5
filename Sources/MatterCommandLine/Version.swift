/// What this build is.
package enum Version {
    package static let number = "0.1.0"
    static let text = "matterctl \(number)"
}
