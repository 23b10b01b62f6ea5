// QR codes by libqrencode, opened with dlopen when the first one is drawn, so that the program needs neither the library
// nor its headers.
#ifndef CQRENCODE_H
#define CQRENCODE_H

#include <stddef.h>
#include <stdint.h>

enum { CQRENCODE_LARGEST_WIDTH = 177 };

// The modules of the smallest code for a text, row by row, 1 for dark ones; there must be room for the largest code.
// Returns how wide and high it is, or 0 where the library is absent or the text too long.
int cqrencode(const char *_Nonnull text, uint8_t *_Nonnull modules, size_t room);

#endif
