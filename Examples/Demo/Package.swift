// swift-tools-version: 6.2
import PackageDescription

// No target: `swift run --package-path Examples/Demo demo` runs the product `demo` of Wireline, and builds only what it
// needs. In Wireline's own package SwiftPM would first build the plugin's tool for the protocols of the tests.
let package = Package(
    name: "wireline-demo",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "wireline", path: "../..")]
)
