// swift-tools-version: 6.2
import PackageDescription

// The library's own choice is a static libcrypto; a program that uses the library takes the system's.
let package = Package(
    name: "Examples",
    dependencies: [.package(name: "matterctl", path: "../..", traits: [])],
    targets: [
        "commission", "fan-by-sensor", "house-monitor", "issuer", "motion-light", "thermostat", "toggle-and-read",
        "wifi-over-bluetooth",
    ].map {
        .executableTarget(
            name: $0,
            dependencies: ["MatterController", "MatterClusters"].map { .product(name: $0, package: "matterctl") })
    } + [
        // The calls of no example, for the tests.
        .executableTarget(
            name: "outside",
            dependencies: ["MatterController", "MatterClusters"].map { .product(name: $0, package: "matterctl") },
            path: "Outside")
    ]
)
