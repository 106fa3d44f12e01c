// swift-tools-version: 6.3
import PackageDescription

let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let containers = Target.Dependency.product(name: "BasicContainers", package: "swift-collections")

func tutti(_ names: String...) -> [Target.Dependency] { names.map { .product(name: $0, package: "Tutti") } }

let package = Package(
  name: "Benchmarks",
  dependencies: [
    // No program of this package serves the page over HTTPS, and the libraries of HTTPS take minutes to compile.
    .package(name: "Tutti", path: "..", traits: []),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    // The package is used without traits, because its malloc replacement needs the network. CAllocationCount counts allocations.
    .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
  ],
  targets: [
    .systemLibrary(name: "CEpoll"),
    .executableTarget(
      name: "followers",
      dependencies: ["CEpoll", arguments, containers]
        + tutti("MIDI", "Measurement", "MusicalTime", "PeerProtocol", "RTPMIDI")),

    .executableTarget(
      name: "baretick",
      dependencies: [arguments] + tutti("ClockSync", "Measurement", "MusicalTime", "_TestSupport")),

    // This target is a symbolic link to the target in the root package, because the root package has no product for it.
    .target(name: "CAllocationCount"),
    .target(
      name: "Workloads",
      dependencies: [containers] + tutti("MIDI", "MusicalTime", "PeerProtocol", "RTPMIDI", "_TestSupport")),
    .executableTarget(
      name: "RTPMIDIBenchmarks",
      dependencies: ["CAllocationCount", "Workloads", .product(name: "Benchmark", package: "benchmark")],
      path: "Benchmarks/RTPMIDIBenchmarks",
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
    .executableTarget(
      name: "remoteclock",
      dependencies: ["CAllocationCount", arguments] + tutti("ClockSync", "MusicalTime", "Simulation", "_TestSupport")),
    .executableTarget(
      name: "randomscenarios", dependencies: [arguments] + tutti("MusicalTime", "Rhythm", "Simulation")),
    .executableTarget(
      name: "scorecorpus", dependencies: [arguments] + tutti("CExpat", "ScoreFiles", "Scores"),
      exclude: ["music21-notes.py"]),
    .executableTarget(
      name: "engraving", dependencies: [arguments] + tutti("Engraving", "Fonts", "ScoreFiles", "Scores")),
    .executableTarget(
      name: "fuzz",
      dependencies: [
        arguments, .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOEmbedded", package: "swift-nio"),
      ]
        + tutti(
          "Console", "Engine", "Ensemble", "MusicalTime", "ScoreFiles", "Scores", "Simulation", "_TestSupport")),
  ],
  swiftLanguageModes: [.v6]
)
