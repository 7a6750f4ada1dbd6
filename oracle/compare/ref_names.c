/* The tables behind ref_names.h and the lookups in them. Rules: F20-F57, F64-F71, I4, relocations.md 12 and 13. */
#include "ref_names.h"

#include "ref_cubin.h"

#include <stdio.h>

/* relocations.md section 12; fields of types that are never applied are the [C] ones in brackets there. */
static const ref_relocation_row relocation_rows[] = {
    {"R_CUDA_NONE", {{0, 0}}},
    {"R_CUDA_32", {{0, 32}}},
    {"R_CUDA_64", {{0, 64}}},
    {"R_CUDA_G32", {{0, 32}}},
    {"R_CUDA_G64", {{0, 64}}},
    {"R_CUDA_ABS32_26", {{26, 32}}},
    {"R_CUDA_TEX_HEADER_INDEX", {{0, 20}}},
    {"R_CUDA_SAMP_HEADER_INDEX", {{20, 12}}},
    {"R_CUDA_SURF_HW_DESC", {{0, 32}}},
    {"R_CUDA_SURF_HW_SW_DESC", {{0, 32}}},
    {"R_CUDA_ABS32_LO_26", {{26, 32}}},
    {"R_CUDA_ABS32_HI_26", {{26, 32}}},
    {"R_CUDA_ABS32_23", {{23, 32}}},
    {"R_CUDA_ABS32_LO_23", {{23, 32}}},
    {"R_CUDA_ABS32_HI_23", {{23, 32}}},
    {"R_CUDA_ABS24_26", {{26, 24}}},
    {"R_CUDA_ABS24_23", {{23, 24}}},
    {"R_CUDA_ABS16_26", {{26, 16}}},
    {"R_CUDA_ABS16_23", {{23, 16}}},
    {"R_CUDA_TEX_SLOT", {{32, 8}}},
    {"R_CUDA_SAMP_SLOT", {{40, 5}}},
    {"R_CUDA_SURF_SLOT", {{26, 6}}},
    {"R_CUDA_TEX_BINDLESSOFF13_32", {{32, 13}}},
    {"R_CUDA_TEX_BINDLESSOFF13_47", {{47, 13}}},
    {"R_CUDA_CONST_FIELD19_28", {{28, 14}, {42, 4}, {26, 1}}},
    {"R_CUDA_CONST_FIELD19_23", {{23, 14}, {37, 5}}},
    {"R_CUDA_TEX_SLOT9_49", {{49, 9}}},
    {"R_CUDA_6_31", {{31, 6}}},
    {"R_CUDA_2_47", {{47, 2}}},
    {"R_CUDA_TEX_BINDLESSOFF13_41", {{41, 13}}},
    {"R_CUDA_TEX_BINDLESSOFF13_45", {{45, 13}}},
    {"R_CUDA_FUNC_DESC32_23", {{23, 32}}},
    {"R_CUDA_FUNC_DESC32_LO_23", {{23, 32}}},
    {"R_CUDA_FUNC_DESC32_HI_23", {{23, 32}}},
    {"R_CUDA_FUNC_DESC_32", {{0, 32}}},
    {"R_CUDA_FUNC_DESC_64", {{0, 64}}},
    {"R_CUDA_CONST_FIELD21_26", {{26, 16}, {42, 5}}},
    {"R_CUDA_QUERY_DESC21_37", {{37, 16}, {53, 5}}},
    {"R_CUDA_CONST_FIELD19_26", {{26, 14}, {40, 5}}},
    {"R_CUDA_CONST_FIELD21_23", {{23, 16}, {39, 5}}},
    {"R_CUDA_PCREL_IMM24_26", {{26, 24}}},
    {"R_CUDA_PCREL_IMM24_23", {{23, 24}}},
    {"R_CUDA_ABS32_20", {{20, 32}}},
    {"R_CUDA_ABS32_LO_20", {{20, 32}}},
    {"R_CUDA_ABS32_HI_20", {{20, 32}}},
    {"R_CUDA_ABS24_20", {{20, 24}}},
    {"R_CUDA_ABS16_20", {{20, 16}}},
    {"R_CUDA_FUNC_DESC32_20", {{20, 32}}},
    {"R_CUDA_FUNC_DESC32_LO_20", {{20, 32}}},
    {"R_CUDA_FUNC_DESC32_HI_20", {{20, 32}}},
    {"R_CUDA_CONST_FIELD19_20", {{20, 14}, {34, 5}}},
    {"R_CUDA_BINDLESSOFF13_36", {{36, 13}}},
    {"R_CUDA_SURF_HEADER_INDEX", {{0, 20}}},
    {"R_CUDA_INSTRUCTION64", {{0, 64}}},
    {"R_CUDA_CONST_FIELD21_20", {{20, 16}, {36, 5}}},
    {"R_CUDA_ABS32_32", {{32, 32}}},
    {"R_CUDA_ABS32_LO_32", {{32, 32}}},
    {"R_CUDA_ABS32_HI_32", {{32, 32}}},
    {"R_CUDA_ABS47_34", {{34, 47}}},
    {"R_CUDA_ABS16_32", {{32, 16}}},
    {"R_CUDA_ABS24_32", {{32, 24}}},
    {"R_CUDA_FUNC_DESC32_32", {{32, 32}}},
    {"R_CUDA_FUNC_DESC32_LO_32", {{32, 32}}},
    {"R_CUDA_FUNC_DESC32_HI_32", {{32, 32}}},
    {"R_CUDA_CONST_FIELD19_40", {{40, 14}, {54, 5}}},
    {"R_CUDA_BINDLESSOFF14_40", {{40, 14}}},
    {"R_CUDA_CONST_FIELD21_38", {{38, 16}, {54, 5}}},
    {"R_CUDA_INSTRUCTION128", {{0, 128}}},
    {"R_CUDA_YIELD_OPCODE9_0", {{0, 9}}},
    {"R_CUDA_YIELD_CLEAR_PRED4_87", {{87, 4}}},
    {"R_CUDA_32_LO", {{0, 32}}},
    {"R_CUDA_32_HI", {{0, 32}}},
    {"R_CUDA_UNUSED_CLEAR32", {{0, 32}}},
    {"R_CUDA_UNUSED_CLEAR64", {{0, 64}}},
    {"R_CUDA_ABS24_40", {{40, 24}}},
    {"R_CUDA_ABS55_16_34", {{16, 8}, {34, 47}}},
    {"R_CUDA_8_0", {{0, 8}}},
    {"R_CUDA_8_8", {{0, 8}}},
    {"R_CUDA_8_16", {{0, 8}}},
    {"R_CUDA_8_24", {{0, 8}}},
    {"R_CUDA_8_32", {{0, 8}}},
    {"R_CUDA_8_40", {{0, 8}}},
    {"R_CUDA_8_48", {{0, 8}}},
    {"R_CUDA_8_56", {{0, 8}}},
    {"R_CUDA_G8_0", {{0, 8}}},
    {"R_CUDA_G8_8", {{0, 8}}},
    {"R_CUDA_G8_16", {{0, 8}}},
    {"R_CUDA_G8_24", {{0, 8}}},
    {"R_CUDA_G8_32", {{0, 8}}},
    {"R_CUDA_G8_40", {{0, 8}}},
    {"R_CUDA_G8_48", {{0, 8}}},
    {"R_CUDA_G8_56", {{0, 8}}},
    {"R_CUDA_FUNC_DESC_8_0", {{0, 8}}},
    {"R_CUDA_FUNC_DESC_8_8", {{0, 8}}},
    {"R_CUDA_FUNC_DESC_8_16", {{0, 8}}},
    {"R_CUDA_FUNC_DESC_8_24", {{0, 8}}},
    {"R_CUDA_FUNC_DESC_8_32", {{0, 8}}},
    {"R_CUDA_FUNC_DESC_8_40", {{0, 8}}},
    {"R_CUDA_FUNC_DESC_8_48", {{0, 8}}},
    {"R_CUDA_FUNC_DESC_8_56", {{0, 8}}},
    {"R_CUDA_ABS20_44", {{44, 20}}},
    {"R_CUDA_SAMP_HEADER_INDEX_0", {{0, 12}}},
    {"R_CUDA_UNIFIED", {{0, 64}}},
    {"R_CUDA_UNIFIED_32", {{0, 32}}},
    {"R_CUDA_UNIFIED_8_0", {{0, 8}}},
    {"R_CUDA_UNIFIED_8_8", {{0, 8}}},
    {"R_CUDA_UNIFIED_8_16", {{0, 8}}},
    {"R_CUDA_UNIFIED_8_24", {{0, 8}}},
    {"R_CUDA_UNIFIED_8_32", {{0, 8}}},
    {"R_CUDA_UNIFIED_8_40", {{0, 8}}},
    {"R_CUDA_UNIFIED_8_48", {{0, 8}}},
    {"R_CUDA_UNIFIED_8_56", {{0, 8}}},
    {"R_CUDA_UNIFIED32_LO_32", {{32, 32}}},
    {"R_CUDA_UNIFIED32_HI_32", {{32, 32}}},
    {"R_CUDA_ABS56_16_34", {{16, 8}, {34, 48}}},
    {"R_CUDA_CONST_FIELD22_37", {{37, 17}, {54, 5}}},
    {"R_CUDA_NONE_LAST", {{0, 0}}},
};

/* relocations.md section 13; the number in a file is 0x10000 + ordinal. */
static const char *const mercury_names[] = {
    "R_MERCURY_NONE",
    "R_MERCURY_G64",
    "R_MERCURY_ABS64",
    "R_MERCURY_ABS32",
    "R_MERCURY_ABS16",
    "R_MERCURY_ABS32_LO",
    "R_MERCURY_ABS32_HI",
    "R_MERCURY_PROG_REL64",
    "R_MERCURY_PROG_REL32",
    "R_MERCURY_PROG_REL32_LO",
    "R_MERCURY_PROG_REL32_HI",
    "R_MERCURY_TEX_HEADER_INDEX",
    "R_MERCURY_SAMP_HEADER_INDEX",
    "R_MERCURY_SURF_HEADER_INDEX",
    "R_MERCURY_UNUSED_CLEAR64",
    "R_MERCURY_FUNC_DESC_64",
    "R_MERCURY_8_0",
    "R_MERCURY_8_8",
    "R_MERCURY_8_16",
    "R_MERCURY_8_24",
    "R_MERCURY_8_32",
    "R_MERCURY_8_40",
    "R_MERCURY_8_48",
    "R_MERCURY_8_56",
    "R_MERCURY_G8_0",
    "R_MERCURY_G8_8",
    "R_MERCURY_G8_16",
    "R_MERCURY_G8_24",
    "R_MERCURY_G8_32",
    "R_MERCURY_G8_40",
    "R_MERCURY_G8_48",
    "R_MERCURY_G8_56",
    "R_MERCURY_FUNC_DESC_8_0",
    "R_MERCURY_FUNC_DESC_8_8",
    "R_MERCURY_FUNC_DESC_8_16",
    "R_MERCURY_FUNC_DESC_8_24",
    "R_MERCURY_FUNC_DESC_8_32",
    "R_MERCURY_FUNC_DESC_8_40",
    "R_MERCURY_FUNC_DESC_8_48",
    "R_MERCURY_FUNC_DESC_8_56",
    "R_MERCURY_ABS_PROG_REL32_LO",
    "R_MERCURY_ABS_PROG_REL32_HI",
    "R_MERCURY_PROG_REL8_0",
    "R_MERCURY_PROG_REL8_8",
    "R_MERCURY_PROG_REL8_16",
    "R_MERCURY_PROG_REL8_24",
    "R_MERCURY_PROG_REL8_32",
    "R_MERCURY_PROG_REL8_40",
    "R_MERCURY_PROG_REL8_48",
    "R_MERCURY_PROG_REL8_56",
    "R_MERCURY_UNIFIED",
    "R_MERCURY_UNIFIED_32",
    "R_MERCURY_UNIFIED_8_0",
    "R_MERCURY_UNIFIED_8_8",
    "R_MERCURY_UNIFIED_8_16",
    "R_MERCURY_UNIFIED_8_24",
    "R_MERCURY_UNIFIED_8_32",
    "R_MERCURY_UNIFIED_8_40",
    "R_MERCURY_UNIFIED_8_48",
    "R_MERCURY_UNIFIED_8_56",
    "R_MERCURY_ABS_PROG_REL32",
    "R_MERCURY_ABS_PROG_REL64",
    "R_MERCURY_UNIFIED32_LO",
    "R_MERCURY_UNIFIED32_HI",
    "R_MERCURY_NONE_LAST",
};

/* F64 (0x56 has no trusted name); payloads: I4 for symbols, F64 and attributes.md section 4 for the rest. */
static const ref_attribute_row attribute_rows[] = {
    [0x00] = {"EIATTR_ERROR", REF_PAYLOAD_WORDS},
    [0x01] = {"EIATTR_PAD", REF_PAYLOAD_WORDS},
    [0x02] = {"EIATTR_IMAGE_SLOT", REF_PAYLOAD_SYMBOL_FIRST},
    [0x03] = {"EIATTR_JUMPTABLE_RELOCS", REF_PAYLOAD_WORDS},
    [0x04] = {"EIATTR_CTAIDZ_USED", REF_PAYLOAD_WORDS},
    [0x05] = {"EIATTR_MAX_THREADS", REF_PAYLOAD_WORDS},
    [0x06] = {"EIATTR_IMAGE_OFFSET", REF_PAYLOAD_SYMBOL_FIRST},
    [0x07] = {"EIATTR_IMAGE_SIZE", REF_PAYLOAD_SYMBOL_FIRST},
    [0x08] = {"EIATTR_TEXTURE_NORMALIZED", REF_PAYLOAD_SYMBOL_FIRST},
    [0x09] = {"EIATTR_SAMPLER_INIT", REF_PAYLOAD_SYMBOL_FIRST},
    [0x0a] = {"EIATTR_PARAM_CBANK", REF_PAYLOAD_PARAM_CBANK},
    [0x0b] = {"EIATTR_SMEM_PARAM_OFFSETS", REF_PAYLOAD_WORDS},
    [0x0c] = {"EIATTR_CBANK_PARAM_OFFSETS", REF_PAYLOAD_WORDS},
    [0x0d] = {"EIATTR_SYNC_STACK", REF_PAYLOAD_WORDS},
    [0x0e] = {"EIATTR_TEXID_SAMPID_MAP", REF_PAYLOAD_WORDS},
    [0x0f] = {"EIATTR_EXTERNS", REF_PAYLOAD_SYMBOLS},
    [0x10] = {"EIATTR_REQNTID", REF_PAYLOAD_WORDS},
    [0x11] = {"EIATTR_FRAME_SIZE", REF_PAYLOAD_SYMBOL_FIRST},
    [0x12] = {"EIATTR_MIN_STACK_SIZE", REF_PAYLOAD_SYMBOL_FIRST},
    [0x13] = {"EIATTR_SAMPLER_FORCE_UNNORMALIZED", REF_PAYLOAD_SYMBOL_FIRST},
    [0x14] = {"EIATTR_BINDLESS_IMAGE_OFFSETS", REF_PAYLOAD_SYMBOL_FIRST},
    [0x15] = {"EIATTR_BINDLESS_TEXTURE_BANK", REF_PAYLOAD_WORDS},
    [0x16] = {"EIATTR_BINDLESS_SURFACE_BANK", REF_PAYLOAD_WORDS},
    [0x17] = {"EIATTR_KPARAM_INFO", REF_PAYLOAD_KPARAM},
    [0x18] = {"EIATTR_SMEM_PARAM_SIZE", REF_PAYLOAD_WORDS},
    [0x19] = {"EIATTR_CBANK_PARAM_SIZE", REF_PAYLOAD_WORDS},
    [0x1a] = {"EIATTR_QUERY_NUMATTRIB", REF_PAYLOAD_WORDS},
    [0x1b] = {"EIATTR_MAXREG_COUNT", REF_PAYLOAD_WORDS},
    [0x1c] = {"EIATTR_EXIT_INSTR_OFFSETS", REF_PAYLOAD_OFFSETS},
    [0x1d] = {"EIATTR_S2RCTAID_INSTR_OFFSETS", REF_PAYLOAD_OFFSETS},
    [0x1e] = {"EIATTR_CRS_STACK_SIZE", REF_PAYLOAD_WORDS},
    [0x1f] = {"EIATTR_NEED_CNP_WRAPPER", REF_PAYLOAD_WORDS},
    [0x20] = {"EIATTR_NEED_CNP_PATCH", REF_PAYLOAD_WORDS},
    [0x21] = {"EIATTR_EXPLICIT_CACHING", REF_PAYLOAD_WORDS},
    [0x22] = {"EIATTR_ISTYPEP_USED", REF_PAYLOAD_WORDS},
    [0x23] = {"EIATTR_MAX_STACK_SIZE", REF_PAYLOAD_SYMBOL_FIRST},
    [0x24] = {"EIATTR_SUQ_USED", REF_PAYLOAD_WORDS},
    [0x25] = {"EIATTR_LD_CACHEMOD_INSTR_OFFSETS", REF_PAYLOAD_OFFSETS},
    [0x26] = {"EIATTR_LOAD_CACHE_REQUEST", REF_PAYLOAD_SYMBOL_FIRST},
    [0x27] = {"EIATTR_ATOM_SYS_INSTR_OFFSETS", REF_PAYLOAD_OFFSETS},
    [0x28] = {"EIATTR_COOP_GROUP_INSTR_OFFSETS", REF_PAYLOAD_OFFSETS},
    [0x29] = {"EIATTR_COOP_GROUP_MASK_REGIDS", REF_PAYLOAD_WORDS},
    [0x2a] = {"EIATTR_SW1850030_WAR", REF_PAYLOAD_WORDS},
    [0x2b] = {"EIATTR_WMMA_USED", REF_PAYLOAD_WORDS},
    [0x2c] = {"EIATTR_HAS_PRE_V10_OBJECT", REF_PAYLOAD_WORDS},
    [0x2d] = {"EIATTR_ATOMF16_EMUL_INSTR_OFFSETS", REF_PAYLOAD_WORDS},
    [0x2e] = {"EIATTR_ATOM16_EMUL_INSTR_REG_MAP", REF_PAYLOAD_WORDS},
    [0x2f] = {"EIATTR_REGCOUNT", REF_PAYLOAD_SYMBOL_FIRST},
    [0x30] = {"EIATTR_SW2393858_WAR", REF_PAYLOAD_WORDS},
    [0x31] = {"EIATTR_INT_WARP_WIDE_INSTR_OFFSETS", REF_PAYLOAD_OFFSETS},
    [0x32] = {"EIATTR_SHARED_SCRATCH", REF_PAYLOAD_WORDS},
    [0x33] = {"EIATTR_STATISTICS", REF_PAYLOAD_WORDS},
    [0x34] = {"EIATTR_INDIRECT_BRANCH_TARGETS", REF_PAYLOAD_WORDS},
    [0x35] = {"EIATTR_SW2861232_WAR", REF_PAYLOAD_WORDS},
    [0x36] = {"EIATTR_SW_WAR", REF_PAYLOAD_WORDS},
    [0x37] = {"EIATTR_CUDA_API_VERSION", REF_PAYLOAD_WORDS},
    [0x38] = {"EIATTR_NUM_MBARRIERS", REF_PAYLOAD_WORDS},
    [0x39] = {"EIATTR_MBARRIER_INSTR_OFFSETS", REF_PAYLOAD_WORDS},
    [0x3a] = {"EIATTR_COROUTINE_RESUME_ID_OFFSETS", REF_PAYLOAD_WORDS},
    [0x3b] = {"EIATTR_SAM_REGION_STACK_SIZE", REF_PAYLOAD_SYMBOL_FIRST},
    [0x3c] = {"EIATTR_PER_REG_TARGET_PERF_STATS", REF_PAYLOAD_WORDS},
    [0x3d] = {"EIATTR_CTA_PER_CLUSTER", REF_PAYLOAD_WORDS},
    [0x3e] = {"EIATTR_EXPLICIT_CLUSTER", REF_PAYLOAD_WORDS},
    [0x3f] = {"EIATTR_MAX_CLUSTER_RANK", REF_PAYLOAD_WORDS},
    [0x40] = {"EIATTR_INSTR_REG_MAP", REF_PAYLOAD_WORDS},
    [0x41] = {"EIATTR_RESERVED_SMEM_USED", REF_PAYLOAD_WORDS},
    [0x42] = {"EIATTR_RESERVED_SMEM_0_SIZE", REF_PAYLOAD_WORDS},
    [0x43] = {"EIATTR_UCODE_SECTION_DATA", REF_PAYLOAD_WORDS},
    [0x44] = {"EIATTR_UNUSED_LOAD_BYTE_OFFSET", REF_PAYLOAD_WORDS},
    [0x45] = {"EIATTR_KPARAM_INFO_V2", REF_PAYLOAD_KPARAM_V2},
    [0x46] = {"EIATTR_SYSCALL_OFFSETS", REF_PAYLOAD_OFFSETS},
    [0x47] = {"EIATTR_SW_WAR_MEMBAR_SYS_INSTR_OFFSETS", REF_PAYLOAD_OFFSETS},
    [0x48] = {"EIATTR_GRAPHICS_GLOBAL_CBANK", REF_PAYLOAD_WORDS},
    [0x49] = {"EIATTR_SHADER_TYPE", REF_PAYLOAD_WORDS},
    [0x4a] = {"EIATTR_VRC_CTA_INIT_COUNT", REF_PAYLOAD_WORDS},
    [0x4b] = {"EIATTR_TOOLS_PATCH_FUNC", REF_PAYLOAD_WORDS},
    [0x4c] = {"EIATTR_NUM_BARRIERS", REF_PAYLOAD_WORDS},
    [0x4d] = {"EIATTR_TEXMODE_INDEPENDENT", REF_PAYLOAD_WORDS},
    [0x4e] = {"EIATTR_PERF_STATISTICS", REF_PAYLOAD_WORDS},
    [0x4f] = {"EIATTR_AT_ENTRY_FRAGMENTS", REF_PAYLOAD_WORDS},
    [0x50] = {"EIATTR_SPARSE_MMA_MASK", REF_PAYLOAD_WORDS},
    [0x51] = {"EIATTR_TCGEN05_1CTA_USED", REF_PAYLOAD_WORDS},
    [0x52] = {"EIATTR_TCGEN05_2CTA_USED", REF_PAYLOAD_WORDS},
    [0x53] = {"EIATTR_GEN_ERRBAR_AT_EXIT", REF_PAYLOAD_WORDS},
    [0x54] = {"EIATTR_REG_RECONFIG", REF_PAYLOAD_WORDS},
    [0x55] = {"EIATTR_ANNOTATIONS", REF_PAYLOAD_WORDS},
    [0x56] = {"EIATTR_0x56", REF_PAYLOAD_WORDS},
    [0x57] = {"EIATTR_STACK_CANARY_TRAP_OFFSETS", REF_PAYLOAD_OFFSETS},
    [0x58] = {"EIATTR_STUB_FUNCTION_KIND", REF_PAYLOAD_WORDS},
    [0x59] = {"EIATTR_LOCAL_CTA_ASYNC_STORE_OFFSETS", REF_PAYLOAD_WORDS},
    [0x5a] = {"EIATTR_MERCURY_FINALIZER_OPTIONS", REF_PAYLOAD_WORDS},
    [0x5b] = {"EIATTR_BLOCKS_ARE_CLUSTERS", REF_PAYLOAD_WORDS},
    [0x5c] = {"EIATTR_SANITIZE", REF_PAYLOAD_WORDS},
    [0x5d] = {"EIATTR_SYSCALLS_FALLBACK", REF_PAYLOAD_WORDS},
    [0x5e] = {"EIATTR_CUDA_REQ", REF_PAYLOAD_WORDS},
    [0x5f] = {"EIATTR_MERCURY_ISA_VERSION", REF_PAYLOAD_WORDS},
    [0x60] = {"EIATTR_EXPORTED_FUNCTION", REF_PAYLOAD_WORDS},
    [0x61] = {"EIATTR_RTCORE_ENTRY", REF_PAYLOAD_WORDS},
    [0x62] = {"EIATTR_CLUSTER_LAUNCH_CONTROL_USED", REF_PAYLOAD_WORDS},
    [0x63] = {"EIATTR_LAUNCH_PRE_REG_ALLOC", REF_PAYLOAD_WORDS},
    [0x64] = {"EIATTR_MIN_PER_CTA_MEMORY_SIZE", REF_PAYLOAD_WORDS},
    [0x65] = {"EIATTR_IGNOREOOB_CP_ASYNC_BULK_INSTR_OFFSETS", REF_PAYLOAD_WORDS},
    [0x66] = {"EIATTR_LANGUAGE", REF_PAYLOAD_WORDS},
    [0x67] = {"EIATTR_WAR5829587_NEEDED", REF_PAYLOAD_WORDS},
    [0x68] = {"EIATTR_GRID_ATTRIBUTES", REF_PAYLOAD_WORDS},
    [0x69] = {"EIATTR_STACK_OFFSET", REF_PAYLOAD_WORDS},
    [0x6a] = {"EIATTR_RT_LIVESTATE_SASS_MAP", REF_PAYLOAD_WORDS},
    [0x6b] = {"EIATTR_NVSAL_SW_WAR", REF_PAYLOAD_WORDS},
    [0x6c] = {"EIATTR_INSTR_OFFSETS", REF_PAYLOAD_WORDS},
    [0x6d] = {"EIATTR_PREEXIT_USED", REF_PAYLOAD_WORDS},
};

typedef struct ref_number_name {
  uint64_t number;
  const char *name;
} ref_number_name;

/* F56, F65-F71. */
static const ref_number_name compat_names[] = {
    {1, "PAD"},
    {2, "ISA_CLASS"},
    {3, "INST_TENSORMAP_V1"},
    {4, "TCGEN05_MMA_DEPRECATED"},
    {5, "INST_TCGEN05_MMA"},
    {6, "ENABLE_OPPORTUNISTIC_FINALIZATION"},
    {7, "MERCURY_ISA_MAJOR_MINOR"},
    {8, "MERCURY_ISA_PATCH"},
    {9, "CUDA_ACCELERATOR_TARGET"},
    {11, "CAN_FASTPATH_FINALIZE"},
    {0, NULL},
};

/* ELF's own and F20-F43. Constant banks are a range, ref_add_section_type says which. */
static const ref_number_name section_type_names[] = {
    {0, "NULL"},
    {1, "PROGBITS"},
    {2, "SYMTAB"},
    {3, "STRTAB"},
    {4, "RELA"},
    {7, "NOTE"},
    {8, "NOBITS"},
    {9, "REL"},
    {18, "SYMTAB_SHNDX"},
    {0x70000000, "CUDA_INFO"},
    {0x70000001, "CUDA_CALLGRAPH"},
    {0x70000002, "CUDA_PROTOTYPE"},
    {0x70000003, "CUDA_RESOLVED_RELA"},
    {0x70000004, "CUDA_METADATA"},
    {0x70000006, "CUDA_CONSTANT"},
    {0x70000007, "CUDA_GLOBAL"},
    {0x70000008, "CUDA_GLOBAL_INIT"},
    {0x70000009, "CUDA_LOCAL"},
    {0x7000000a, "CUDA_SHARED"},
    {0x7000000b, "CUDA_RELOCINFO"},
    {0x7000000c, "CUDA_MERCURY"},
    {0x7000000d, "CUDA_MERCURY_SASS_MAP"},
    {0x7000000e, "CUDA_UFT"},
    {0x70000010, "CUDA_UIDX"},
    {0x70000011, "CUDA_UFT_ENTRY"},
    {0x70000012, "CUDA_UDT"},
    {0x70000014, "CUDA_UDT_ENTRY"},
    {0x70000015, "CUDA_SHARED_RESERVED"},
    {0x70000016, "CUDA_CAPMERC_TEXT"},
    {0x70000078, "CUDA_MERC_CONSTANT_PARAMS"},
    {0x70000079, "CUDA_MERC_CONSTANT_IMGHDR"},
    {0x7000007a, "CUDA_MERC_CONSTANT_DRIVER"},
    {0x7000007b, "CUDA_MERC_CONSTANT_OPT"},
    {0x7000007c, "CUDA_MERC_CONSTANT_USER"},
    {0x7000007d, "CUDA_MERC_CONSTANT_PIC"},
    {0x7000007e, "CUDA_MERC_CONSTANT_TOOLS"},
    {0x70000082, "CUDA_MERC_RELA"},
    {0x70000083, "CUDA_MERC_INFO"},
    {0x70000084, "CUDA_MERC_CONSTANT_OPTIMIZER"},
    {0x70000085, "CUDA_MERC_SYMTAB"},
    {0x70000086, "CUDA_COMPAT"},
    {0x70000087, "CUDA_EMBEDDED_HOST"},
    {0x70000088, "CUDA_MERC_RESOLVED_RELA"},
    {0x70000089, "CUDA_METADATA_TRACE_MARK"},
    {0x7000008a, "CUDA_MERC_CALLGRAPH"},
    {0, NULL},
};

static const ref_number_name section_flag_names[] = {
    {0x1, "WRITE"},         {0x2, "ALLOC"},         {0x4, "EXECUTE"},        {0x40, "INFO_LINK"},
    {0x01000000, "CUINFO"}, {0x02000000, "TKINFO"}, {0x10000000, "MERCURY"}, {0, NULL},
};

/* F50. */
static const ref_number_name symbol_type_names[] = {
    {0, "NOTYPE"}, {1, "OBJECT"},   {2, "FUNC"},     {3, "SECTION"},  {4, "FILE"},         {5, "COMMON"},
    {6, "TLS"},    {10, "TEXTURE"}, {11, "SAMPLER"}, {12, "SURFACE"}, {13, "CUDA_OBJECT"}, {0, NULL},
};

static const ref_number_name binding_names[] = {{0, "LOCAL"}, {1, "GLOBAL"}, {2, "WEAK"}, {0, NULL}};
static const ref_number_name segment_type_names[] = {{0, "NULL"}, {1, "LOAD"}, {4, "NOTE"}, {6, "PHDR"}, {0, NULL}};
static const ref_number_name segment_flag_names[] = {{1, "X"}, {2, "W"}, {4, "R"}, {0, NULL}};
static const ref_number_name file_type_names[] = {
    {1, "relocatable"}, {2, "executable"}, {0xff00, "extensible whole program"}, {0, NULL}};
/* F51, the top three bits of st_other. */
static const ref_number_name space_names[] = {{0x20, "global"},   {0x40, "shared"},          {0x60, "local"},
                                              {0x80, "constant"}, {0xa0, "reserved shared"}, {0, NULL}};

const ref_record_field ref_header_fields[] = {
    {"magic", "ELF magic number", 0, 4},
    {"class", "EI_CLASS", 4, 1},
    {"data", "EI_DATA", 5, 1},
    {"ident_version", "EI_VERSION", 6, 1},
    {"osabi", "EI_OSABI", 7, 1},
    {"abi_version", "EI_ABIVERSION", 8, 1},
    {"ident_padding", "e_ident padding byte 9", 9, 1},
    {"ident_padding", "e_ident padding bytes 10-11", 10, 2},
    {"ident_padding", "e_ident padding bytes 12-15", 12, 4},
    {"type", "e_type", 16, 2},
    {"machine", "e_machine", 18, 2},
    {"version", "e_version", 20, 4},
    {"entry", "e_entry", 24, 8},
    {"segment_offset", "e_phoff", 32, 8},
    {"section_offset", "e_shoff", 40, 8},
    {"flags", "e_flags", 48, 4},
    {"header_size", "e_ehsize", 52, 2},
    {"segment_entry_size", "e_phentsize", 54, 2},
    {"segment_count", "e_phnum", 56, 2},
    {"section_entry_size", "e_shentsize", 58, 2},
    {"section_count", "e_shnum", 60, 2},
    {"name_section", "e_shstrndx", 62, 2},
    {NULL, NULL, 0, 0},
};

const ref_record_field ref_section_fields[] = {
    {"name", "sh_name", 0, 4},
    {"type", "sh_type", 4, 4},
    {"flags", "sh_flags", 8, 8},
    {"address", "sh_addr", 16, 8},
    {"offset", "sh_offset", 24, 8},
    {"size", "sh_size", 32, 8},
    {"link", "sh_link", 40, 4},
    {"info", "sh_info", 44, 4},
    {"align", "sh_addralign", 48, 8},
    {"entry_size", "sh_entsize", 56, 8},
    {NULL, NULL, 0, 0},
};

const ref_record_field ref_segment_fields[] = {
    {"type", "p_type", 0, 4},          {"flags", "p_flags", 4, 4},     {"offset", "p_offset", 8, 8},
    {"address", "p_vaddr", 16, 8},     {"physical", "p_paddr", 24, 8}, {"file_size", "p_filesz", 32, 8},
    {"memory_size", "p_memsz", 40, 8}, {"align", "p_align", 48, 8},    {NULL, NULL, 0, 0},
};

const ref_record_field ref_symbol_fields[] = {
    {"name", "st_name", 0, 4},   {"info", "st_info", 4, 1},  {"other", "st_other", 5, 1}, {"section", "st_shndx", 6, 2},
    {"value", "st_value", 8, 8}, {"size", "st_size", 16, 8}, {NULL, NULL, 0, 0},
};

uint64_t ref_read_field(const uint8_t *at, uint8_t width) {
  switch (width) {
  case 1:
    return at[0];
  case 2:
    return ref_u16(at);
  case 4:
    return ref_u32(at);
  default:
    return ref_u64(at);
  }
}

static const char *ref_find_name(const ref_number_name *rows, uint64_t number) {
  for (; rows->name; rows++)
    if (rows->number == number)
      return rows->name;
  return NULL;
}

static void ref_add_name_or_number(ref_text *text, const ref_number_name *rows, uint64_t number) {
  const char *name = ref_find_name(rows, number);
  if (name)
    ref_text_add(text, "%s", name);
  else
    ref_text_add(text, "0x%llx", (unsigned long long)number);
}

/* The names of the bits that are set, joined by '|', and what is left over as a number. */
static void ref_add_bits(ref_text *text, const ref_number_name *rows, uint64_t bits) {
  const char *between = "";
  if (bits == 0)
    ref_text_add(text, "0");
  for (; rows->name; rows++)
    if (bits & rows->number) {
      ref_text_add(text, "%s%s", between, rows->name);
      bits &= ~rows->number;
      between = "|";
    }
  if (bits)
    ref_text_add(text, "%s0x%llx", between, (unsigned long long)bits);
}

const ref_relocation_row *ref_find_relocation_row(uint32_t type) {
  return type < sizeof relocation_rows / sizeof *relocation_rows ? &relocation_rows[type] : NULL;
}

const ref_attribute_row *ref_find_attribute_row(uint8_t code) {
  return code < sizeof attribute_rows / sizeof *attribute_rows ? &attribute_rows[code] : NULL;
}

const char *ref_find_compat_name(uint8_t code) {
  return ref_find_name(compat_names, code);
}

void ref_add_relocation_type(ref_text *text, uint32_t type) {
  const ref_relocation_row *row = ref_find_relocation_row(type);
  if (row)
    ref_text_add(text, "%s (%u)", row->name, type);
  else if (type >= 0x10000 && type - 0x10000 < sizeof mercury_names / sizeof *mercury_names)
    ref_text_add(text, "%s (0x%x)", mercury_names[type - 0x10000], type);
  else
    ref_text_add(text, "relocation type %u", type);
}

void ref_add_attribute_name(ref_text *text, uint8_t code) {
  const ref_attribute_row *row = ref_find_attribute_row(code);
  if (row)
    ref_text_add(text, "%s", row->name);
  else
    ref_text_add(text, "EIATTR_0x%02x", code);
}

void ref_add_compat_name(ref_text *text, uint8_t code) {
  const char *name = ref_find_compat_name(code);
  if (name)
    ref_text_add(text, "%s", name);
  else
    ref_text_add(text, "COMPAT_0x%02x", code);
}

void ref_add_section_type(ref_text *text, uint32_t type) {
  if (type >= 0x70000064 && type < 0x70000078)
    ref_text_add(text, "CUDA_CONSTANT%u", type - 0x70000064);
  else
    ref_add_name_or_number(text, section_type_names, type);
}

void ref_add_section_flags(ref_text *text, uint64_t flags) {
  ref_add_bits(text, section_flag_names, flags);
}

void ref_add_symbol_type(ref_text *text, uint8_t info) {
  ref_add_name_or_number(text, symbol_type_names, info & 15);
}

void ref_add_binding(ref_text *text, uint8_t info) {
  ref_add_name_or_number(text, binding_names, info >> 4);
}

/* F51-F55. */
void ref_add_symbol_other(ref_text *text, uint8_t other, bool is_function) {
  static const char *const visibility[] = {"", "internal", "hidden", "protected"};
  ref_text_add(text, "0x%02x", other);
  const char *between = " (";
  const char *space = ref_find_name(space_names, other & 0xe0);
  if (space) {
    ref_text_add(text, "%s%s", between, space);
    between = ", ";
  }
  const ref_number_name function_bits[] = {{0x10, "entry"}, {0x08, "obscure"}, {0x04, "unified"}, {0, NULL}};
  const ref_number_name data_bits[] = {{0x10, "unified"}, {0x08, "obscure"}, {0x04, "managed"}, {0, NULL}};
  for (const ref_number_name *row = is_function ? function_bits : data_bits; row->name; row++)
    if (other & row->number) {
      ref_text_add(text, "%s%s", between, row->name);
      between = ", ";
    }
  if (other & 3) {
    ref_text_add(text, "%s%s", between, visibility[other & 3]);
    between = ", ";
  }
  if (*between == ',')
    ref_text_add(text, ")");
}

void ref_add_segment_type(ref_text *text, uint32_t type) {
  ref_add_name_or_number(text, segment_type_names, type);
}

void ref_add_segment_flags(ref_text *text, uint32_t flags) {
  ref_add_bits(text, segment_flag_names, flags);
}

void ref_add_file_type(ref_text *text, uint16_t type) {
  ref_add_name_or_number(text, file_type_names, type);
}
