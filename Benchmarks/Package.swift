// swift-tools-version: 6.3
import PackageDescription

let containers = Target.Dependency.product(name: "BasicContainers", package: "swift-collections")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

func tutti(_ name: String) -> Target.Dependency { .product(name: name, package: "Tutti") }

let package = Package(
  name: "Benchmarks",
  dependencies: [
    .package(name: "Tutti", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
  ],
  targets: [
    .systemLibrary(name: "CEpoll"),
    .executableTarget(
      name: "followers",
      dependencies: [
        "CEpoll", tutti("MIDI"), tutti("Measurement"), tutti("MusicalTime"), tutti("RTPMIDI"), arguments, containers,
      ])
  ],
  swiftLanguageModes: [.v6]
)
