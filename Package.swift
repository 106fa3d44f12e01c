// swift-tools-version: 6.3
import PackageDescription

let containers = Target.Dependency.product(name: "BasicContainers", package: "swift-collections")
let heap = Target.Dependency.product(name: "HeapModule", package: "swift-collections")

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
    .library(name: "Engine", targets: ["Engine"]),
    .library(name: "Console", targets: ["Console"]),
    .library(name: "Scores", targets: ["Scores"]),
    .library(name: "ScoreFiles", targets: ["ScoreFiles"]),
    .library(name: "CExpat", targets: ["CExpat"]),
    .library(name: "Engraving", targets: ["Engraving"]),
    .library(name: "Fonts", targets: ["Fonts"]),
    .library(name: "_TestSupport", targets: ["_TestSupport"]),
  ],
  traits: [
    .trait(
      name: "HTTPS",
      description: "Serve the web page over HTTPS too, for motion sensors. Without it, the build is shorter."),
    .default(enabledTraits: ["HTTPS"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
    .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
  ],
  targets: [
    .target(name: "Text"),
    .target(name: "MusicalTime"),
    .target(name: "MIDI", dependencies: [containers]),
    .target(name: "RTPMIDI", dependencies: ["MIDI", "MusicalTime", "Text", containers]),
    .target(name: "ClockSync", dependencies: ["MusicalTime"]),
    .target(name: "Rhythm", dependencies: ["MIDI", "MusicalTime", "Text", "Yams"]),
    .target(name: "Scores", dependencies: ["MIDI", "MusicalTime"]),
    .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
    .systemLibrary(name: "CZip", pkgConfig: "libzip", providers: [.apt(["libzip-dev"])]),
    .target(name: "ScoreFiles", dependencies: ["CExpat", "CZip", "MIDI", "Scores", "Text"]),
    .target(name: "Engraving", dependencies: ["Scores"]),
    .systemLibrary(name: "CFreeType", pkgConfig: "freetype2", providers: [.apt(["libfreetype-dev"])]),
    .target(name: "Fonts", dependencies: ["CFreeType", "Engraving"]),
    .systemLibrary(name: "CSodium"),
    .target(name: "Cryptography", dependencies: ["CSodium"]),
    .target(
      name: "PeerProtocol", dependencies: ["Cryptography", "MIDI", "MusicalTime", "RTPMIDI", "Text", containers]),
    .target(name: "Playback", dependencies: ["ClockSync", "MIDI", "MusicalTime", "PeerProtocol"]),
    .target(
      name: "Sending", dependencies: ["MIDI", "MusicalTime", "PeerProtocol", "Playback", "RTPMIDI", containers]),
    .target(
      name: "Receiving",
      dependencies: ["MIDI", "MusicalTime", "PeerProtocol", "Playback", "RTPMIDI", "Sending", containers]),
    .target(
      name: "Ensemble",
      dependencies: [
        "ClockSync", "MIDI", "MusicalTime", "PeerProtocol", "Playback", "RTPMIDI", "Receiving", "Rhythm", "Scores",
        "Sending", "Text",
      ]),
    .target(
      name: "Simulation",
      dependencies: [
        "ClockSync", "Ensemble", "MIDI", "MusicalTime", "PeerProtocol", "Playback", "RTPMIDI", "Receiving", "Rhythm",
        "Scores", "Sending", containers,
      ]),
    .target(name: "CRealtime"),
    .target(name: "Realtime", dependencies: ["CRealtime", "MusicalTime"]),
    .systemLibrary(name: "CALSA"),
    .systemLibrary(name: "CAvahi"),
    .target(
      name: "Transports",
      dependencies: [
        "CALSA", "CAvahi", "CRealtime", "MIDI", "MusicalTime", "RTPMIDI", "Realtime", "Text", containers,
      ]),
    .systemLibrary(name: "CFluidSynth"),
    .systemLibrary(name: "CSndfile"),
    .target(
      name: "Audio", dependencies: ["CALSA", "CFluidSynth", "CSndfile", "MIDI", "MusicalTime", "Realtime", "Text"]),
    .target(
      name: "Measurement",
      dependencies: [
        "ClockSync", "MIDI", "MusicalTime", .product(name: "Histogram", package: "hdrhistogram-swift"),
      ],
      resources: [
        "calibrate", "common", "measure-activity", "measure-audio", "measure-clock", "measure-follower",
        "measure-network", "measure-path", "measure-players", "measure-sync",
      ].map { .embedInCode("Schemas/\($0).json") }),
    // Contains the commit of the sources.
    .target(name: "BuildVersion", plugins: ["CommitPlugin"]),
    .plugin(name: "CommitPlugin", capability: .buildTool(), path: "Sources/CommitPlugin"),
    .target(
      name: "Engine",
      dependencies: [
        "Audio", "BuildVersion", "ClockSync", "Cryptography", "Ensemble", "MIDI", "Measurement", "MusicalTime",
        "PeerProtocol", "Playback", "RTPMIDI", "Realtime", "Receiving", "Rhythm", "Scores", "Sending", "Text",
        "Transports", containers, .product(name: "Logging", package: "swift-log"),
      ]),
    .systemLibrary(name: "CQrencode"),
    .systemLibrary(name: "CZlib"),
    .target(
      name: "Console",
      dependencies: [
        "Audio", "BuildVersion", "CQrencode", "CZlib", "ClockSync", "Cryptography", "Engine", "Engraving", "Ensemble",
        "Fonts", "MIDI", "Measurement", "MusicalTime", "PeerProtocol", "Playback", "Realtime", "Receiving", "Rhythm",
        "Scores",
        .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["HTTPS"])),
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"), .product(name: "NIOWebSocket", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["HTTPS"])),
        .product(name: "SwiftASN1", package: "swift-asn1", condition: .when(traits: ["HTTPS"])),
        .product(name: "X509", package: "swift-certificates", condition: .when(traits: ["HTTPS"])),
      ],
      resources: [.copy("Page")]),
    .executableTarget(
      name: "tutti",
      dependencies: [
        "BuildVersion", "Console", "Cryptography", "Engine", "Engraving", "Fonts", "Measurement", "ScoreFiles",
        "Scores", "Simulation", "Text",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      resources: [.embedInCode("Patch/Templates/rhythm.yaml"), .embedInCode("Patch/Templates/instrument.yaml")]),
    // Random numbers, virtual worlds, hostile input and child processes, for the tests and the benchmarks.
    .target(
      name: "_TestSupport",
      dependencies: [
        "Ensemble", "MIDI", "MusicalTime", "PeerProtocol", "RTPMIDI", "Realtime", "Receiving", "Scores", "Simulation",
        "Transports", containers, heap,
      ],
      path: "Tests/_TestSupport"),
    .target(name: "_TestTraits", path: "Tests/_TestTraits"),
    .testTarget(name: "TextTests", dependencies: ["Text"]),
    .testTarget(name: "MusicalTimeTests", dependencies: ["_TestSupport", "MusicalTime"]),
    .testTarget(name: "MIDITests", dependencies: ["_TestSupport", "MIDI"]),
    .testTarget(name: "RTPMIDITests", dependencies: ["_TestSupport", "RTPMIDI", "CAllocationCount"]),
    .testTarget(name: "CryptographyTests", dependencies: ["Cryptography"]),
    .testTarget(
      name: "PeerProtocolTests",
      dependencies: ["MIDI", "MusicalTime", "PeerProtocol", "RTPMIDI", "_TestSupport", containers]),
    .testTarget(
      name: "ClockSyncTests", dependencies: ["_TestSupport", "ClockSync", "Simulation"]),
    .testTarget(name: "RhythmTests", dependencies: ["MIDI", "_TestSupport", "Rhythm"]),
    .testTarget(name: "ScoresTests", dependencies: ["_TestSupport", "MusicalTime", "Scores"]),
    .testTarget(name: "ScoreFilesTests", dependencies: ["CZip", "_TestSupport", "MIDI", "ScoreFiles", "Scores"]),
    .testTarget(name: "EngravingTests", dependencies: ["Engraving", "Fonts", "ScoreFiles", "Scores"]),
    .testTarget(
      name: "SendingTests",
      dependencies: ["CAllocationCount", "MIDI", "MusicalTime", "PeerProtocol", "Playback", "RTPMIDI", "Sending"]),
    .testTarget(
      name: "ReceivingTests",
      dependencies: [
        "CAllocationCount", "MIDI", "MusicalTime", "PeerProtocol", "RTPMIDI", "Receiving", "Sending", "_TestSupport",
      ]),
    .testTarget(name: "EnsembleTests", dependencies: ["_TestSupport", "Ensemble"]),
    .testTarget(
      name: "SimulationTests", dependencies: ["MIDI", "MusicalTime", "RTPMIDI", "Rhythm", "_TestSupport", "Simulation"]),
    .testTarget(name: "RealtimeTests", dependencies: ["_TestSupport", "Realtime"]),
    .testTarget(
      name: "TransportsTests",
      dependencies: [
        "_TestSupport", "_TestTraits", "CALSA", "CAvahi", "MIDI", "MusicalTime", "Realtime", "Transports", containers,
      ]),
    .target(name: "CAllocationCount", path: "Tests/CAllocationCount"),
    .testTarget(name: "AudioTests", dependencies: ["_TestSupport", "Audio", "MIDI", "CAllocationCount"]),
    .testTarget(name: "MeasurementTests", dependencies: ["_TestSupport", "MIDI", "Measurement"]),
    .testTarget(name: "EngineTests", dependencies: ["_TestSupport", "Engine", "CAllocationCount"]),
    .testTarget(
      name: "ConsoleTests",
      dependencies: [
        "Audio", "CZlib", "ClockSync", "Console", "Engine", "Ensemble", "MIDI", "Measurement", "MusicalTime",
        "PeerProtocol", "Rhythm", "ScoreFiles", "Scores", "_TestSupport", "_TestTraits",
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOWebSocket", package: "swift-nio"),
        .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["HTTPS"])),
        .product(name: "X509", package: "swift-certificates", condition: .when(traits: ["HTTPS"])),
      ],
      exclude: ["Page"]),
    .testTarget(name: "LiveTests", dependencies: ["_TestSupport", "_TestTraits", "Engine"]),
    .testTarget(
      name: "tuttiTests",
      dependencies: [
        "_TestSupport", "_TestTraits", "Audio", "BuildVersion", "Console", "Cryptography", "Engine", "Ensemble",
        "Measurement", "MusicalTime", "Realtime", "Rhythm", "ScoreFiles", "Scores", "Transports", "tutti",
        .product(name: "NIOCore", package: "swift-nio"),
      ]),
    .testTarget(
      name: "InteroperabilityTests",
      dependencies: [
        "_TestSupport", "_TestTraits", "MIDI", "Measurement", "MusicalTime", "PeerProtocol", "RTPMIDI", "Realtime",
        "ScoreFiles", "Scores", "Transports",
        "tutti", containers,
      ],
      exclude: ["listener.py", "midifiles.py"]),
  ],
  swiftLanguageModes: [.v6]
)
