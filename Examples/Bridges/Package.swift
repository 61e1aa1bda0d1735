// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "bridges",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [
        .package(name: "wireline", path: "../.."),
        .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .target(
            name: "LoggingBridge",
            dependencies: [
                .product(name: "Wireline", package: "wireline"), .product(name: "Logging", package: "swift-log"),
            ]),
        .target(
            name: "MetricsBridge",
            dependencies: [
                .product(name: "Wireline", package: "wireline"), .product(name: "Metrics", package: "swift-metrics"),
            ]),
        .target(
            name: "LifecycleBridge",
            dependencies: [
                .product(name: "Wireline", package: "wireline"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        .executableTarget(
            name: "BridgedServer",
            dependencies: [
                "LoggingBridge", "MetricsBridge", "LifecycleBridge",
                .product(name: "Wireline", package: "wireline"), .product(name: "Scene", package: "wireline"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
