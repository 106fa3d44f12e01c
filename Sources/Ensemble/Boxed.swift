/// A large optional value on the heap. A struct that contains it stays small.
///
/// The compiler copies a struct to the stack before it calls a method of the struct in many places, and it copies all octets. A copy of a
/// struct with a box copies a reference only.
///
/// Real-time: not safe.
@propertyWrapper struct Boxed<Value: Sendable>: Sendable {
  /// At most one element. An array is a box that is copied when one of several owners changes it.
  private var storage: [Value] = []

  var wrappedValue: Value? {
    get { storage.first }
    set { storage = newValue.map { [$0] } ?? [] }
  }
}
