import Glibc

/// The value of an environment variable; nil if the variable is not set. `ProcessInfo.environment` would copy all variables.
///
/// Real-time: not safe.
package func environmentVariable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
