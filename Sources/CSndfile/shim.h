// The library libsndfile, which reads and writes WAV files.
#include <sndfile.h>
