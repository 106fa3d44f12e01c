/// The version of this program, which its traces and its reports contain.
public enum Version {
  /// The version by Semantic Versioning 2.0.0. The build metadata after "+" is the commit from which the program was built: at least 12
  /// hexadecimal digits, and "-dirty" if a file in `Sources` or `Package.swift` differs from this commit. The metadata is missing if the
  /// program was not built in a Git repository, or if Git has failed.
  ///
  /// The property is not inlined. Inlining would write the commit into the modules that import this one, and each commit would require
  /// a new compilation of these modules.
  ///
  /// Real-time: not safe.
  public static var current: String {
    @inline(never) get {
      let release = "0.1.0"  // .github/CITATION.cff contains the same version.
      return commit.isEmpty ? release : release + "+" + commit
    }
  }
}
