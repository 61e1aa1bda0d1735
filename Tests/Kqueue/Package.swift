// swift-tools-version: 6.2
import PackageDescription

// The transport module and its tests as they are, over the poller that Darwin has.

let usual: [SwiftSetting] = [
    .enableExperimentalFeature("Lifetimes"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
    name: "kqueue",
    targets: [
        .systemLibrary(name: "CKqueue", path: "CKqueue", pkgConfig: "libkqueue"),
        .target(name: "CKeptErrors", path: "CKeptErrors"),
        .target(name: "CWirelineSystem", path: "Sources/CWirelineSystem"),
        .target(
            name: "WirelineTransport", dependencies: ["CKqueue", "CKeptErrors", "CWirelineSystem"],
            path: "Sources/WirelineTransport", exclude: ["Loop/Poller+epoll.swift", "WirelineTransport.docc"],
            swiftSettings: usual + [.strictMemorySafety()]),
        .target(name: "TestingSupport", path: "TestingSupport", swiftSettings: usual),
        .target(
            name: "FaultSupport", dependencies: ["WirelineTransport"], path: "FaultSupport", swiftSettings: usual),
        .testTarget(
            name: "WirelineTransportTests", dependencies: ["WirelineTransport", "FaultSupport", "TestingSupport"],
            path: "WirelineTransportTests", swiftSettings: usual),
    ],
    swiftLanguageModes: [.v6]
)
