// swift-tools-version: 6.3
import PackageDescription

let containers = Target.Dependency.product(name: "BasicContainers", package: "swift-collections")

let package = Package(
  name: "Tutti",
  products: [
    .executable(name: "tutti", targets: ["tutti"]),
    // Their public interface is small and kept.
    .library(name: "MusicalTime", targets: ["MusicalTime"]),
    .library(name: "MIDI", targets: ["MIDI"]),
    .library(name: "RTPMIDI", targets: ["RTPMIDI"]),
    .library(name: "ClockSync", targets: ["ClockSync"]),
    // For the package under Benchmarks/; not kept.
    .library(name: "PeerProtocol", targets: ["PeerProtocol"]),
    .library(name: "Rhythm", targets: ["Rhythm"]),
    .library(name: "Ensemble", targets: ["Ensemble"]),
    .library(name: "Simulation", targets: ["Simulation"]),
    .library(name: "Measurement", targets: ["Measurement"]),
    .library(name: "Hostility", targets: ["Hostility"]),
    .library(name: "Seeds", targets: ["Seeds"]),
    .library(name: "VirtualRoutes", targets: ["VirtualRoutes"]),
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
    .target(name: "Seeds"),
    .target(name: "MIDI", dependencies: [containers]),
    .target(name: "RTPMIDI", dependencies: ["MIDI", "MusicalTime", containers]),
    .target(name: "ClockSync", dependencies: ["MusicalTime"]),
    .target(name: "Rhythm", dependencies: ["MusicalTime", "Yams"]),
    .target(name: "PeerProtocol", dependencies: ["MIDI", "MusicalTime", "RTPMIDI", containers]),
    .target(name: "Playback", dependencies: ["ClockSync", "MIDI", "MusicalTime"]),
    .target(
      name: "Ensemble",
      dependencies: ["ClockSync", "MIDI", "MusicalTime", "PeerProtocol", "Playback", "RTPMIDI", "Rhythm"]),
    .target(
      name: "Simulation",
      dependencies: [
        "ClockSync", "Ensemble", "MIDI", "MusicalTime", "PeerProtocol", "Playback", "RTPMIDI", "Rhythm", "Seeds",
        containers,
      ]),
    .target(name: "CRealtime"),
    .target(name: "Realtime", dependencies: ["CRealtime", "MusicalTime"]),
    .systemLibrary(name: "CALSA"),
    .systemLibrary(name: "CAvahi"),
    .target(
      name: "Transports",
      dependencies: ["CALSA", "CAvahi", "CRealtime", "MIDI", "MusicalTime", "RTPMIDI", "Realtime", containers]),
    .systemLibrary(name: "CFluidSynth"),
    .systemLibrary(name: "CSndfile"),
    .target(name: "Audio", dependencies: ["CALSA", "CFluidSynth", "CSndfile", "MIDI", "MusicalTime", "Realtime"]),
    .target(
      name: "Measurement",
      dependencies: ["MusicalTime", .product(name: "Histogram", package: "hdrhistogram-swift")]),
    .target(
      name: "Engine",
      dependencies: [
        "Audio", "ClockSync", "Ensemble", "MIDI", "Measurement", "MusicalTime", "PeerProtocol", "Playback", "RTPMIDI",
        "Realtime", "Rhythm", "Transports", containers, .product(name: "Logging", package: "swift-log"),
      ]),
    .executableTarget(
      name: "tutti",
      dependencies: ["Engine", "Simulation", .product(name: "ArgumentParser", package: "swift-argument-parser")]),
    .target(name: "VirtualRoutes", dependencies: ["MusicalTime", "Seeds", "Simulation"], path: "Tests/VirtualRoutes"),
    .target(
      name: "Processes", dependencies: ["MIDI", "MusicalTime", "Realtime", "Transports"], path: "Tests/Processes"),
    .target(
      name: "Hostility", dependencies: ["Seeds", "MIDI", "MusicalTime", "PeerProtocol", "RTPMIDI", containers],
      path: "Tests/Hostility"),
    .target(
      name: "VirtualSessions", dependencies: ["MusicalTime", "PeerProtocol", "RTPMIDI", "Seeds", containers],
      path: "Tests/VirtualSessions"),
    .testTarget(name: "MusicalTimeTests", dependencies: ["Seeds", "MusicalTime"]),
    .testTarget(name: "MIDITests", dependencies: ["Seeds", "MIDI"]),
    .testTarget(
      name: "RTPMIDITests", dependencies: ["Seeds", "Hostility", "RTPMIDI", "VirtualSessions", "CAllocationCount"]),
    .testTarget(
      name: "PeerProtocolTests",
      dependencies: [
        "Hostility", "MIDI", "MusicalTime", "PeerProtocol", "RTPMIDI", "Seeds", "VirtualSessions", containers,
      ]),
    .testTarget(
      name: "ClockSyncTests", dependencies: ["Seeds", "Hostility", "ClockSync", "Simulation", "VirtualRoutes"]),
    .testTarget(name: "RhythmTests", dependencies: ["Seeds", "Rhythm"]),
    .testTarget(name: "EnsembleTests", dependencies: ["Seeds", "Ensemble"]),
    .testTarget(
      name: "SimulationTests", dependencies: ["MIDI", "MusicalTime", "RTPMIDI", "Rhythm", "Seeds", "Simulation"]),
    .testTarget(name: "RealtimeTests", dependencies: ["Seeds", "Realtime"]),
    .testTarget(
      name: "TransportsTests",
      dependencies: [
        "Seeds", "Processes", "CALSA", "CAvahi", "MIDI", "MusicalTime", "Realtime", "Transports", containers,
      ]),
    .target(name: "CAllocationCount", path: "Tests/CAllocationCount"),
    .testTarget(name: "AudioTests", dependencies: ["Seeds", "Processes", "Audio", "MIDI", "CAllocationCount"]),
    .testTarget(name: "MeasurementTests", dependencies: ["Seeds", "Measurement"]),
    .testTarget(name: "EngineTests", dependencies: ["Seeds", "Processes", "Engine", "CAllocationCount"]),
    // Whole peers in real time: run when nothing else keeps the machine busy, one after another.
    .testTarget(name: "LiveTests", dependencies: ["Seeds", "Processes", "Engine"]),
    .testTarget(
      name: "tuttiTests",
      dependencies: ["Processes", "Audio", "Measurement", "Realtime", "Rhythm", "Transports", "tutti"]),
    .testTarget(
      name: "InteroperabilityTests",
      dependencies: [
        "Seeds", "Processes", "MIDI", "Measurement", "MusicalTime", "PeerProtocol", "RTPMIDI", "Realtime", "Transports",
        "tutti", containers,
      ],
      exclude: ["listener.py"]),
  ],
  swiftLanguageModes: [.v6]
)
