// swift-tools-version: 6.2
import PackageDescription

/// The cost of every program in Swift: the bench builds it with the flags of the release.
let package = Package(
    name: "empty",
    targets: [.executableTarget(name: "empty", swiftSettings: [.unsafeFlags(["-parse-as-library"])])])
