// The library zlib, which compresses.
#include <zlib.h>
