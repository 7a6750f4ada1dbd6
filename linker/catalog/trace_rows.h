/* The rows of catalog/trace: TL_TRACE(id, row of the closed list, part, text). %s text, %u decimal, %x hexadecimal. */
/* clang-format off */
/* merging: the contest of weak functions and what goes with the body that is replaced */
TL_TRACE(REPLACE_WEAK,        "Z004.33",  MERGE,    "replace weak function %s")
TL_TRACE(FEWER_REGISTERS,     "Z004.38",  MERGE,    "replace weak function %s with weak that uses fewer registers")
TL_TRACE(NEWER_PTX,           "Z004.41",  MERGE,    "replace weak function %s with weak from newer PTX")
TL_TRACE(NO_NEW_COUNT,        "Z004.35",  MERGE,    "no new register count found for %s, checking .nv.info")
TL_TRACE(NO_OLD_COUNT,        "Z004.35",  MERGE,    "no original register count found for %s, checking .nv.info")
TL_TRACE(WEAK_RELOC,          "Z004.45",  MERGE,    "remove weak reloc")
TL_TRACE(WEAK_DEBUG_RELOC,    "Z004.47",  MERGE,    "remove weak reloc from debug")
TL_TRACE(WEAK_INFO,           "Z004.48",  MERGE,    "remove weak nvinfo")
TL_TRACE(WEAK_FRAME_SIZE,     "Z004.49",  MERGE,    "remove weak frame_size")
TL_TRACE(WEAK_CONSTANTS,      "Z004.51",  MERGE,    "remove weak ocg constants")
TL_TRACE(WEAK_PROCESSED,      "Z004.53",  MERGE,    "weak %s already processed")
TL_TRACE(WEAK_RELOCATED,      "Z004.92",  MERGE,    "weak sym %u already relocated")
TL_TRACE(SUBSEQUENT_WEAK,     "Z004.92",  MERGE,    "remove reloc for subsequent weak %u")
TL_TRACE(PARAMETER_BANK,      "Z004.122", MERGE,    "duplicate param bank on weak entry %s")
/* merging: everything else */
TL_TRACE(INIT_OVER_COMMON,    "Z004.69",  MERGE,    "global.init replaces common for %s")
TL_TRACE(LARGER_COMMON,       "Z004.71",  MERGE,    "increase size of common %s")
TL_TRACE(UNKNOWN_COMPAT,      "Z004.88",  MERGE,    "unknown .nv.compat attribute (%x) encoutered.")
TL_TRACE(SKIP_MERCURY,        "Z004.120", MERGE,    "skip mercury section %u")
/* what each file's sections and symbols became, and what there is after the file */
TL_TRACE(SECTION_MAP,         "Z004.101", MAPS,     "map_section_index[%u] = %u, offset = %u")
TL_TRACE(SYMBOL_MAP,          "Z004.101", MAPS,     "map_symbol_index[%u] = %u")
TL_TRACE(STATE_FILE,          "Z004.102", MAPS,     "after %s: %u sections, %u symbols")
TL_TRACE(STATE_SECTION,       "Z004.102", MAPS,     "section %u: %s, type %x, size %x, align %x")
TL_TRACE(STATE_SYMBOL,        "Z004.102", MAPS,     "symbol %u: %s, info %x, other %x, section %u, value %x, size %x")
/* layout */
TL_TRACE(EXTERN_SHARED,       "Z002.88",  LAYOUT,   "extern shared variable %s at offset %u")
TL_TRACE(NEW_INSTANCE,        "Z002.90",  LAYOUT,   "new extern shared instance %u")
TL_TRACE(REORDER_UFT,         "Z002.78",  LAYOUT,   "Re-ordering UFT entries")
TL_TRACE(REORDER_UDT,         "Z002.78",  LAYOUT,   "Re-ordering UDT entries")
TL_TRACE(MOVED_CONSTANT,      "Z002.19",  LAYOUT,   "optimize ocg constant reloc offset from %u to %u")
TL_TRACE(UNUSED_SECTION,      "Z002.55",  LAYOUT,   "ignore symbol %s in unused section")
TL_TRACE(NO_SYMBOL_STRING,    "Z002.56",  LAYOUT,   "ignore symbol string %s for sym %u")
/* bindless tables */
TL_TRACE(CREATE_SLOT,         "Z003.68",  BINDLESS, "create %s")
TL_TRACE(SLOT_SYMBOL,         "Z003.25",  BINDLESS, "change reloc symbol from %u to %u")
TL_TRACE(SLOT_PLACE,          "Z003.37",  BINDLESS, "variable %s at offset %u")
TL_TRACE(NO_BINDLESS,         "Z003.33",  BINDLESS, "no bindless ref in section %s")
/* relocation */
TL_TRACE(UNIFIED,             "Z000.22",  RELOC,    "replace unified reloc %u with %u")
TL_TRACE(ALIAS,               "Z000.26",  RELOC,    "change alias reloc %s to %s")
TL_TRACE(DEAD_FUNCTION,       "Z000.29",  RELOC,    "ignore reloc on dead func %s")
TL_TRACE(UFT_OFFSET,          "Z000.37",  RELOC,    "ignore reloc on UFT_OFFSET")
TL_TRACE(YIELD,               "Z000.33",  RELOC,    "Ignoring the reloc to convert YIELD to NOP due to forward progress requirement.")
TL_TRACE(RESOLVE,             "Z000.70",  RELOC,    "resolve reloc %u for sym=%u+%s at <section=%u,offset=%x>")
TL_TRACE(INSTANCE,            "Z002.89",  RELOC,    "reloc of extern shared %u replaced with symbol %u")
/* the time that each phase took, in seconds */
TL_TRACE(PHASE_TIME,          "Z004.123", TIME,     "%s time: %s")
/* clang-format on */
