// Which pages of the program real-time threads may use.
#ifndef PROGRAM_CODE_H
#define PROGRAM_CODE_H

#include <stdint.h>

/// Returns whether real-time threads may use the page of the program that contains `address`, an address as in the file of the program
/// (without the offset at which the program was loaded). Returns 1 for all pages if the file has no symbols.
int program_page_is_realtime(uintptr_t address);

#endif
