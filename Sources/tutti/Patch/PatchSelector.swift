import Dispatch
import Engine
import Foundation
import Rhythm

/// Changes the patch of a running peer: by name, to the next rhythm of the library, or because its file was saved.
///
/// The file of the patch is checked twice per second. A saved patch plays from the next bar on. If it has errors, they are
/// printed, and the previous patch plays on.
final class PatchSelector: @unchecked Sendable {
  // Invariant: all properties are used only on `queue`.
  private let queue = DispatchQueue(label: "patch")
  private let timer: any DispatchSourceTimer
  private let post: (PlayerCommand) -> Void
  private let terminal: Terminal
  private var name: String
  /// The version that was loaded.
  private var loaded: Version?
  /// The file at the last check. A change is loaded when the file stays the same for one check, so that no half-written file is
  /// loaded.
  private var last: Version?

  /// The attributes that change when a file is saved.
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

  /// Starts to watch the patch called `name`, of which `version` is loaded already.
  init(_ name: String, _ version: Version?, post: @escaping (PlayerCommand) -> Void, terminal: Terminal) {
    (self.name, self.post, self.terminal) = (name, post, terminal)
    timer = DispatchSource.makeTimerSource(queue: queue)
    (loaded, last) = (version, version)
    timer.schedule(deadline: .now() + .milliseconds(500), repeating: .milliseconds(500), leeway: .milliseconds(50))
    timer.setEventHandler { [weak self] in self?.check() }
    timer.resume()
  }

  deinit { timer.cancel() }

  /// Plays the patch called `name`.
  func select(_ name: String) { queue.async { self.load(name) } }

  /// Plays the valid patch of the library that follows the current one in alphabetical order.
  func selectNext() {
    queue.async {
      let names = PatchLibrary.names(of: .rhythm)
      let following = names.filter { $0 > self.name } + names.filter { $0 <= self.name }
      _ = following.first { self.load($0) }
    }
  }

  /// The version of the file of a patch; nil if it is missing.
  static func version(of name: String) -> Version? {
    (try? PatchLibrary.path(of: name, [.rhythm])).flatMap { Version(path: $0) }
  }

  /// Loads the file again if it was saved.
  private func check() {
    let present = Self.version(of: name)
    defer { last = present }
    guard let present, present == last, present != loaded else { return }
    load(name)
  }

  /// Loads the patch called `name` and plays it. Prints the errors of an invalid patch.
  ///
  /// - Returns: whether the patch is valid.
  @discardableResult
  private func load(_ name: String) -> Bool {
    // Read before the file: a save in between is found by the next check.
    let version = Self.version(of: name)
    do {
      let patch = try PatchLibrary.rhythm(name)
      self.name = name
      (loaded, last) = (version, version)
      post(.patch(patch, named: name))
      return true
    } catch {
      // The same errors are not printed again.
      if name == self.name { (loaded, last) = (version, version) }
      for line in "\(error)".split(separator: "\n") { terminal.printLine("tutti: \(line)") }
      terminal.printLine("patch \(self.name): keeps playing")
      return false
    }
  }
}
