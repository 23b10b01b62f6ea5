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

/// libcrypto is linked statically (a cipher look-up costs half as much); packagers set MATTERCTL_DYNAMIC_OPENSSL=1.
let crypto: LinkerSetting =
    Context.environment["MATTERCTL_DYNAMIC_OPENSSL"] == nil ? .linkedLibrary(":libcrypto.a") : .linkedLibrary("crypto")

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict + testBuild)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies + ["TestSupport"], swiftSettings: strict)
}

/// Fuzzing: the decoders' entries and their corpus are a test target. With MATTERCTL_FUZZ set, the entries become the
/// program that libFuzzer drives instead (Tests/Fuzz/README.md), which needs `--sanitize=fuzzer`.
let fuzzDependencies: [Target.Dependency] = [
    "MatterCommissioning", "MatterCredentials", "MatterCrypto", "MatterDataModel", "MatterDiscovery", "MatterHTTP",
    "MatterInteraction", "MatterSecureChannel", "MatterSession", "MatterSetupPayload", "MatterStore", "MatterTLV",
    "MatterTransport", "RainMaker", "TestSupport",
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
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let asyncHTTPClient: Target.Dependency = .product(name: "AsyncHTTPClient", package: "async-http-client")
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")
let flyingFox: Target.Dependency = .product(name: "FlyingFox", package: "FlyingFox")
let flyingSocks: Target.Dependency = .product(name: "FlyingSocks", package: "FlyingFox")

let package = Package(
    name: "matterctl",
    products: [
        .executable(name: "matterctl", targets: ["matterctl"]),
        .executable(name: "rainmaker-emulator", targets: ["rainmaker-emulator"]),
        .library(name: "MatterController", targets: ["MatterController"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1", exact: "1.7.4"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
        .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
        .package(url: "https://github.com/swhitty/FlyingFox", exact: "0.27.1"),
    ],
    targets: [
        .target(name: "COpenSSL", linkerSettings: [crypto]),
        .target(name: "CAvahi"),
        .target(name: "CProcess"),
        module("MatterTLV"),
        module("MatterCrypto", ["COpenSSL"]),
        module("MatterSetupPayload", ["MatterTLV"]),
        module("MatterStore"),
        module("MatterHTTP", [asyncHTTPClient, nioCore, nioHTTP1, nioPosix, nioSSL, logging]),
        module("MatterCredentials", ["MatterTLV", "MatterCrypto", asn1]),
        module("MatterTransport", ["MatterCrypto", nioCore, nioPosix, logging]),
        module("MatterSecureChannel", ["MatterTLV", "MatterCrypto", "MatterTransport", "MatterCredentials"]),
        module("MatterInteraction", ["MatterTLV", "MatterTransport"]),
        module("MatterDataModel", ["MatterTLV"]),
        module("MatterDiscovery", ["CAvahi", logging]),
        module(
            "MatterSession",
            [
                "MatterSecureChannel", "MatterTransport", "MatterCredentials", "MatterDiscovery", "MatterStore",
                "MatterCrypto", "MatterTLV", logging,
            ]),
        module(
            "MatterCommissioning",
            [
                "MatterSession", "MatterInteraction", "MatterSetupPayload", "MatterDataModel", "MatterCredentials",
                "MatterCrypto", "MatterDiscovery", "MatterSecureChannel", "MatterStore", "MatterTLV", "MatterTransport",
                logging,
            ]),
        module(
            "MatterController",
            [
                "CProcess", "MatterCommissioning", "MatterSession", "MatterInteraction", "MatterDataModel",
                "MatterStore",
                "MatterCredentials", "MatterCrypto", "MatterDiscovery", "MatterSetupPayload", "MatterTLV",
                "MatterTransport", logging,
            ]),
        module(
            "RainMaker",
            [
                "MatterController", "MatterHTTP", "MatterCommissioning", "MatterCredentials", "MatterCrypto",
                "MatterInteraction", "MatterSession", "MatterStore", "MatterTLV", "MatterTransport", logging,
            ]),
        module(
            "MatterSimulator",
            [
                "MatterSecureChannel", "MatterTransport", "MatterInteraction", "MatterDataModel", "MatterCredentials",
                "MatterCrypto", "MatterDiscovery", "MatterSetupPayload", "MatterStore", "MatterTLV", logging,
            ]),
        module(
            "RainMakerEmulator",
            ["MatterCredentials", "MatterCrypto", "MatterStore", "MatterTLV", flyingFox, flyingSocks]),
        .executableTarget(
            name: "rainmaker-emulator",
            dependencies: ["CProcess", "RainMakerEmulator", "MatterCredentials", "MatterStore", arguments],
            swiftSettings: strict),
        .executableTarget(
            name: "matterctl",
            dependencies: [
                "CProcess", "MatterController", "MatterCommissioning", "MatterCredentials", "MatterCrypto",
                "MatterDataModel", "MatterDiscovery", "MatterHTTP", "MatterInteraction", "MatterSecureChannel",
                "MatterSession",
                "MatterSetupPayload",
                "MatterSimulator", "MatterStore", "MatterTLV", "MatterTransport", "RainMaker", arguments, logging,
            ],
            swiftSettings: strict),
        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: strict),
        tests("ProcessTests", ["CProcess"]),
        tests("MatterTLVTests", ["MatterTLV"]),
        tests("MatterCryptoTests", ["MatterCrypto"]),
        tests("MatterSetupPayloadTests", ["MatterSetupPayload", "MatterTLV"]),
        tests("MatterStoreTests", ["MatterStore"]),
        tests("MatterHTTPTests", ["MatterHTTP", logging, nioCore, nioPosix, nioSSL]),
        tests("MatterCredentialsTests", ["MatterCredentials", "MatterCrypto", "MatterTLV"]),
        tests("MatterTransportTests", ["MatterTransport", "MatterCrypto", nioCore, nioPosix]),
        tests(
            "MatterSecureChannelTests",
            ["MatterSecureChannel", "MatterCredentials", "MatterCrypto", "MatterTLV", "MatterTransport"]),
        tests("MatterInteractionTests", ["MatterInteraction", "MatterTLV"]),
        tests("MatterDataModelTests", ["MatterDataModel", "MatterTLV"]),
        tests("MatterDiscoveryTests", ["MatterDiscovery"]),
        tests(
            "MatterSessionTests",
            [
                "MatterSession", "MatterCredentials", "MatterCrypto", "MatterDiscovery", "MatterInteraction",
                "MatterSecureChannel", "MatterStore", "MatterTLV", "MatterTransport", logging,
            ]),
        tests(
            "MatterCommissioningTests",
            [
                "MatterCommissioning", "MatterCredentials", "MatterCrypto", "MatterDiscovery", "MatterInteraction",
                "MatterSecureChannel", "MatterSession", "MatterSessionTests", "MatterSetupPayload", "MatterStore",
                "MatterTLV", "MatterTransport", logging,
            ]),
        tests(
            "MatterControllerTests",
            [
                "MatterController", "MatterCommissioning", "MatterCommissioningTests", "MatterCredentials",
                "MatterCrypto",
                "MatterDiscovery", "MatterInteraction", "MatterSecureChannel", "MatterSession", "MatterSessionTests",
                "MatterSetupPayload", "MatterStore", "MatterTLV", "MatterTransport", logging,
            ]),
        tests(
            "MatterSimulatorTests",
            [
                "MatterSimulator", "MatterCredentials", "MatterCrypto", "MatterDataModel", "MatterDiscovery",
                "MatterInteraction", "MatterSecureChannel", "MatterStore", "MatterTLV", "MatterTransport",
            ]),
        tests(
            "RainMakerTests",
            [
                "RainMaker", "RainMakerEmulator", "MatterController", "MatterCredentials", "MatterCrypto", "MatterHTTP",
                "MatterInteraction", "MatterSession", "MatterSessionTests", "MatterStore", "MatterTLV",
                "MatterTransport", logging,
            ]),
        tests(
            "RainMakerEmulatorTests",
            [
                "RainMakerEmulator", "MatterCredentials", "MatterCrypto", "MatterHTTP", "MatterStore", "MatterTLV",
                logging,
            ]),
        tests("EndToEndTests", ["MatterCredentials", "MatterCrypto", "MatterSimulator"]),
        fuzz,
    ]
)
