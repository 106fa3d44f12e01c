import Testing

@testable import Engine

/// Tests of ``TermReservation``, which reserves the terms of claims in blocks of 64. The bound is the highest reserved term.
@Suite struct TermReservationTests {
  @Test func blockIsReservedWhenHalfOfThePreviousBlockIsUsed() {
    var reservation = TermReservation(after: 10)
    // The first block is 11...74. Term 42 is the last of its first half. The next block then ends at 42 + 64.
    #expect(reservation.bound == 74)
    #expect(reservation.reserve(for: 41) == nil)
    #expect(reservation.reserve(for: 42) == 106)
    #expect(reservation.reserve(for: 42) == nil)
    #expect(reservation.bound == 106)
  }

  /// No term is above the bound, and no bound is more than a block above the highest term.
  @Test func everyTermIsReserved() {
    var reservation = TermReservation(after: 0)
    for term in UInt64(1)...1000 {
      #expect(term <= reservation.bound)
      _ = reservation.reserve(for: term)
      #expect(reservation.bound - term <= TermReservation.blockSize)
    }
  }

  @Test func termOfAnotherPeerThatIsFarAheadIsReserved() {
    var reservation = TermReservation(after: 0)
    #expect(reservation.reserve(for: 1_000_000) == 1_000_064)
  }

  @Test func boundIsAtMostTheHighestTerm() {
    let highest = UInt64(Int64.max)
    var reservation = TermReservation(after: highest - 70)
    #expect(reservation.bound == highest - 6)
    #expect(reservation.reserve(for: highest - 1) == highest)
    #expect(reservation.reserve(for: highest) == nil)
    #expect(TermReservation(after: .max).bound == highest)
  }

  /// After the highest term, the next term is a random one, here 1000. After a restart, the terms continue above its bound.
  @Test func blockFollowsATermBelowIt() {
    var reservation = TermReservation(after: UInt64(Int64.max) - 10)
    #expect(reservation.reserve(for: 1000) == 1064)
    #expect(reservation.reserve(for: 1001) == nil)
    #expect(reservation.reserve(for: 1032) == 1096)
  }
}
