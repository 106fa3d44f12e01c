import Testing
import _TestSupport

/// Tests with the sound cards of the lab. They run one at a time, because a card can be open only once.
@Suite(.serialized, .enabled(if: Lab.hasLoopback, "\(Lab.needsLoopback)")) struct SoundCardTests {}
