import Dispatch
import Engine
import Foundation
import Rhythm

/// Changes the rhythm or the instrument of a running peer: to the patch of a given name, to the next patch of the library, or to the
/// new version of a file that was saved.
///
/// The file of the current patch is checked twice per second. If a saved file has errors, they are printed, and the previous version
/// continues to play.
final class PatchSelector: @unchecked Sendable {
  // Invariant: all mutable properties are used only on `queue`.
  private let queue = DispatchQueue(label: "patch")
  private let timer: any DispatchSourceTimer
  private let post: (PlayerCommand) -> Void
  private let terminal: Terminal
  private let kind: PatchKind
  /// The name of the current patch; nil if none is selected.
  private var name: String?
  /// The version of the file that was loaded last.
  private var loaded: Version?
  /// The version of the file at the last check. A new version is loaded only if two successive checks find it, so that no
  /// half-written file is loaded.
  private var lastChecked: Version?

  /// The version of a file: the attributes that change when the file is saved.
  struct Version: Equatable {
    var inode: UInt64
    var size: UInt64
    var modified: Date

    init?(path: String) {
      let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
      guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
        let inode = attributes[.systemFileNumber] as? NSNumber, let size = attributes[.size] as? NSNumber,
        let modified = attributes[.modificationDate] as? Date
      else { return nil }
      (self.inode, self.size, self.modified) = (inode.uint64Value, size.uint64Value, modified)
    }
  }

  /// Starts to watch the file of the patch called `name`. `version` is the version that is already loaded. Both are nil if no patch
  /// is selected yet.
  init(
    _ kind: PatchKind, _ name: String?, _ version: Version?, post: @escaping (PlayerCommand) -> Void, terminal: Terminal
  ) {
    (self.kind, self.name, self.post, self.terminal) = (kind, name, post, terminal)
    timer = DispatchSource.makeTimerSource(queue: queue)
    (loaded, lastChecked) = (version, version)
    timer.schedule(deadline: .now() + .milliseconds(500), repeating: .milliseconds(500), leeway: .milliseconds(50))
    timer.setEventHandler { [weak self] in self?.check() }
    timer.resume()
  }

  deinit { timer.cancel() }

  /// Selects the patch called `name`. Nil selects no instrument: the notes of the player are then played unchanged.
  func select(_ name: String?) {
    queue.async {
      if let name {
        self.load(name)
      } else {
        (self.name, self.loaded, self.lastChecked) = (nil, nil, nil)
        self.post(.instrument(nil, named: ""))
      }
    }
  }

  /// Selects the next patch of the library, or the one before, in the order of `tutti patch list`. Invalid patches are skipped.
  func selectNext(backwards: Bool = false) {
    queue.async {
      var names = PatchLibrary.names(of: self.kind)
      if backwards { names.reverse() }
      // A patch that is not in the library, such as one that was given as a path, stands before the first one.
      let place = self.name.flatMap { names.firstIndex(of: $0) } ?? -1
      _ = (names[(place + 1)...] + names[..<max(place, 0)]).first { self.load($0) }
    }
  }

  /// The name of the current patch; nil if none is selected.
  var current: String? { queue.sync { name } }

  /// The version of the file of a patch; nil if it is missing.
  static func version(of name: String, _ kind: PatchKind) -> Version? {
    (try? PatchLibrary.path(of: name, [kind])).flatMap { Version(path: $0) }
  }

  /// Loads the file again if it was saved.
  private func check() {
    guard let name else { return }
    let present = Self.version(of: name, kind)
    defer { lastChecked = present }
    guard let present, present == lastChecked, present != loaded else { return }
    load(name)
  }

  /// Loads the patch called `name` and sends it to the peer. Prints the errors of an invalid patch.
  ///
  /// - Returns: whether the patch is valid.
  @discardableResult
  private func load(_ name: String) -> Bool {
    // The version is read before the file. If the file is saved in between, the next check loads it again.
    let version = Self.version(of: name, kind)
    do {
      let command: PlayerCommand =
        switch kind {
        case .rhythm: .patch(try PatchLibrary.rhythm(name), named: name)
        case .instrument: .instrument(try PatchLibrary.instrument(name), named: name)
        }
      self.name = name
      (loaded, lastChecked) = (version, version)
      post(command)
      return true
    } catch {
      // The version counts as loaded, so that the next check does not print the same errors again.
      if name == self.name { (loaded, lastChecked) = (version, version) }
      for line in "\(error)".split(separator: "\n") { terminal.printLine("tutti: \(line)") }
      if let name = self.name {
        terminal.printLine("\(kind.rawValue) \(name): not changed")
      }
      return false
    }
  }
}
