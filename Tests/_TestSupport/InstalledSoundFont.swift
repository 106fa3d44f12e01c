import Foundation

/// The General MIDI SoundFonts of the Debian packages with which the tests play. The tests of what Tutti promises for every SoundFont run
/// with each installed one. Other tests name the one whose sounds they know.
public enum InstalledSoundFont: String, Sendable, CaseIterable, CustomStringConvertible {
  /// Small, with short decays. The package timgm6mb-soundfont, which the test command of the README installs.
  case timGM6mb = "TimGM6mb"
  /// The usual SoundFont of desktops, with long decays and up to eight voices per drum. The package fluid-soundfont-gm.
  case fluidR3 = "FluidR3_GM"

  public var path: String { "/usr/share/sounds/sf2/\(rawValue).sf2" }
  public var description: String { rawValue }

  /// ``timGM6mb``, and each of the others that is installed. If ``timGM6mb`` is missing, the tests fail with the error of the program,
  /// which names the package.
  public static let all = allCases.filter { $0 == .timGM6mb || FileManager.default.fileExists(atPath: $0.path) }
}
