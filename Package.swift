// swift-tools-version: 6.2
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
let standardTraits: Set<String> = Context.environment["MATTERCTL_DYNAMIC_OPENSSL"] == nil ? [staticCrypto] : []

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict + testBuild)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies + ["TestSupport"], swiftSettings: strict)
}

/// Fuzzing: the decoders' entries and their corpus are a test target. With MATTERCTL_FUZZ set, the entries become the
/// program that libFuzzer drives instead (Tests/Fuzz/README.md), which needs `--sanitize=fuzzer`.
let fuzzDependencies: [Target.Dependency] = [
    "JSON", "MatterCommissioning", "MatterCredentials", "MatterCrypto", "MatterDataModel", "MatterDiscovery",
    "MatterHTTP", "MatterInteraction", "MatterLedger", "MatterRecords", "MatterSecureChannel", "MatterSession",
    "MatterSetupPayload", "MatterStore", "MatterTLV", "MatterTransport", "RainMaker", "TestSupport",
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

let asn1: Target.Dependency = .product(name: "SwiftASN1", package: "swift-asn1")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let flyingFox: Target.Dependency = .product(name: "FlyingFox", package: "FlyingFox")
let flyingSocks: Target.Dependency = .product(name: "FlyingSocks", package: "FlyingFox")

let package = Package(
    name: "matterctl",
    products: [
        .executable(name: "matterctl", targets: ["matterctl"]),
        .executable(name: "rainmaker-emulator", targets: ["rainmaker-emulator"]),
        .library(name: "MatterController", targets: ["MatterController"]),
    ],
    traits: [
        .trait(name: staticCrypto, description: "Links libcrypto statically."),
        .default(enabledTraits: standardTraits),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1", exact: "1.7.4"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/swhitty/FlyingFox", exact: "0.27.1"),
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
        module("MatterErrors"),
        module("MatterThreads"),
        module("JSON", ["MatterErrors"]),
        module("MatterTLV", ["JSON", "MatterErrors"]),
        module("MatterCrypto", ["COpenSSL", "DynamicCrypto", "JSON", "MatterErrors"]),
        module("MatterSetupPayload", ["JSON", "MatterErrors", "MatterTLV"]),
        module("MatterStore", ["CProcess", "JSON", "MatterErrors"]),
        module("MatterHTTP", ["CCurl", "CProcess", "MatterErrors", logging]),
        module("MatterCredentials", ["JSON", "MatterCrypto", "MatterErrors", "MatterTLV", asn1]),
        module("MatterTransport", ["CProcess", "MatterCrypto", "MatterErrors"]),
        module(
            "MatterSecureChannel",
            ["MatterCredentials", "MatterCrypto", "MatterErrors", "MatterTLV", "MatterTransport"]),
        module("MatterBluetooth", ["CDBus", "MatterErrors", "MatterThreads", "MatterTransport"]),
        module("MatterDataModel", ["JSON", "MatterErrors", "MatterTLV"]),
        module("MatterInteraction", ["JSON", "MatterDataModel", "MatterErrors", "MatterTLV"]),
        module("MatterDiscovery", ["CAvahi", "JSON", "MatterErrors", "MatterThreads", logging]),
        module(
            "MatterSession",
            [
                "MatterCredentials", "MatterCrypto", "MatterDiscovery", "MatterErrors", "MatterInteraction",
                "MatterSecureChannel", "MatterTransport", logging,
            ]),
        module(
            "MatterRecords",
            [
                "JSON", "MatterCredentials", "MatterCrypto", "MatterDataModel", "MatterErrors", "MatterSecureChannel",
                "MatterSession", "MatterSetupPayload", "MatterStore", "MatterTLV", "MatterTransport",
            ]),
        module(
            "MatterCommissioning",
            [
                "JSON", "MatterCredentials", "MatterCrypto", "MatterDataModel", "MatterDiscovery", "MatterErrors",
                "MatterInteraction", "MatterRecords", "MatterSecureChannel", "MatterSession", "MatterSetupPayload",
                "MatterTLV", "MatterTransport", logging,
            ]),
        module(
            "MatterLedger",
            ["JSON", "MatterCredentials", "MatterCrypto", "MatterErrors", "MatterHTTP", "MatterStore", logging]),
        module(
            "MatterController",
            [
                "CProcess", "JSON", "MatterBluetooth", "MatterCommissioning", "MatterCredentials", "MatterCrypto",
                "MatterDataModel", "MatterDiscovery", "MatterErrors", "MatterInteraction", "MatterLedger",
                "MatterRecords", "MatterSecureChannel", "MatterSession", "MatterSetupPayload", "MatterStore",
                "MatterTLV", "MatterTransport", logging,
            ]),
        module(
            "RainMaker",
            [
                "JSON", "MatterController", "MatterCredentials", "MatterCrypto", "MatterDataModel", "MatterErrors",
                "MatterHTTP", "MatterInteraction", "MatterRecords", "MatterSession", "MatterStore", "MatterTLV",
                "MatterTransport", logging,
            ]),
        module(
            "MatterSimulator",
            [
                "JSON", "MatterCredentials", "MatterCrypto", "MatterDataModel", "MatterDiscovery", "MatterErrors",
                "MatterInteraction", "MatterSecureChannel", "MatterSession", "MatterStore", "MatterTLV",
                "MatterTransport", logging,
            ]),
        module(
            "RainMakerEmulator", ["JSON", "MatterCredentials", "MatterCrypto", "MatterStore", flyingFox, flyingSocks]),
        .executableTarget(
            name: "rainmaker-emulator",
            dependencies: ["CProcess", "MatterCredentials", "MatterStore", "RainMakerEmulator", arguments],
            swiftSettings: strict),
        module(
            "MatterCommandLine",
            [
                "CProcess", "CQREncode", "JSON", "MatterBluetooth", "MatterCommissioning", "MatterController",
                "MatterCredentials", "MatterCrypto", "MatterDataModel", "MatterDiscovery", "MatterErrors", "MatterHTTP",
                "MatterInteraction", "MatterLedger", "MatterRecords", "MatterSecureChannel", "MatterSession",
                "MatterSetupPayload", "MatterSimulator", "MatterStore", "MatterTLV", "MatterTransport", arguments,
                logging,
            ]),
        module(
            "RainMakerCommandLine",
            [
                "JSON", "MatterCommandLine", "MatterController", "MatterCredentials", "MatterCrypto", "MatterDataModel",
                "MatterErrors", "MatterHTTP", "MatterRecords", "MatterSimulator", "MatterStore", "MatterTransport",
                "RainMaker", arguments, logging,
            ]),
        .executableTarget(
            name: "matterctl", dependencies: ["CProcess", "MatterCommandLine", "RainMakerCommandLine"],
            swiftSettings: strict),
        // For `make bench` only.
        .executableTarget(
            name: "engine-bench", dependencies: ["MatterCrypto", "MatterTransport"], path: "Tests/Bench/Engine",
            swiftSettings: strict),
        .executableTarget(
            name: "attestation-bench",
            dependencies: ["MatterCredentials", "MatterCrypto", "MatterLedger", "MatterStore"],
            path: "Tests/Bench/Attestation", swiftSettings: strict),
        .executableTarget(
            name: "reading-bench", dependencies: ["MatterDataModel", "MatterInteraction", "MatterTLV"],
            path: "Tests/Bench/Reading", swiftSettings: strict),
        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: strict),
        .target(
            name: "MatterTestKit",
            dependencies: [
                "MatterCommissioning", "MatterCredentials", "MatterCrypto", "MatterDataModel", "MatterInteraction",
                "MatterRecords", "MatterSecureChannel", "MatterSession", "MatterStore", "MatterTLV", "MatterTransport",
                "TestSupport", logging,
            ], path: "Tests/MatterTestKit", swiftSettings: strict),
        tests("ProcessTests", ["CProcess"]),
        tests("MatterThreadsTests", ["CProcess", "MatterThreads"]),
        tests("JSONTests", ["JSON"]),
        tests("MatterTLVTests", ["JSON", "MatterTLV"]),
        tests("MatterCryptoTests", ["MatterCrypto"]),
        tests("MatterSetupPayloadTests", ["MatterSetupPayload", "MatterTLV"]),
        tests("MatterStoreTests", ["MatterErrors", "MatterStore"]),
        tests("MatterHTTPTests", ["CCurl", "MatterErrors", "MatterHTTP", logging]),
        tests("MatterCredentialsTests", ["JSON", "MatterCredentials", "MatterCrypto", "MatterErrors", "MatterTLV"]),
        tests("MatterTransportTests", ["MatterCrypto", "MatterTransport"]),
        tests(
            "MatterSecureChannelTests",
            ["MatterCredentials", "MatterCrypto", "MatterSecureChannel", "MatterTLV", "MatterTransport"]),
        tests(
            "MatterInteractionTests",
            ["MatterDataModel", "MatterErrors", "MatterInteraction", "MatterTLV", "MatterTransport"]),
        tests("MatterDataModelTests", ["JSON", "MatterDataModel", "MatterErrors", "MatterTLV"]),
        tests("MatterBluetoothTests", ["MatterBluetooth", "MatterTransport"]),
        tests("MatterDiscoveryTests", ["MatterDiscovery", "MatterErrors"]),
        tests(
            "MatterRecordsTests",
            [
                "JSON", "MatterCommissioning", "MatterCredentials", "MatterCrypto", "MatterErrors", "MatterRecords",
                "MatterSecureChannel", "MatterSession", "MatterSetupPayload", "MatterStore", "MatterTestKit",
                "MatterTransport",
            ]),
        tests(
            "MatterSessionTests",
            [
                "MatterCredentials", "MatterCrypto", "MatterDataModel", "MatterDiscovery", "MatterInteraction",
                "MatterRecords", "MatterSecureChannel", "MatterSession", "MatterTLV", "MatterTestKit",
                "MatterTransport", logging,
            ]),
        tests(
            "MatterCommissioningTests",
            [
                "MatterCommissioning", "MatterCredentials", "MatterCrypto", "MatterDataModel", "MatterDiscovery",
                "MatterErrors", "MatterInteraction", "MatterRecords", "MatterSecureChannel", "MatterSession",
                "MatterSetupPayload", "MatterStore", "MatterTLV", "MatterTestKit", "MatterTransport", logging,
            ]),
        tests(
            "MatterControllerTests",
            [
                "JSON", "MatterCommissioning", "MatterController", "MatterCredentials", "MatterCrypto",
                "MatterDataModel", "MatterDiscovery", "MatterErrors", "MatterInteraction", "MatterRecords",
                "MatterSecureChannel", "MatterSession", "MatterSetupPayload", "MatterSimulator", "MatterStore",
                "MatterTLV", "MatterTestKit", "MatterTransport",
            ]),
        tests(
            "MatterSimulatorTests",
            [
                "JSON", "MatterCredentials", "MatterCrypto", "MatterDataModel", "MatterInteraction",
                "MatterSecureChannel", "MatterSession", "MatterSimulator", "MatterStore", "MatterTLV", "MatterTestKit",
                "MatterTransport",
            ]),
        tests(
            "RainMakerTests",
            [
                "JSON", "MatterController", "MatterCredentials", "MatterCrypto", "MatterDataModel", "MatterErrors",
                "MatterHTTP", "MatterInteraction", "MatterRecords", "MatterSession", "MatterStore", "MatterTLV",
                "MatterTestKit", "MatterTransport", "RainMaker", "RainMakerEmulator", logging,
            ]),
        tests(
            "RainMakerEmulatorTests",
            ["JSON", "MatterCredentials", "MatterCrypto", "MatterHTTP", "MatterStore", "RainMakerEmulator"]),
        tests(
            "MatterLedgerTests",
            [
                "JSON", "MatterCredentials", "MatterCrypto", "MatterErrors", "MatterHTTP", "MatterLedger",
                "MatterStore", "MatterTestKit", logging,
            ]),
        tests(
            "MatterCommandLineTests",
            [
                "JSON", "MatterCommandLine", "MatterCommissioning", "MatterController", "MatterCredentials",
                "MatterCrypto", "MatterDataModel", "MatterDiscovery", "MatterHTTP", "MatterInteraction", "MatterLedger",
                "MatterRecords", "MatterSetupPayload", "MatterSimulator", "MatterStore", "MatterTLV", "MatterTestKit",
                "MatterTransport", "RainMaker", "RainMakerCommandLine", "RainMakerEmulator", arguments,
            ]),
        tests(
            "EndToEndTests",
            ["MatterCredentials", "MatterCrypto", "MatterDataModel", "MatterSimulator", "MatterTestKit"]),
        fuzz,
    ]
)
