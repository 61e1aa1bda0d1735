// swift-tools-version: 6.2
import PackageDescription

// The limit is what this machine's C can do: 256-bit vectors where all x86-64 servers of the last decade have them.
// Swift, ours and the peers', is built as its users build it.
#if arch(x86_64)
    let fastest = ["-O3", "-march=x86-64-v3"]
#else
    let fastest = ["-O3"]
#endif

let usual: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// Wireline's package, as the compiler calls it: by the folder in which it lies.
let wireline = String(
    (Context.packageDirectory.split(separator: "/").dropLast(3).last ?? "").lowercased()
        .map { $0.isLetter || $0.isNumber ? $0 : "_" })

let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v15)],
    // BoringSSL takes minutes to compile; without it there are no rows of NIO with TLS.
    traits: [.trait(name: "NIOSSL"), .default(enabledTraits: ["NIOSSL"])],
    dependencies: [
        .package(name: "wireline", path: "../../.."),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
    ],
    targets: [
        .target(name: "CLimit", cSettings: [.unsafeFlags(fastest)]),
        .target(name: "CNetwork", dependencies: ["CLimit"]),
        .target(
            name: "BenchmarkSupport",
            dependencies: ["CLimit", .product(name: "WirelineLanguage", package: "wireline")], swiftSettings: usual),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "CLimit", "BenchmarkSupport", "LayerAccess", "Varying",
                .product(name: "WirelineCodec", package: "wireline"),
                .product(name: "WirelineWebSocket", package: "wireline"),
                .product(name: "WirelineErlang", package: "wireline"),
                .product(name: "Scene", package: "wireline"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "NIOExtras", package: "swift-nio-extras"),
                .product(name: "SwiftProtobuf", package: "swift-protobuf"),
            ],
            swiftSettings: usual),
        // It uses what only Wireline's own package can: layers have no API of their own.
        .target(
            name: "LayerAccess",
            dependencies: [
                .product(name: "WirelineCodec", package: "wireline"),
                .product(name: "WirelineLayers", package: "wireline"),
            ], packageAccess: false, swiftSettings: usual + [.unsafeFlags(["-package-name", wireline])]),
        .target(
            name: "Load", dependencies: [.product(name: "WirelineCodec", package: "wireline")], swiftSettings: usual,
            plugins: [.plugin(name: "WirelinePlugin", package: "wireline")]),
        .target(
            name: "SequencedLoad", dependencies: [.product(name: "WirelineCodec", package: "wireline")],
            swiftSettings: usual, plugins: [.plugin(name: "WirelinePlugin", package: "wireline")]),
        .target(
            name: "LayeredLoad", dependencies: [.product(name: "WirelineCodec", package: "wireline")],
            swiftSettings: usual, plugins: [.plugin(name: "WirelinePlugin", package: "wireline")]),
        .target(
            name: "Varying", dependencies: [.product(name: "WirelineCodec", package: "wireline")],
            swiftSettings: usual, plugins: [.plugin(name: "WirelinePlugin", package: "wireline")]),
        .executableTarget(
            name: "NetworkBenchmarks",
            dependencies: [
                "CNetwork", "BenchmarkSupport", "Load", "SequencedLoad",
                .product(name: "Wireline", package: "wireline"),
                .product(name: "WirelineTLS", package: "wireline"),
                .product(name: "Scene", package: "wireline"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["NIOSSL"])),
            ],
            swiftSettings: usual),
        .executableTarget(
            name: "DelayBenchmarks",
            dependencies: [
                "CNetwork", "BenchmarkSupport", "LayerAccess", "LayeredLoad",
                .product(name: "Wireline", package: "wireline"),
                .product(name: "WirelineTLS", package: "wireline"),
                .product(name: "WirelineWebSocket", package: "wireline"),
                .product(name: "Scene", package: "wireline"),
            ],
            swiftSettings: usual),
        .target(
            name: "ErlangLoad",
            dependencies: [
                .product(name: "WirelineCodec", package: "wireline"),
                .product(name: "WirelineErlang", package: "wireline"),
            ],
            swiftSettings: usual, plugins: [.plugin(name: "WirelinePlugin", package: "wireline")]),
        .executableTarget(
            name: "ErlangBenchmarks",
            dependencies: [
                "BenchmarkSupport", "ErlangLoad", .product(name: "WirelineErlang", package: "wireline"),
            ],
            swiftSettings: usual),
        .executableTarget(
            name: "GatewayBenchmarks",
            dependencies: [
                "CNetwork", "BenchmarkSupport",
                .product(name: "WirelineErlang", package: "wireline"),
                .product(name: "WirelineGateway", package: "wireline"),
                .product(name: "WirelineGenerator", package: "wireline"),
            ],
            swiftSettings: usual),
        .executableTarget(
            name: "LanguageBenchmarks",
            dependencies: ["BenchmarkSupport", .product(name: "WirelineGenerator", package: "wireline")],
            swiftSettings: usual),
        .executableTarget(
            name: "FanOutBenchmarks",
            dependencies: [
                "CNetwork", "BenchmarkSupport",
                .product(name: "Wireline", package: "wireline"),
                .product(name: "Scene", package: "wireline"),
            ],
            swiftSettings: usual),
    ],
    swiftLanguageModes: [.v6]
)
