// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Tutti",
  products: [
    .library(name: "MusicalTime", targets: ["MusicalTime"])
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
  ],
  targets: [
    .target(name: "MusicalTime"),
    .target(name: "ClockSync", dependencies: ["MusicalTime"]),
    .target(name: "CRealtime"),
    .target(name: "Ensemble", dependencies: ["ClockSync", "MusicalTime"]),
    .target(name: "Realtime", dependencies: ["CRealtime", "MusicalTime"]),
    .target(name: "Transports", dependencies: ["CRealtime", "MusicalTime", "Realtime"]),
    .testTarget(name: "MusicalTimeTests", dependencies: ["MusicalTime"]),
    .testTarget(name: "ClockSyncTests", dependencies: ["ClockSync"]),
    .testTarget(name: "EnsembleTests", dependencies: ["Ensemble"]),
    .testTarget(name: "RealtimeTests", dependencies: ["Realtime"]),
    .testTarget(name: "TransportsTests", dependencies: ["Transports"]),
  ],
  swiftLanguageModes: [.v6]
)
