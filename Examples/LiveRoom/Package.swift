// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "live-room",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [.package(name: "wireline", path: "../..")],
    targets: [
        .target(
            name: "LiveRoom",
            dependencies: [.product(name: "WirelineCodec", package: "wireline")],
            plugins: [.plugin(name: "WirelinePlugin", package: "wireline")]),
        .executableTarget(
            name: "LiveRoomServer",
            dependencies: ["LiveRoom", .product(name: "Wireline", package: "wireline")]),
        .executableTarget(
            name: "LiveRoomClient",
            dependencies: ["LiveRoom", .product(name: "Wireline", package: "wireline")]),
        .testTarget(
            name: "LiveRoomTests",
            dependencies: ["LiveRoom", "LiveRoomServer", .product(name: "WirelineTesting", package: "wireline")]),
    ]
)
