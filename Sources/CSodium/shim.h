// The library libsodium: hashes, authentication codes and key derivation.
#include <sodium.h>
