import Testing

/// The suite of the tests that assert when a peer acted, what it played, or that it lost no tick. The extensions of this type
/// contain the tests. They need a machine that is not busy, so they run after the other tests and one at a time:
/// `swift test --filter TimingTests`.
@Suite(.serialized) struct TimingTests {}
