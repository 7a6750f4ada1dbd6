/* The numbers of the cubin format: ELF's own and CUDA's (F1-F11, F20-F46, F50-F60). */
#ifndef TL_CUBIN_ELF_H
#define TL_CUBIN_ELF_H

enum {
  ELF_HEADER_SIZE = 64,
  ELF_SECTION_SIZE = 64,
  ELF_SEGMENT_SIZE = 56,
  ELF_SYMBOL_SIZE = 24,
  ELF_REL_SIZE = 16,
  ELF_RELA_SIZE = 24,
  UNIFIED_ENTRY_SIZE = 32
};

enum { ET_REL = 1, ET_EXEC = 2, ET_EWP = 0xff00, EM_CUDA = 190 };

/* sh_type */
#define SHT_NULL 0u
#define SHT_PROGBITS 1u
#define SHT_SYMTAB 2u
#define SHT_STRTAB 3u
#define SHT_RELA 4u
#define SHT_NOTE 7u
#define SHT_NOBITS 8u
#define SHT_REL 9u
#define SHT_SYMTAB_SHNDX 18u
#define SHT_CUDA_INFO 0x70000000u
#define SHT_CUDA_CALLGRAPH 0x70000001u
#define SHT_CUDA_PROTOTYPE 0x70000002u
#define SHT_CUDA_RESOLVEDRELA 0x70000003u
#define SHT_CUDA_MERCURY_RESOLVEDRELA 0x70000088u
#define SHT_CUDA_METADATA 0x70000004u
#define SHT_CUDA_CONSTANT 0x70000006u /* of the bank that its name says (L690) */
#define SHT_CUDA_GLOBAL 0x70000007u
#define SHT_CUDA_GLOBAL_INIT 0x70000008u
#define SHT_CUDA_LOCAL 0x70000009u
#define SHT_CUDA_SHARED 0x7000000au
#define SHT_CUDA_REL_ACTION 0x7000000bu
#define SHT_CUDA_UFT_REL 0x7000000eu
#define SHT_CUDA_UIDX 0x70000010u
#define SHT_CUDA_UFT_ENTRY 0x70000011u
#define SHT_CUDA_UDT 0x70000012u
#define SHT_CUDA_UDT_ENTRY 0x70000014u
#define SHT_CUDA_RESERVED_SHARED 0x70000015u
#define SHT_CUDA_CAPSULE 0x70000016u   /* .nv.capmerc.text.F */
#define SHT_CUDA_CONSTANT0 0x70000064u /* + bank, 0 to 17 (F36) */
#define SHT_CUDA_CONSTANT_LAST 0x70000075u
#define SHT_CUDA_MERCURY_CONSTANT_LAST 0x7000007eu
#define SHT_CUDA_IMAGE_HEADERS 0x70000079u /* .nv.constant.entry_image_header_indices.K */
#define SHT_CUDA_PIC_CONSTANT 0x7000007du  /* .nv.merc.nv.constant.pic */
#define SHT_CUDA_USER_CONSTANT 0x7000007cu /* .nv.merc.nv.constant.user */
#define SHT_CUDA_MERCURY_RELA 0x70000082u
#define SHT_CUDA_MERCURY_INFO 0x70000083u
#define SHT_CUDA_OPTIMIZER_CONSTANT 0x70000084u /* .nv.merc.nv.constant.optimizer.F */
#define SHT_CUDA_MERCURY_SYMTAB 0x70000085u
#define SHT_CUDA_COMPAT 0x70000086u

/* Bytes at the beginning of shared memory that are the system's, from sm_90 on (H7). */
enum { TL_RESERVED_SHARED = 0x400 };

/* sh_flags */
#define SHF_WRITE 1u
#define SHF_ALLOC 2u
#define SHF_EXECINSTR 4u
#define SHF_INFO_LINK 0x40u
#define SHF_CUDA_NOTE_INFO 0x1000000u /* .note.nv.cuinfo */
#define SHF_CUDA_BARRIERS 20          /* of a text: from this bit on the number of barriers (L1413) */
#define SHF_CUDA_BARRIERS_MASK 0x7fu
#define SHF_CUDA_MERCURY 0x10000000u /* F44 */

/* st_shndx */
enum { SHN_UNDEF = 0, SHN_LORESERVE = 0xff00, SHN_COMMON = 0xfff2, SHN_XINDEX = 0xffff };

/* st_info: type and binding (F50, F57) */
enum {
  STT_NOTYPE = 0,
  STT_OBJECT = 1,
  STT_FUNC = 2,
  STT_SECTION = 3,
  STT_FILE = 4,
  STT_CUDA_TEXTURE = 10,
  STT_CUDA_SAMPLER = 11,
  STT_CUDA_SURFACE = 12,
  STT_CUDA_OBJECT = 13
};
enum { STB_LOCAL = 0, STB_GLOBAL = 1, STB_WEAK = 2 };

/* st_other: memory space, entry or unified, managed, visibility (F51-F55) */
enum {
  STO_SPACE_MASK = 0xe0,
  STO_GLOBAL = 0x20,
  STO_SHARED = 0x40,
  STO_CONSTANT = 0x80,
  STO_RESERVED_SHARED = 0xa0,
  STO_ENTRY = 0x10,
  STO_MANAGED = 0x04,
  STO_VISIBILITY_MASK = 3,
  STV_INTERNAL = 1,
  STV_HIDDEN = 2,
  STV_PROTECTED = 3
};

/* .nv.callgraph: the word that opens each part (F75) */
#define CALLGRAPH_CALL 0xffffffffu
#define CALLGRAPH_TAKEN 0xfffffffeu
#define CALLGRAPH_INDIRECT 0xfffffffdu
#define CALLGRAPH_REFERENCE 0xfffffffcu

#endif
