// The pages of the program that real-time threads may use, by the symbols of its file.
//
// The program has 20 MB of code, and 7 MB of tables that only the start and exceptions need. Real-time threads use a small part of it: the
// modules of the engine. To lock the whole program would take 27 MB of memory. The name of a Swift function contains its module, so the
// symbols show which pages contain only functions of other modules.
//
// A function that the compiler has specialised for several modules exists only once, in any module's part of the file. Such functions of the
// standard library therefore count as real-time code wherever they are, unless their names contain another module. A page counts as
// real-time code if any of its functions does.
#include "ProgramCode.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096 };

/// The modules that no real-time thread of a peer calls. A module that is missing here is locked in memory.
static const char *const other_modules[] = {
    "ArgumentParser",    "ArgumentParserToolInfo", "Atomics",        "BuildVersion",      "ComplexModule",
    "Console",           "Crypto",                 "CryptoBoringWrapper", "CryptoExtras", "DequeModule",
    "Dispatch",          "Engraving",              "Fonts",          "Foundation",        "FoundationEssentials",
    "Histogram",         "Logging",                "Measurement",    "NIOConcurrencyHelpers", "NIOCore",
    "NIOEmbedded",       "NIOHTTP1",               "NIOPosix",       "NIOSSL",            "NIOTLS",
    "NIOWebSocket",      "Numerics",               "RealModule",     "ScoreFiles",        "Simulation",
    "SwiftASN1",         "Text",                   "X509",           "Yams",              "_CertificateInternals",
    "_NIOBase64",        "_NIODataStructures",     "tutti"};

/// Parts of the names of C functions of these modules.
static const char *const other_functions[] = {"BoringSSL", "BORINGSSL", "boringssl", "c_nio", "yaml_"};

/// Whether the `length` octets at `name` are the name of one of the other modules.
static int is_other_module(const char *name, size_t length) {
  for (size_t i = 0; i < sizeof other_modules / sizeof *other_modules; i++)
    if (strlen(other_modules[i]) == length && memcmp(other_modules[i], name, length) == 0) return 1;
  return 0;
}

/// Reads the identifier at `*text`: its length in digits, and its octets (Swift name mangling). Returns 0 if there is none. Otherwise
/// stores its place, and moves `*text` to its end.
static size_t take_identifier(const char **text, const char **identifier) {
  size_t length = 0;
  const char *next = *text;
  while (*next >= '0' && *next <= '9' && length < 1000) length = length * 10 + (size_t)(*next++ - '0');
  if (length == 0 || strnlen(next, length) < length) return 0;
  *identifier = next;
  *text = next + length;
  return length;
}

/// Whether the function belongs to real-time code. `is_realtime` is that of the function before it in the file, which belongs to the same
/// module if the name shows none.
static int is_realtime_function(const char *name, int *is_realtime) {
  const char *identifier, *text = name + 2;
  if (strncmp(name, "$s", 2) != 0) {
    for (size_t i = 0; i < sizeof other_functions / sizeof *other_functions; i++)
      if (strstr(name, other_functions[i])) return *is_realtime = 0;
    return *is_realtime;
  }
  size_t length = take_identifier(&text, &identifier);
  if (length > 0) return *is_realtime = !is_other_module(identifier, length);
  // A function of the standard library: S is one of its types, s the module itself.
  if (*text != 'S' && *text != 's') return *is_realtime;
  for (; *text; text++) {
    const char *end = text;
    if (*text < '1' || *text > '9' || (length = take_identifier(&end, &identifier)) == 0) continue;
    if (is_other_module(identifier, length)) return *is_realtime;
    text = end - 1;
  }
  return 1;
}

/// One octet for each page of the program's file, not 0 for real-time code. NULL if all pages count as real-time code.
static uint8_t *pages;
static size_t page_count;

static void mark(uintptr_t address, uintptr_t size) {
  for (uintptr_t page = address / PAGE; size > 0 && page <= (address + size - 1) / PAGE && page < page_count; page++) pages[page] = 1;
}

/// A function in the file.
struct function { uintptr_t address, size; const char *name; };

static int compare_addresses(const void *a, const void *b) {
  const uintptr_t first = ((const struct function *)a)->address, second = ((const struct function *)b)->address;
  return first < second ? -1 : first > second;
}

/// Marks the functions of real-time code.
static void mark_functions(const ElfW(Sym) *symbols, size_t count, const char *names, size_t names_size) {
  struct function *functions = malloc(count * sizeof *functions);
  size_t functions_count = 0;
  for (size_t i = 0; functions && i < count; i++)
    if (ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC && symbols[i].st_name < names_size && symbols[i].st_shndx != SHN_UNDEF)
      functions[functions_count++] = (struct function){symbols[i].st_value, symbols[i].st_size, names + symbols[i].st_name};
  if (functions) qsort(functions, functions_count, sizeof *functions, compare_addresses);
  int is_realtime = 1;
  for (size_t i = 0; i < functions_count; i++)
    if (is_realtime_function(functions[i].name, &is_realtime)) mark(functions[i].address, functions[i].size);
  free(functions);
}

/// Marks all sections that are not code, except the tables for the dynamic linker, exceptions and reflection.
static void mark_data(const ElfW(Shdr) *sections, size_t count, const char *names, size_t names_size) {
  static const char *const startup[] = {".dyn", ".rela", ".gnu", ".hash", ".eh_frame", ".gcc_except", "swift5", ".swift", ".note"};
  for (size_t i = 0; i < count; i++) {
    if (!(sections[i].sh_flags & SHF_ALLOC) || sections[i].sh_name >= names_size) continue;
    const char *name = names + sections[i].sh_name;
    int is_used = strcmp(name, ".text") != 0;
    for (size_t n = 0; n < sizeof startup / sizeof *startup; n++)
      if (strncmp(name, startup[n], strlen(startup[n])) == 0) is_used = 0;
    if (is_used) mark(sections[i].sh_addr, sections[i].sh_size);
  }
}

/// Reads the file of the program, of `size` octets at `file`. Every place in it is checked, because a damaged file must not end the program.
static void read_program(const char *file, size_t size) {
  const ElfW(Ehdr) *header = (const void *)file;
  if (size < sizeof *header || header->e_shentsize != sizeof(ElfW(Shdr)) || header->e_shoff % 8 != 0) return;
  const size_t count = header->e_shnum, names_index = header->e_shstrndx;
  if (header->e_shoff > size || count > (size - header->e_shoff) / sizeof(ElfW(Shdr)) || names_index >= count) return;
  const ElfW(Shdr) *sections = (const void *)(file + header->e_shoff);
  for (size_t i = 0; i < count; i++)
    if (sections[i].sh_type != SHT_NOBITS && (sections[i].sh_offset > size || sections[i].sh_size > size - sections[i].sh_offset)) return;
  const ElfW(Shdr) *symbols = NULL;
  uintptr_t end = 0;
  for (size_t i = 0; i < count; i++) {
    if (sections[i].sh_type == SHT_SYMTAB) symbols = &sections[i];
    if (sections[i].sh_flags & SHF_ALLOC && sections[i].sh_addr + sections[i].sh_size > end) end = sections[i].sh_addr + sections[i].sh_size;
  }
  // A program without symbols, or of more than 1 GB, is locked as a whole.
  if (!symbols || symbols->sh_link >= count || symbols->sh_offset % 8 != 0 || end > 1 << 30) return;
  const ElfW(Shdr) *strings = &sections[symbols->sh_link];
  if (strings->sh_size == 0 || file[strings->sh_offset + strings->sh_size - 1] != 0 || sections[names_index].sh_size == 0) return;
  if (!(pages = calloc(page_count = end / PAGE + 1, 1))) return;
  mark_data(sections, count, file + sections[names_index].sh_offset, sections[names_index].sh_size);
  mark_functions((const void *)(file + symbols->sh_offset), symbols->sh_size / sizeof(ElfW(Sym)), file + strings->sh_offset,
                 strings->sh_size);
}

static void read_own_program(void) {
  const int descriptor = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (descriptor < 0) return;
  if (fstat(descriptor, &status) == 0 && status.st_size > 0) {
    void *file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (file != MAP_FAILED) {
      read_program(file, (size_t)status.st_size);
      munmap(file, (size_t)status.st_size);
    }
  }
  close(descriptor);
}

int program_page_is_realtime(uintptr_t address) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, read_own_program);
  return !pages || (address / PAGE < page_count && pages[address / PAGE]);
}
