/* The named causes of differences on damaged input: what field is damaged or what is said, and which rule decides. The
 * first row that fits counts, so rows for one message stand before rows for one field. Of several damaged fields one that
 * fits is enough.
 *
 * Three kinds of rows: where nvlink's answer is made of memory that is not the input's, and twinlink refuses (the named
 * invariants of the design); bounds on the output; and rules of nvlink's that are known to be missing here (L199 and
 * docs/specification/damaged-input.md). */
#include "damage.h"

enum { ANY = -1 };

const damage_cause damage_causes[] = {
    /* refused, where nvlink links with what lies in its memory */
    {"attribute record past its section: nvlink copies foreign bytes (D66, D67)", "*", "*attribute record*", ANY,
     DAMAGE_REFUSED},
    {"attribute that has no room for its symbol: nvlink reads foreign bytes (D67)", "*", "*attribute that names*", ANY,
     DAMAGE_REFUSED},
    {"symbol index outside the symbol table: nvlink takes what lies behind it (D38, L173)", "*",
     "*names a symbol outside the symbol table*", ANY, DAMAGE_REFUSED},
    {"relocation type outside the table: nvlink takes what lies behind it (D42)", "*",
     "*relocation has a type that there is not*", ANY, DAMAGE_REFUSED},
    {"relocation type outside the table: nvlink takes what lies behind it (D42)", "*r_type*", "*unexpected NVRS*", ANY,
     DAMAGE_REFUSED},
    {"st_shndx outside the section table: nvlink takes what lies behind it (D46)", "*",
     "*symbol's section does not exist*", ANY, DAMAGE_REFUSED},
    {"text outside the file: nvlink takes what lies behind it (L170)", "*", "*lies outside*", ANY, DAMAGE_REFUSED},
    {"text outside the file: nvlink takes what lies behind it (L170)", "*", "*has a name outside*", ANY,
     DAMAGE_REFUSED},
    {"sh_entsize smaller than an entry: nvlink reads past the table (D17, L172)", "*", "*sh_entsize*", ANY,
     DAMAGE_REFUSED},
    {"relocated field past the end of its section: nvlink writes there (D14)", "*", "*runs past the end*", ANY,
     DAMAGE_REFUSED},
    /* refused: a named invariant */
    {"a function lies in a text section (invariant; D46, L196)", "*", "*does not lie in a text section*", ANY,
     DAMAGE_REFUSED},
    {"sh_info of a text names its function (invariant; L196)", "*", "*names no function*", ANY, DAMAGE_REFUSED},
    {"sh_info names a section (invariant; L176)", "*", "*names no section*", ANY, DAMAGE_REFUSED},
    {"call-graph records are about functions (invariant; E71)", "*", "*no callgraph node*", ANY, DAMAGE_REFUSED},
    {"one section of a name has one type (invariant; L197)", "*", "*sh_type is not that*", ANY, DAMAGE_REFUSED},
    {"sizes and alignments that no file can have (bound; C79, L174)", "*", "*too large*", ANY, DAMAGE_REFUSED},
    {"the output's bound: 4 times the input and 1 MB (T2)", "*", "*more than the limit*", ANY, DAMAGE_REFUSED},
    {"a section aligned to 0 (D44)", "*", "*sh_addralign is 0*", ANY, DAMAGE_REFUSED},
    {"a descriptor relocation names a function (D15)", "*", "*D15*", ANY, DAMAGE_REFUSED},
    {"e_shstrndx names a string table (invariant; L170)", "*", "*e_shstrndx*", ANY, DAMAGE_REFUSED},
    {"e_shnum and e_shoff give the table (invariant; D40)", "header e_sh*", "*", ANY, DAMAGE_REFUSED},
    {"a truncated file whose ABI is wrong too (D68)", "*", "*truncated*", ANY, DAMAGE_REFUSED},
    /* not of the damage's making */
    {"nvlink gives several answers: it reads memory that nobody wrote (D62, D66)", "*", "several answers*", ANY, ANY},
    {"the undamaged files differ as well (open.md)", "*", "undamaged too", ANY, ANY},
    /* linked otherwise, refused with another text, or not refused: rules that are missing (L199) */
    {"sh_type of a section: what it then joins, and in which order (L197)", "section * sh_type", "*", ANY, ANY},
    {"sh_flags of a section: what it then is (L199)", "section * sh_flags", "*", ANY, ANY},
    {"sh_info of a section: whose it then is (L176, L177)", "section * sh_info", "*", ANY, ANY},
    {"sh_name of a section, or a letter of it: what it then joins (L175, L197)", "section * sh_name", "*", ANY, ANY},
    {"sh_name of a section, or a letter of it: what it then joins (L175, L197)", ".shstrtab", "*", ANY, ANY},
    {"sh_addralign of a note (L187)", "section .note* sh_addralign", "*", ANY, ANY},
    {"sh_offset, sh_size or sh_link: what is read instead (L199)", "section * sh_[osl]*", "*", ANY, ANY},
    {"e_shoff, e_shnum, e_shstrndx: what is read instead (L199)", "header e_sh*", "*", ANY, ANY},
    {"e_phoff, e_phnum, e_phentsize: checks of a table that nobody needs (C23)", "header e_ph*", "*", ANY, ANY},
    {"e_type or e_ident (C76, L180)", "header e[_i]*", "*", ANY, ANY},
    {"st_shndx of a symbol: whose section it then is (D46, L193)", "symbol * st_shndx", "*", ANY, ANY},
    {"st_info of a symbol: a type or binding for which rules are missing (L199)", "symbol * st_info", "*", ANY, ANY},
    {"st_other of a symbol: a space or visibility for which rules are missing (L185)", "symbol * st_other", "*", ANY,
     ANY},
    {"st_value of a symbol: where it then lies (L183, L188)", "symbol * st_value", "*", ANY, ANY},
    {"st_size of a symbol: how much of the section it then is (L199)", "symbol * st_size", "*", ANY, ANY},
    {"st_name of a symbol, or a letter of it: what it then stands for (L184)", "symbol * st_name", "*", ANY, ANY},
    {"st_name of a symbol, or a letter of it: what it then stands for (L184)", ".strtab", "*", ANY, ANY},
    {"r_sym of an entry: a section symbol of a note, or one in no section (L184)", "entry of * r_sym", "*", ANY, ANY},
    {"r_type of an entry: the order of nvlink's checks (R25)", "entry of * r_type", "*", ANY, ANY},
    {"r_offset of an entry: the order of nvlink's checks (L195)", "entry of * r_offset", "*", ANY, ANY},
    {"r_addend of an entry (R25)", "entry of * r_addend", "*", ANY, ANY},
    {"an attribute's code, format or size that nobody writes (I10, L182)", ".nv.info*", "*", ANY, ANY},
    {"an attribute's code, format or size that nobody writes (I60)", ".nv.compat*", "*", ANY, ANY},
    {"a call-graph word: functions without a caller (W7.4, L179)", ".nv.callgraph", "*", ANY, ANY},
    {"a prototype word: order and names in E25 (L194)", ".nv.prototype", "*", ANY, ANY},
    {"a note's words: where the next note begins (L187)", ".note*", "*", ANY, ANY},
    {"the order of messages when several things are wrong (C78)", "* + *", "*", DAMAGE_REFUSES, ANY},
    {NULL, NULL, NULL, 0, 0},
};
