// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "lobby",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [.package(name: "wireline", path: "../..")],
    targets: [
        .target(
            name: "Lobby",
            dependencies: [.product(name: "WirelineCodec", package: "wireline")],
            plugins: [.plugin(name: "WirelinePlugin", package: "wireline")]),
        .executableTarget(
            name: "hello",
            dependencies: ["Lobby", .product(name: "WirelineCodec", package: "wireline")]),
        .executableTarget(
            name: "talk",
            dependencies: ["Lobby", .product(name: "Wireline", package: "wireline")]),
    ]
)
