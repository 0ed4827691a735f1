#include "viewer/page.h"

// The assembler puts the file into the program as it is; a string literal of its size would take the
// compiler far longer.
asm(".section .rodata\n"
    "hydrolith_viewer_page: .incbin \"" HYDROLITH_VIEWER_PAGE
    "\"\n"
    "hydrolith_viewer_page_end: .byte 0\n"
    ".global hydrolith_viewer_page, hydrolith_viewer_page_end\n"
    ".previous\n");

extern "C" const char hydrolith_viewer_page[], hydrolith_viewer_page_end[];

namespace hydrolith {

std::string_view viewer_page() {
  return {hydrolith_viewer_page, hydrolith_viewer_page_end};
}

}  // namespace hydrolith
