#include "CProcess.h"

// In a section of its own, which Tests/Tools/stamp_commit.sh finds in the linked program and writes the commit into.
__attribute__((section("matterctl_commit"), used, retain)) static const char commit[48] = "unknown";

const char *cprocess_commit(void) {
    const char *text = commit;
    // What the compiler knows of the text is not what it will be.
    __asm__("" : "+r"(text));
    return text;
}
