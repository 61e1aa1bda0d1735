// swift-tools-version: 6.2
import PackageDescription

let usual: [SwiftSetting] = [
    .enableExperimentalFeature("Lifetimes"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]
let strict = usual + [.strictMemorySafety()]

let package = Package(
    name: "wireline",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "WirelineCodec", targets: ["WirelineCodec"]),
        .library(name: "WirelineSchema", targets: ["WirelineSchema"]),
    ],
    targets: [
        // Layer 0
        .target(name: "WirelineCodec", swiftSettings: strict),
        // Layer 1
        .target(name: "WirelineSchema", dependencies: ["WirelineCodec"], swiftSettings: strict),

        // Tests
        .target(name: "TestingSupport", path: "Tests/TestingSupport", swiftSettings: usual),
        .testTarget(name: "ArchitectureTests", swiftSettings: usual),
        .testTarget(
            name: "WirelineCodecTests", dependencies: ["WirelineCodec", "TestingSupport"], swiftSettings: usual),
        .testTarget(
            name: "WirelineSchemaTests", dependencies: ["WirelineSchema", "WirelineCodec", "TestingSupport"],
            swiftSettings: usual),
        .testTarget(
            name: "ProtocolsTests", dependencies: ["WirelineSchema", "WirelineCodec", "TestingSupport"],
            swiftSettings: usual),
    ],
    swiftLanguageModes: [.v6]
)
