import MusicalTime

/// The last change of the patch.
struct PatchChange {
  /// The number of changes since the peer started; 0 for its first patch.
  var number: UInt32 = 0
  /// The first tick of the new patch: the beginning of a bar.
  var tick = Tick(0)
}
