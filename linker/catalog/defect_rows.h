/* The rows of catalog/defect: TL_DEFECT(id, class, stage, when, right, vendor). */
TL_DEFECT(D1, 'R', "relocate", "-r, and an entry against user constants or shared memory", "kept for the final link",
          "applied to what is known so far, and dropped")
TL_DEFECT(D2, 'R', "relocate", "-r, and an entry against a texture, sampler or surface", "kept for the final link",
          "applied to nothing, and dropped")
TL_DEFECT(D3, 'R', "merge", "-r, and a common symbol", "it stays common", "it gets a place")
TL_DEFECT(D4, 'R', "relocate", "-r, and an entry against a constant of another file", "kept for the final link",
          "applied with S = -1, and dropped")
TL_DEFECT(D5, 'R', "relocate", "-r, and an entry against compiler constants", "kept for the final link",
          "applied to the offset in the file, and dropped")
TL_DEFECT(D6, 'R', "relocate", "-r, and a device function's entry against extern shared memory",
          "kept for the final link", "applied with S = 0, and dropped")
TL_DEFECT(D7, 'R', "merge", "a weak function with compiler constants is replaced while a static function has its name",
          "only the replaced body's constants go", "the first constants of that name go")
TL_DEFECT(D9, 'R', "merge", "two commons of one name, the second with the larger alignment", "the larger alignment",
          "the first alignment")
TL_DEFECT(D11, 'R', "finalize", "two unified functions or more in a capsule link with an index file",
          "a jump slot's symbol is where the slot is", "most of them are inside another slot")
TL_DEFECT(D12, 'R', "relocate", "a REL entry against a section symbol whose section is moved",
          "the old field content is added", "the old field content is lost")
TL_DEFECT(D13, 'R', "relocate", "an undefined weak object or constant is applied", "S = 0", "S = -1")
TL_DEFECT(D24, 'R', "input", "code for the accelerated variant linked for the base variant", "a warning", "silence")
TL_DEFECT(D27, 'R', "merge", "weak bodies of one function and as many registers, for several virtual architectures",
          "the virtual architecture of the body that stands counts",
          "that of the first definition, also after a replacement")
TL_DEFECT(D35, 'R', "input",
          "a file named as device code that is empty, truncated, already linked or, as `.ptx` before sm_90, a cubin",
          "an error, a warning for a linked one, or a link", "ignored")
TL_DEFECT(D38, 'R', "relocate", "a value that does not fit its field, or a symbol index outside the table",
          "a warning, or an error", "silence")
TL_DEFECT(D40, 'R', "cubin", "a header field that contradicts another or the file's size", "an error", "accepted")
TL_DEFECT(D58, 'R', "graph", "an address-taken function that no kernel reaches calls a defined function",
          "its edges are followed", "the callee is deleted")
TL_DEFECT(D59, 'R', "layout", "-r, and a kernel with extern shared memory", "the symbol stays undefined",
          "a symbol `externsharedinstance` whose value later links take for an alignment")
TL_DEFECT(D60, 'R', "layout", "-r, and a weak function with compiler constants is replaced by a body without any",
          "linked", "refused")
TL_DEFECT(D61, 'R', "relocate", "a PC-relative entry inside one section", "applied", "refused")
TL_DEFECT(D63, 'R', "merge", "a live function has an alias that live code does not use", "linked", "refused")
TL_DEFECT(D64, 'R', "layout", "user constants above 64 KB are laid out again", "alignments are kept",
          "alignments are forgotten")
TL_DEFECT(D69, 'R', "input", "EI_OSABI and EI_ABIVERSION are both wrong", "abi does not match", "the check is skipped")
TL_DEFECT(D70, 'R', "layout",
          "-preserve-relocs on sm_90 and later with extern shared memory beside shared objects of functions",
          "no symbol, as on earlier architectures", "a symbol with the value 0x3ff")
TL_DEFECT(D76, 'R', "layout", "-kernels-used with equal user-constant blocks", "no pooling",
          "blocks move, symbols and code do not")
TL_DEFECT(D78, 'R', "merge", "-preserve-relocs, and two local functions of one name", "a section of records each",
          "one section for both")
TL_DEFECT(D79, 'R', "relocate", "-kernels-used with entries against undefined labels", "S = 0",
          "S = what is left in symbol 0")
TL_DEFECT(D82, 'R', "merge", "extern shared memory without a size, then a definition of that name in a later file",
          "an ordinary object", "never laid out, every address is -1")
TL_DEFECT(D83, 'R', "merge",
          "a constant is initialised with the address of a weak function or variable that loses or is replaced",
          "the entry stays", "the entry vanishes, the pointer stays 0")
TL_DEFECT(
    D84, 'R', "layout", "compiler constants above 64 KB, some of a size that is not shared (K3b)",
    "one place for every constant, which its relocations name",
    "such a constant is placed again for every kernel, and relocations keep the offset of the layout that did not fit")
TL_DEFECT(D85, 'R', "merge",
          "a weak kernel without compiler constants, then a losing body and then a better one that have some",
          "one section with the kernel's own constants and the copies of functions' blocks",
          "two sections of one name: copies in the one that the losing body brought, the kernel's own in the other")
TL_DEFECT(D86, 'R', "merge",
          "a weak function with a jump table is replaced, in a capsule link, by a body that has compiler constants too",
          "the new body's table", "entries of the old table stay and overwrite the new one")
TL_DEFECT(D87, 'R', "merge", "a relocatable output with extern shared memory stands behind a file that has it too",
          "linked", "Multiple definition")
TL_DEFECT(D88, 'R', "merge",
          "symbols of a replaced body's compiler constants reach behind their section in an -r output",
          "the section's bytes", "what the file has behind the section, too")
TL_DEFECT(D89, 'R', "relocate",
          "a capsule link with -kernels-used or -variables-used in which a body with relocations is replaced", "linked",
          "ends with an internal error, unexpected reloc")
TL_DEFECT(
    D90, 'R', "relocate",
    "-preserve-relocs, and entries against extern shared memory that no kernel gives a value, or objects without a "
    "place",
    "no record of them",
    "recorded against a symbol that is not in .symtab, and so refused (extern memory: before sm_90, and in capsules)")
TL_DEFECT(D91, 'R', "relocate", "-r, and an entry of type UNUSED_CLEAR against a function", "kept for the final link",
          "dropped, so debug information of a function that is dead then stays")
TL_DEFECT(D92, 'R', "relocate", "-r, and an entry against a section symbol", "kept for the final link",
          "applied to the place in this output, and dropped, so a later link does not move it")
TL_DEFECT(D93, 'R', "write", "a full device, and an output of at most 4,096 bytes", "an error",
          "nothing is said: what fits the buffer is lost when the file is closed")
TL_DEFECT(D94, 'R', "relocate", "an index file that moves unified data, and entries in it", "moved with their object",
          "they stay at the offset that the data would have without an index, in other objects or behind all")
TL_DEFECT(D95, 'R', "diagnose", "-r, and user constants above 64 KB", "linked: the final link can lay them out again",
          "refused")
TL_DEFECT(D96, 'R', "merge", "an alias that beats a weak body, or a body that beats a weak alias",
          "the name stands for the function that the alias names, or is a function of its own",
          "the weak body's text stays, empty, and the attributes and relocations of the function are lost; or that "
          "function's text is overwritten")
TL_DEFECT(D100, 'R', "relocate", "-r or -preserve-relocs, and a function with visibility INTERNAL",
          "its attributes and what refers to it stay", "its attributes and what refers to it are dropped")
TL_DEFECT(D102, 'R', "merge", "an alias that an earlier file mentions and that stands before its function",
          "the function's text is called after the function",
          "it is called after the alias, and from sm_90 on the link is refused")
TL_DEFECT(D103, 'R', "layout",
          "jump slots of unified functions beside two kernels or more, of which the first uses no shared memory of "
          "several users",
          "each slot has what it uses", "the slots have their own objects alone, and these lie over the others")
TL_DEFECT(D104, 'R', "graph",
          "a jump slot beside two kernels or more that reaches several functions with EXTERNS records",
          "a slot has no such record",
          "the symbols of all functions but the first are added to some other record, which may end nvlink")
TL_DEFECT(D105, 'R', "layout",
          "an index file that puts two unified things on one place, or has none for one, or two that have one identity",
          "an error", "the last one's bytes are on the place; what has no place is not in its table")
TL_DEFECT(D111, 'R', "merge", "-g, and a kernel of an -ewp object with shared memory of its own",
          "it has the shared memory that ptxas laid out", "the kernel has no shared memory")
TL_DEFECT(D120, 'R', "merge",
          "-r, and weak bodies from files of several virtual architectures, or whose address others take",
          "a section says what met in the output, so that the final link decides as one link of all files does",
          "the output has one virtual architecture, and all that is said of a function goes with its body")
TL_DEFECT(D115, 'R', "finalize", "unified functions with different stacks in a capsule link with an index file",
          "each jump slot has its own stack size", "all have the last one's on the SASS side")
TL_DEFECT(D135, 'R', "finalize", "-r or -g, and capsules of -ewp objects whose kernels' texts hold functions",
          "the entries of their frames' CIEs have places on the SASS side",
          "they stand at the beginning of the section")
TL_DEFECT(D136, 'R', "graph", "-r, and capsules of -ewp objects whose kernels' texts hold functions",
          "records of their stacks keep the input's order, of which the next link takes the last",
          "the order is turned round, and with it which stack size the next link takes for all of them")
TL_DEFECT(D121, 'R', "finalize", "jump tables in the compiler constants of several jump slots, in a capsule link",
          "each slot's table leads to its function's code",
          "on the SASS side the tables of the last slot are translated once for each slot, the others never")
TL_DEFECT(D113, 'R', "cubin", "functions of one name in one capsule, as outputs of -r have them",
          "each has its own attributes and entries", "all have those of the first")
TL_DEFECT(D137, 'R', "emit", "extern shared memory of functions of an -ewp object, in an executable",
          "the symbol table begins with the null symbol",
          "symbol 0 is deleted, the first section symbol takes its place")
TL_DEFECT(D141, 'R', "merge", "-r, and a kernel of an -ewp object",
          "what ptxas laid out in its shared memory becomes an object, and the output says that the kernel has no "
          "place for others",
          "the next link drops the kernel's shared memory, and gives the kernel objects over what ptxas laid out")
TL_DEFECT(D143, 'R', "merge", "-r, and shared objects that have symbols in a kernel of an -ewp object",
          "the output says where they lie, and the kernel's shared memory keeps its alignment",
          "the next link gives them other places than the kernel's code does; with -g the alignment is 1")
TL_DEFECT(D145, 'R', "merge", "-r, and a kernel with a strong body and others", "the output has its parameters once",
          "once for every body; the next link puts those of further bodies behind")
TL_DEFECT(D146, 'R', "merge", "-r, and a function that a body that lost brought into the text of a capsule's kernel",
          "the output says so, and the next link leaves the text whole",
          "the next link divides the text where the function's symbol says, or makes other code of it")
TL_DEFECT(D147, 'R', "merge", "-r, and extern shared memory of an -ewp object",
          "the output says which alignments it has, and in which kernels it is", "the next link forgets both")
TL_DEFECT(D142, 'R', "layout", "a kernel with a body in an -ewp object and one in another",
          "the body that stands decides whether ptxas has laid out the kernel's shared memory",
          "the body that came first does")
TL_DEFECT(D138, 'R', "merge",
          "a kernel of an -ewp capsule with textures that ptxas laid out and that -kernels-used does not name",
          "it is not in the output", "the link ends: reference to deleted section")
TL_DEFECT(D140, 'R', "finalize",
          "a kernel of an -ewp capsule with textures that ptxas laid out and with slots of the link",
          "both sections of entries have their own, and the kernel's name",
          "on the SASS side both have the entries that ptxas laid out, and lose the kernel's name")
TL_DEFECT(D139, 'R', "merge", "a dead function whose name another function's compiler constants have",
          "code that lives stays",
          "a text goes whose function's symbol has the number of the dead one's text, and the link ends: reference to "
          "deleted section")
TL_DEFECT(D112, 'R', "emit", "extern shared memory that is hidden or protected, or such an object whose section goes",
          "no symbol of it is in the output", "the link ends, since the symbol has no place")
TL_DEFECT(D114, 'R', "emit", "-r, and a hidden function or variable", "it stays hidden, as the final link has to know",
          "it is no longer hidden")
TL_DEFECT(D149, 'R', "finalize", "a kernel of a capsule with several bodies whose textures ptxas laid out",
          "its code loads from the table of the body that stands", "its code loads from the first body's table")
