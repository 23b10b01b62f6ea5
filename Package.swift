// swift-tools-version: 6.2
import Glibc
import PackageDescription

/// Every target of ours is compiled alike: Swift 6 mode, explicit existentials, warnings as errors.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

/// Test builds (MATTERCTL_FUZZ): the virtual device can log digests of its session keys, for the reader of a capture.
let testBuild: [SwiftSetting] =
    Context.environment["MATTERCTL_FUZZ"] == nil ? [] : [.define("MATTERCTL_FUZZ")]

/// The trait StaticCrypto, on by default, links libcrypto statically (a cipher look-up costs half as much). A program that
/// uses the library opts out with `traits: []`; a packager can set MATTERCTL_DYNAMIC_OPENSSL=1 instead.
let staticCrypto = "StaticCrypto"
/// The trait Programs brings what only the programs of this package need: the argument parser, SwiftNIO for the server, and
/// the HTTP server of the emulator. It is off for a package that depends on this one by URL, and on in a clone, where
/// `swift build` builds matterctl. A dependency by path says `traits: []` (docs/decisions/0026-library.md).
let programs = "Programs"
/// The package manager reads the manifest of a dependency from a repository, whose folder is called "/", and from its checkout,
/// beside which it has its repositories.
let isDependency: Bool = {
    let folders = Context.packageDirectory.split(separator: "/")
    guard folders.count > 2 else { return folders.isEmpty }
    let scratch = "/" + folders.dropLast(2).joined(separator: "/")
    return folders[folders.count - 2] == "checkouts" && access(scratch + "/repositories", F_OK) == 0
}()
let standardTraits = Set(
    (Context.environment["MATTERCTL_DYNAMIC_OPENSSL"] == nil ? [staticCrypto] : []) + (isDependency ? [] : [programs]))

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict + testBuild)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies + ["TestSupport"], swiftSettings: strict)
}

/// Fuzzing: the decoders' entries and their corpus are a test target. With MATTERCTL_FUZZ set, the entries become the
/// program that libFuzzer drives instead (Tests/Fuzz/README.md), which needs `--sanitize=fuzzer`.
let fuzzDependencies: [Target.Dependency] = [
    "HouseServer", "JSON", "MatterBase", "MatterController", "MatterCrypto", "MatterLedger", "MatterModel",
    "MatterNetwork",
    "MatterState", "RainMaker", "TestSupport", nio("NIOCore"), nio("NIOEmbedded"), nio("NIOHTTP1"), nio("NIOWebSocket"),
]
let fuzz: Target =
    Context.environment["MATTERCTL_FUZZ"] == nil
    ? .testTarget(
        name: "FuzzTests", dependencies: fuzzDependencies, path: "Tests/Fuzz",
        exclude: ["corpus", "Main", "README.md"],
        sources: ["Entries", "Replay"], swiftSettings: strict)
    : .executableTarget(
        name: "matterctl-fuzz", dependencies: fuzzDependencies, path: "Tests/Fuzz",
        exclude: ["corpus", "Replay", "README.md"],
        sources: ["Entries", "Main"], swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])])

/// `make` builds the programs of docs/Examples with what it tests (MATTERCTL_WITH_EXAMPLES): the package they are does so as others
/// would, and compiles the library once more for it. They see its public names only, there and here.
let examples: [Target] =
    Context.environment["MATTERCTL_WITH_EXAMPLES"] == nil
    ? []
    : [
        "commission", "fan-by-sensor", "house-monitor", "issuer", "motion-light", "outside", "thermostat",
        "toggle-and-read",
        "wifi-over-bluetooth",
    ].map {
        .executableTarget(
            name: $0, dependencies: ["MatterController", "MatterClusters"],
            path: "docs/Examples/" + ($0 == "outside" ? "Outside" : "Sources/" + $0), packageAccess: false,
            swiftSettings: [.treatAllWarnings(as: .error)])
    }

let asn1: Target.Dependency = .product(name: "SwiftASN1", package: "swift-asn1")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let arguments: Target.Dependency = .product(
    name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: [programs]))
let flyingFox: Target.Dependency = .product(
    name: "FlyingFox", package: "FlyingFox", condition: .when(traits: [programs]))
let flyingSocks: Target.Dependency = .product(
    name: "FlyingSocks", package: "FlyingFox", condition: .when(traits: [programs]))

/// Parts of SwiftNIO, for `serve`.
func nio(_ product: String) -> Target.Dependency {
    .product(name: product, package: "swift-nio", condition: .when(traits: [programs]))
}

let package = Package(
    name: "matterctl",
    products: [
        .executable(name: "matterctl", targets: ["matterctl"]),
        .executable(name: "rainmaker-emulator", targets: ["rainmaker-emulator"]),
        .library(name: "MatterController", targets: ["MatterController"]),
        .library(name: "MatterClusters", targets: ["MatterClusters"]),
    ],
    traits: [
        .trait(name: staticCrypto, description: "Links libcrypto statically."),
        .trait(name: programs, description: "Builds matterctl and rainmaker-emulator."),
        .default(enabledTraits: standardTraits),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
    ],
    targets: [
        .target(
            name: "COpenSSL", linkerSettings: [.linkedLibrary(":libcrypto.a", .when(traits: [staticCrypto]))]),
        .systemLibrary(name: "DynamicCrypto"),
        .target(name: "CAvahi", dependencies: ["CProcess"]),
        .target(name: "CCurl"),
        .target(name: "CDBus", dependencies: ["CProcess"]),
        .target(name: "CProcess"),
        .target(name: "CQREncode"),
        module("JSON", []),
        module("MatterBase", ["JSON"]),
        module("MatterCrypto", ["COpenSSL", "DynamicCrypto", "JSON", "MatterBase", asn1]),
        module("MatterModel", ["JSON", "MatterBase"]),
        // Not used by the program itself: for programs that use the library.
        module("MatterClusters", ["MatterModel"]),
        module(
            "MatterNetwork",
            ["CAvahi", "CDBus", "CProcess", "JSON", "MatterBase", "MatterCrypto", "MatterModel", logging]),
        module("MatterState", ["CProcess", "JSON", "MatterBase", "MatterCrypto", "MatterModel", "MatterNetwork"]),
        module("MatterLedger", ["CCurl", "CProcess", "JSON", "MatterBase", "MatterCrypto", "MatterState", logging]),
        module(
            "MatterController",
            [
                "CProcess", "MatterBase", "MatterCrypto", "MatterLedger", "MatterModel", "MatterNetwork", "MatterState",
                logging,
            ]),
        module(
            "RainMaker",
            [
                "JSON", "MatterBase", "MatterController", "MatterCrypto", "MatterLedger", "MatterModel", "MatterState",
                logging,
            ]),
        module(
            "MatterSimulator",
            ["JSON", "MatterBase", "MatterCrypto", "MatterModel", "MatterNetwork", "MatterState", logging]),
        module("RainMakerEmulator", ["JSON", "MatterCrypto", "MatterState", flyingFox, flyingSocks]),
        .executableTarget(
            name: "rainmaker-emulator",
            dependencies: ["CProcess", "MatterState", "RainMakerEmulator", arguments],
            swiftSettings: strict),
        // The server and the command line see what every program sees of the library: its public names.
        .target(
            name: "HouseServer",
            dependencies: [
                "CProcess", "JSON", "MatterController", logging, nio("NIOCore"), nio("NIOHTTP1"), nio("NIOPosix"),
                nio("NIOWebSocket"),
            ],
            // Tests/Tools/generate_page.py makes a source of it.
            exclude: ["Web/page"], packageAccess: false, swiftSettings: strict),
        .target(
            name: "MatterCommandLine",
            dependencies: ["CProcess", "CQREncode", "HouseServer", "JSON", "MatterController", arguments, logging],
            packageAccess: false, swiftSettings: strict),
        module(
            "SimulatorCommandLine", ["MatterCommandLine", "MatterSimulator", arguments, logging]),
        module(
            "RainMakerCommandLine",
            [
                "MatterCommandLine", "MatterController", "MatterSimulator", "RainMaker", "SimulatorCommandLine",
                arguments,
                logging,
            ]),
        .executableTarget(
            name: "matterctl",
            dependencies: ["CProcess", "MatterCommandLine", "RainMakerCommandLine", "SimulatorCommandLine"],
            swiftSettings: strict),
        // For `make bench` only.
        .executableTarget(
            name: "engine-bench", dependencies: ["MatterCrypto", "MatterNetwork"], path: "Tests/Bench/Engine",
            swiftSettings: strict),
        .executableTarget(
            name: "attestation-bench",
            dependencies: ["MatterCrypto", "MatterLedger", "MatterState"],
            path: "Tests/Bench/Attestation", swiftSettings: strict),
        .executableTarget(
            name: "reading-bench", dependencies: ["MatterBase", "MatterModel"],
            path: "Tests/Bench/Reading", swiftSettings: strict),
        .target(name: "TestSupport", dependencies: ["JSON"], path: "Tests/TestSupport", swiftSettings: strict),
        .target(
            name: "MatterTestKit",
            dependencies: [
                "MatterBase", "MatterController", "MatterCrypto", "MatterModel", "MatterNetwork", "MatterState",
                "TestSupport", logging,
            ], path: "Tests/MatterTestKit", swiftSettings: strict),
        tests(
            "HouseServerTests",
            [
                "HouseServer", "JSON", "MatterController", "MatterModel", "MatterNetwork", "MatterTestKit", logging,
                nio("NIOCore"), nio("NIOPosix"),
            ]),
        tests("ProcessTests", ["CProcess"]),
        tests("MatterThreadsTests", ["CProcess", "MatterBase"]),
        tests("JSONTests", ["JSON"]),
        tests("MatterTLVTests", ["JSON", "MatterBase"]),
        tests("MatterCryptoTests", ["MatterCrypto"]),
        tests("MatterSetupPayloadTests", ["MatterBase", "MatterCrypto"]),
        tests("MatterStoreTests", ["MatterBase", "MatterState"]),
        tests("MatterHTTPTests", ["CCurl", "MatterBase", "MatterLedger", logging]),
        tests("MatterCredentialsTests", ["JSON", "MatterBase", "MatterCrypto"]),
        tests("MatterTransportTests", ["MatterCrypto", "MatterNetwork"]),
        tests("MatterDissectionTests", ["JSON", "MatterBase", "MatterCrypto", "MatterModel", "MatterNetwork"]),
        tests("MatterSecureChannelTests", ["MatterBase", "MatterCrypto", "MatterNetwork"]),
        tests("MatterInteractionTests", ["MatterBase", "MatterModel", "MatterNetwork"]),
        tests("MatterDataModelTests", ["JSON", "MatterBase", "MatterClusters", "MatterModel"]),
        tests("MatterBluetoothTests", ["MatterNetwork"]),
        tests("MatterDiscoveryTests", ["MatterBase", "MatterNetwork"]),
        tests(
            "MatterRecordsTests",
            ["JSON", "MatterBase", "MatterController", "MatterCrypto", "MatterNetwork", "MatterState", "MatterTestKit"]),
        tests(
            "MatterSessionTests",
            ["MatterBase", "MatterCrypto", "MatterModel", "MatterNetwork", "MatterState", "MatterTestKit", logging]),
        tests(
            "MatterCommissioningTests",
            [
                "MatterBase", "MatterController", "MatterCrypto", "MatterModel", "MatterNetwork", "MatterState",
                "MatterTestKit", logging,
            ]),
        tests(
            "MatterControllerTests",
            [
                "JSON", "MatterBase", "MatterClusters", "MatterController", "MatterCrypto", "MatterLedger",
                "MatterModel",
                "MatterNetwork",
                "MatterSimulator", "MatterState", "MatterTestKit",
            ]),
        tests(
            "MatterSimulatorTests",
            [
                "JSON", "MatterBase", "MatterCrypto", "MatterModel", "MatterNetwork", "MatterSimulator", "MatterState",
                "MatterTestKit",
            ]),
        tests(
            "RainMakerTests",
            [
                "JSON", "MatterBase", "MatterController", "MatterCrypto", "MatterLedger", "MatterModel",
                "MatterNetwork", "MatterState", "MatterTestKit", "RainMaker", "RainMakerEmulator", logging,
            ]),
        tests("RainMakerEmulatorTests", ["JSON", "MatterCrypto", "MatterLedger", "MatterState", "RainMakerEmulator"]),
        tests(
            "MatterLedgerTests",
            ["JSON", "MatterBase", "MatterCrypto", "MatterLedger", "MatterState", "MatterTestKit", logging]),
        tests(
            "MatterCommandLineTests",
            [
                "HouseServer", "JSON", "MatterBase", "MatterCommandLine", "MatterController", "MatterCrypto",
                "MatterLedger",
                "MatterModel", "MatterNetwork", "MatterSimulator", "MatterState", "MatterTestKit", "RainMaker",
                "RainMakerCommandLine", "RainMakerEmulator", "SimulatorCommandLine", arguments,
            ]),
        tests("EndToEndTests", ["MatterCrypto", "MatterModel", "MatterSimulator", "MatterTestKit"]),
        fuzz,
    ] + examples
)
