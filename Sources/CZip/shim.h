// The library libzip: the entries of compressed MusicXML files.
#include <zip.h>
