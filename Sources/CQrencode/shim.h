// The library libqrencode, which creates QR codes.
#include <qrencode.h>
