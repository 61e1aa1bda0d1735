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
/// For the modules that only generate code: without optimization they build in a fraction of the time, and still generate
/// each protocol in less than a second. SwiftPM builds the Swift generator twice in every user's first release build. The
/// language itself is optimized: `wire lsp` checks a schema at each edit.
/// Since tools version 6.2, other packages may depend on targets with such flags.
let quick = strict + [.unsafeFlags(["-Onone"])]

/// A folder under `Protocols/`: the plugin makes its messages.
func protocolTarget(_ name: String) -> Target {
    .target(
        name: name, dependencies: ["WirelineCodec"], path: "Protocols/" + name, exclude: ["Vectors"],
        swiftSettings: strict, plugins: ["WirelinePlugin"])
}

/// A folder under `Tests/Conformance/GeneratedTypes/`, of which the plugin makes the types that tests look at.
func generatedTarget(_ name: String) -> Target {
    .target(
        name: name, dependencies: ["WirelineCodec"], path: "Tests/Conformance/GeneratedTypes/" + name,
        swiftSettings: strict, plugins: ["WirelinePlugin"])
}

let generatedTypes = ["Apart", "Ciphers", "Features", "Keyed", "Names", "Newer", "Older", "Parts", "Rcon", "Replies"]

let protocols = [
    "AMQP", "Bilibili", "Checksums", "Envelope", "ErlangPacket1", "ErlangPacket2", "ErlangPacket4", "GT06", "Goim",
    "HTTP2", "Headers", "IDFirst", "JTT808", "JTT809", "KeyedGame", "MQTT", "MagicHeader", "Minecraft", "Modbus",
    "Pomelo", "PostgreSQL", "QSIOP", "Realm", "Senders", "ServiceCommand", "Shapes", "ShortStrings",
    "Skynet", "States", "Telemetry", "TwoByteHeader", "Zabbix",
]

let package = Package(
    name: "wireline",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "Wireline", targets: ["Wireline"]),
        .library(name: "WirelineTesting", targets: ["WirelineTesting"]),
        .library(name: "WirelineCodec", targets: ["WirelineCodec"]),
        .library(name: "WirelineLanguage", targets: ["WirelineLanguage"]),
        .library(name: "WirelineSchema", targets: ["WirelineSchema"]),
        .library(name: "WirelineTLS", targets: ["WirelineTLS"]),
        .library(name: "WirelineLayers", targets: ["WirelineLayers"]),
        .library(name: "WirelineSwiftGenerator", targets: ["WirelineSwiftGenerator"]),
        .library(name: "WirelineGenerator", targets: ["WirelineGenerator"]),
        .library(name: "WirelineErlang", targets: ["WirelineErlang"]),
        .library(name: "WirelineGateway", targets: ["WirelineGateway"]),
        .library(name: "WirelineWebSocket", targets: ["WirelineWebSocket"]),
        .library(name: "Scene", targets: ["Scene"]),
        .executable(name: "wire-generate", targets: ["wire-generate"]),
        .plugin(name: "WirelinePlugin", targets: ["WirelinePlugin"]),
        .executable(name: "wire", targets: ["wire"]),
        .executable(name: "demo", targets: ["demo"]),
    ],
    targets: [
        // Layer 0
        .target(name: "WirelineCodec", swiftSettings: strict),
        .target(name: "CWirelineSystem"),
        .target(
            name: "CWirelineRuntimes", path: "Sources/Languages/WirelineGenerator/Runtimes",
            exclude: [
                "CSharp", "Cpp", "Erlang", "Go", "HTML", "Java", "Lua", "Python", "Rust", "TypeScript", "Wireshark",
            ]),
        .target(name: "WirelineLibraries", swiftSettings: strict),
        // Layer 1
        .target(name: "WirelineTransport", dependencies: ["CWirelineSystem", "WirelineCodec"], swiftSettings: strict),
        .target(
            name: "WirelineLanguage", dependencies: ["WirelineCodec"], exclude: ["Editor/wire.tmLanguage.json"],
            swiftSettings: strict),
        .target(name: "WirelineTLS", dependencies: ["WirelineLibraries"], swiftSettings: strict),
        .target(
            name: "WirelineWebSocket", dependencies: ["WirelineCodec", "WirelineLibraries"], swiftSettings: strict),
        .target(name: "WirelineLayers", dependencies: ["WirelineCodec", "WirelineLibraries"], swiftSettings: strict),
        // Layer 2
        .target(
            name: "WirelineSchema", dependencies: ["WirelineCodec", "WirelineLanguage", "WirelineLayers"],
            swiftSettings: strict),
        .target(
            name: "WirelineSwiftGenerator", dependencies: ["WirelineCodec", "WirelineLanguage"],
            swiftSettings: quick),
        .target(
            name: "Wireline",
            dependencies: [
                "WirelineCodec", "WirelineLayers", "WirelineTLS", "WirelineTransport", "WirelineWebSocket",
            ],
            swiftSettings: strict),
        // Its Swift is committed: what the demo needs is built without the plugin's tool.
        .target(
            name: "Scene", dependencies: ["WirelineCodec"], path: "Protocols/Scene",
            exclude: ["Vectors", "scene.wire"],
            swiftSettings: strict),
        // Layer 3
        .target(
            name: "WirelineDemo", dependencies: ["Scene", "WirelineCodec", "WirelineTransport", "Wireline"],
            swiftSettings: strict),
        .target(
            name: "WirelineGenerator",
            dependencies: [
                "CWirelineRuntimes", "WirelineCodec", "WirelineLanguage", "WirelineSchema", "WirelineSwiftGenerator",
            ],
            exclude: ["Runtimes"], swiftSettings: quick),
        .target(
            name: "WirelineErlang",
            dependencies: [
                "WirelineCodec", "WirelineLanguage", "WirelineLayers", "WirelineSchema", "WirelineTransport",
            ],
            swiftSettings: strict),
        .target(
            name: "WirelineTesting", dependencies: ["WirelineCodec", "WirelineTransport", "Wireline"],
            swiftSettings: strict),
        .executableTarget(
            name: "wire-generate", dependencies: ["WirelineCodec", "WirelineLanguage", "WirelineSwiftGenerator"],
            swiftSettings: quick),
        // Layer 4
        .target(
            name: "WirelineGateway",
            dependencies: [
                "WirelineCodec", "WirelineErlang", "WirelineLanguage", "WirelineLayers", "WirelineTransport",
                "WirelineWebSocket", "Wireline",
            ], swiftSettings: strict),
        .executableTarget(
            name: "demo", dependencies: ["Scene", "WirelineCodec", "WirelineDemo"], swiftSettings: strict),
        .plugin(
            name: "WirelinePlugin", capability: .buildTool(), dependencies: ["wire-generate"]),
        // Layer 5
        .executableTarget(
            name: "wire",
            dependencies: [
                "WirelineCodec", "WirelineLayers", "WirelineSchema", "WirelineErlang", "WirelineGateway",
                "WirelineGenerator", "WirelineDemo", "WirelineTLS", "WirelineTransport", "WirelineWebSocket",
                "Wireline", "Scene",
            ],
            swiftSettings: strict),

        // Tests
        .target(
            name: "TestingSupport", dependencies: ["WirelineCodec", "WirelineSchema"],
            path: "Tests/Support/TestingSupport",
            exclude: ["node.escript"], swiftSettings: usual),
        .target(name: "AllocationCounter", path: "Tests/Support/AllocationCounter"),
        .target(name: "LiveHeap", path: "Tests/Support/LiveHeap"),
        .testTarget(
            name: "ArchitectureTests", dependencies: ["TestingSupport"],
            path: "Tests/Conformance/ArchitectureTests", swiftSettings: usual),
        .testTarget(
            name: "WirelineCodecTests", dependencies: ["WirelineCodec", "TestingSupport"], swiftSettings: usual),
        .testTarget(
            name: "WirelineSchemaTests",
            dependencies: ["WirelineSchema", "WirelineLayers", "WirelineCodec", "TestingSupport"],
            exclude: ["Language/Refusals"], swiftSettings: usual),
        .testTarget(
            name: "WirelineGeneratorTests",
            dependencies: [
                "WirelineGenerator", "WirelineSchema", "WirelineCodec", "Scene", "MQTT", "TestingSupport",
                "AllocationCounter",
            ] + generatedTypes.map { .init(stringLiteral: $0) },
            swiftSettings: usual),
        .testTarget(
            name: "LanguageServerTests", dependencies: ["wire", "WirelineSchema", "TestingSupport"],
            path: "Tests/Tools/LanguageServerTests", exclude: ["Sessions"], swiftSettings: usual),
        .testTarget(
            name: "ProtocolsTests",
            dependencies: [
                "WirelineGenerator", "WirelineSchema", "WirelineLayers", "WirelineErlang", "WirelineCodec",
                "ProtocolsSupport", "Scene", "TestingSupport",
            ]
                + protocols.map { .init(stringLiteral: $0) },
            path: "Tests/Conformance/ProtocolsTests",
            exclude: [
                "CSharp/Peers", "Cpp/Peers", "Erlang", "Go/Peers", "Java/Peers", "Lua/Peers", "Python/Peers",
                "Rust/Peers",
                "TypeScript/Peers",
            ], swiftSettings: usual),
        .target(
            name: "ProtocolsSupport",
            dependencies: ["WirelineSchema", "WirelineLayers", "WirelineCodec", "TestingSupport", "Features", "Scene"]
                + protocols.map { .init(stringLiteral: $0) },
            path: "Tests/Conformance/ProtocolsSupport", swiftSettings: usual),
        .target(
            name: "FuzzingChecks",
            dependencies: [
                "WirelineGenerator", "WirelineSchema", "WirelineWebSocket", "WirelineLayers", "WirelineErlang",
                "WirelineCodec", "ProtocolsSupport", "TestingSupport",
            ],
            path: "Tests/Programs/Fuzzing/Checks", swiftSettings: usual),
        .testTarget(
            name: "FuzzingTests",
            dependencies: ["FuzzingChecks", "WirelineSchema", "WirelineCodec", "ProtocolsSupport", "TestingSupport"],
            path: "Tests/Programs/FuzzingTests", swiftSettings: usual),
        .testTarget(
            name: "SessionDecisionTests", dependencies: ["Wireline", "TestingSupport"],
            path: "Tests/Core/SessionDecisionTests", swiftSettings: usual),
        .testTarget(name: "WirelineLibrariesTests", dependencies: ["WirelineLibraries"], swiftSettings: usual),
        .testTarget(
            name: "WirelineLayersTests",
            dependencies: [
                "WirelineLayers", "WirelineCodec", "WirelineLibraries", "TestingSupport", "AllocationCounter",
            ], swiftSettings: usual),
        .testTarget(
            name: "WirelineErlangTests",
            dependencies: [
                "WirelineErlang", "WirelineCodec", "WirelineLibraries", "TestingSupport", "FaultSupport",
                "ErlangSupport",
            ],
            exclude: ["Erlang"], swiftSettings: usual),
        .testTarget(
            name: "WirelineErlangRecordsTests",
            dependencies: [
                "WirelineErlang", "WirelineCodec", "Records", "ErlangSupport", "TestingSupport",
            ], path: "Tests/Erlang/WirelineErlangRecordsTests", swiftSettings: usual),
        .target(
            name: "Records", dependencies: ["WirelineCodec", "WirelineErlang"],
            path: "Tests/Conformance/GeneratedTypes/Records", swiftSettings: strict, plugins: ["WirelinePlugin"]),
        .testTarget(
            name: "GatewayCoreTests", dependencies: ["WirelineGateway", "WirelineErlang", "TestingSupport"],
            path: "Tests/Erlang/GatewayCoreTests", swiftSettings: usual),
        .testTarget(
            name: "WirelineGatewayTests",
            dependencies: [
                "WirelineGateway", "WirelineErlang", "WirelineCodec", "WirelineLanguage", "WirelineSchema",
                "Wireline", "WirelineTLS", "WirelineTransport", "WirelineWebSocket", "Bilibili", "Ciphers",
                "KeyedGame", "Minecraft", "Scene", "States", "ErlangSupport", "FaultSupport", "TestingSupport",
            ], swiftSettings: usual),
        .testTarget(
            name: "WirelineErlangNodeTests",
            dependencies: [
                "WirelineErlang", "WirelineTransport", "ErlangSupport", "TestingSupport",
            ], path: "Tests/Erlang/WirelineErlangNodeTests", swiftSettings: usual),
        .target(
            name: "ErlangSupport", dependencies: ["TestingSupport"], path: "Tests/Support/ErlangSupport",
            exclude: ["Erlang"],
            swiftSettings: usual),
        .testTarget(
            name: "WirelineTransportTests", dependencies: ["WirelineTransport", "FaultSupport", "TestingSupport"],
            swiftSettings: usual),
        .testTarget(
            name: "WirelineTLSTests", dependencies: ["WirelineTLS", "WirelineLibraries", "TestingSupport"],
            exclude: ["Erlang"], swiftSettings: usual),
        .testTarget(
            name: "WirelineWebSocketTests",
            dependencies: [
                "WirelineWebSocket", "WirelineCodec", "WirelineLibraries", "TestingSupport", "WebSocketSupport",
            ], swiftSettings: usual),
        .target(
            name: "WebSocketSupport", dependencies: ["WirelineWebSocket", "TestingSupport"],
            path: "Tests/Support/WebSocketSupport", swiftSettings: usual),
        .testTarget(
            name: "WirelineTestingTests",
            dependencies: [
                "WirelineTesting", "Wireline", "WirelineTransport", "WirelineCodec", "Scene", "Goim", "Features",
                "Bilibili", "Ciphers", "Headers", "Keyed", "Senders", "States", "TestingSupport",
            ], swiftSettings: usual),
        .testTarget(
            name: "WirelineTests",
            dependencies: [
                "Wireline", "WirelineTesting", "WirelineTransport", "WirelineWebSocket", "WirelineCodec", "Scene",
                "Goim", "JTT808", "Modbus", "Bilibili", "Ciphers", "Features", "Parts", "Rcon", "Replies", "States",
                "TestingSupport", "FaultSupport",
            ],
            exclude: ["Erlang", "WebSocket/Peers"], swiftSettings: usual),
        .target(
            name: "FaultSupport",
            dependencies: ["Wireline", "WirelineTransport", "WirelineCodec", "Scene", "Goim", "TestingSupport"],
            path: "Tests/Support/FaultSupport", swiftSettings: usual),
        .executableTarget(
            name: "endurance",
            dependencies: ["Wireline", "WirelineTransport", "WirelineCodec", "Scene", "TestingSupport", "LiveHeap"],
            path: "Tests/Programs/Endurance", swiftSettings: usual),
        .executableTarget(
            name: "faults",
            dependencies: [
                "Wireline", "WirelineTransport", "WirelineWebSocket", "FaultSupport", "Goim", "TestingSupport",
            ],
            path: "Tests/Programs/Faults", swiftSettings: usual),
        .testTarget(
            name: "wireTests",
            dependencies: [
                "wire", "demo", "Wireline", "WirelineTransport", "WirelineWebSocket", "WirelineSchema",
                "WirelineCodec", "Ciphers", "Scene", "TestingSupport", "FaultSupport", "WebSocketSupport",
                "ErlangSupport",
            ],
            exclude: ["Erlang"], swiftSettings: usual),
    ] + protocols.map(protocolTarget) + generatedTypes.map(generatedTarget),
    swiftLanguageModes: [.v6]
)

/// The wing that each module lies in, `Sources/<wing>/<module>`; its tests are `Tests/<wing>/<module>Tests`.
let wings = [
    "Core": [
        "CWirelineSystem", "Wireline", "WirelineCodec", "WirelineLayers", "WirelineLibraries", "WirelineTLS",
        "WirelineTesting", "WirelineTransport", "WirelineWebSocket",
    ],
    "Languages": [
        "WirelineGenerator", "WirelineLanguage", "WirelinePlugin", "WirelineSchema", "WirelineSwiftGenerator",
        "wire-generate",
    ],
    "Erlang": ["WirelineErlang", "WirelineGateway"],
    "Tools": ["WirelineDemo", "demo", "wire"],
]
for target in package.targets where target.path == nil {
    let isTest = target.type == .test
    let module = isTest ? String(target.name.dropLast("Tests".count)) : target.name
    guard let wing = wings.first(where: { $0.value.contains(module) })?.key else { continue }
    target.path = "\(isTest ? "Tests" : "Sources")/\(wing)/\(target.name)"
}

/// With `WIRELINE_TEST_TARGETS`, the package has only these test targets and what they need: `.ci/quick` and the sanitizers
/// build no more than they run.
if let names = Context.environment["WIRELINE_TEST_TARGETS"]?.split(separator: " ").map(String.init) {
    let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
    var (needed, rest) = (Set<String>(), names)
    while let name = rest.popLast() {
        guard needed.insert(name).inserted, let target = targets[name] else { continue }
        for dependency in target.dependencies {
            if case .byNameItem(let name, _) = dependency { rest.append(name) }
        }
        for case .plugin(let name, _) in target.plugins ?? [] { rest.append(name) }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products = []
}
