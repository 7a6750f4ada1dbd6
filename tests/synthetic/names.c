/* C++ names of every form in one call graph, which is printed (C83). The functions are not defined anywhere: a name costs
 * its symbol and an edge. The names are those of tests/reference/demangled-names and tests/front/demangle.c that, together,
 * go through every branch of a demangler most cheaply; nvlink says how they are printed. */
#include "names.h"

enum { NAMES_ARCHITECTURE = 90 };

/* clang-format off */
static const char *const names[] = {
    "_Z1fILZ1gvEEvv",
    "_Z1fNDnE",
    "_Z1fIXadL_ZN1A1gEiEEEvv",
    "_ZZ1gvEN1A1fEi_0",
    "_Z1fIiEDTcl1gIT_Efp_EES0_",
    "_ZN1AIiE1fEPFiS0_E",
    "_ZZN1AC1EvENKUlvE_clEv",
    "_Z1fIXcl1gLi1EEEvv",
    "_ZN2ns1AIiNS_1BEE1fEPS1_",
    "_ZN1A1fERKNS_1BEPNS_1CIiEE",
    "_Z1fIXaantT_Lb1EEEvv",
    "_Z1fM1AKFivEPS_",
    "_Z1fIiEDTclsr1A1gfp_EET_",
    "_ZZZ1fvE1gvE1x",
    "_Z1fIiENSt9enable_ifIXsr3std11is_integralIT_EE5valueES1_E4typeES1_",
    "_Z1f1AIiEPS_IfES0_PS0_",
    "_Z1fIiENSt9enable_ifIXaasrSt1aIT_E5valuesrSt1bIS1_E5valueEvE4typeES1_",
    "_Z1fIXsr1A1BEEvv",
    "_Z1fIZ1gvEUlvE_Z1gvEUlvE0_EvT_T0_",
    "_Z1fI1AIfEE1BIT_ES3_",
    "_Z1fIXmlplT_Li2ELi1EEEvv",
    "_ZZZ1gvENKUlvE_clEvE1x",
    "_ZN1AEv",
    "_Z3barIfLj4ELb1E1AIfEEvPT_RKT2_",
    "_Z1fILi1ELi2ELb0EEvv",
    "_ZN2ns1BC1EPNS_1AE",
    "_Z1fIiLi3EEvRAT0__T_",
    "_ZN1A1BD0Ev",
    "_ZN1A1fEiPS_RS_RKS_",
    "_Z1fPFPFivEvE",
    "_Z1fIXplLi1EmlT_Li2EEEvv",
    "_Z1fIiiEDTplfp_fp0_ET_T0_",
    "_Z1fUlvE_",
    "_ZN1Ali3_fooEi",
    "_Z1fRA3_KiE",
    "_ZN1AE",
    "_ZThn8_N1A1fEv",
    "_Z1fPFiPFivEE",
    "_ZThn8_N1A1fEi",
    "_ZN1A1fEMS_FS_S_E",
    "_Z1fM1AFivEM1BFivE",
    "_Z1fiQ",
    "_ZTv0_n24_N1A1fEv",
    "_ZN4llvm4yaml5InputC1ENS_9StringRefEPvPFvRKNS_12SMDiagnosticES3_ES3_",
    "_Z1fI1AIJiJfEdEEEvv",
    "_ZZZ1gvENKUlvE_clEvENKUliE_clEi",
    "_ZN1AIiEC2Ev",
    "_Z1fIXsr1AIiE5valueEEvv",
    "_Z1fI1AEDTcldtfp_1gEET_",
    "_Z1fIiEDTclptfp_1gEET_",
    "_Z1fPA3_A4_i",
    "_Z3askPK5NamedPK5Sized$1",
    "_ZN1AIiEC2IfEET_",
    "_Z1fIXsrN1A1BE1CEEvv",
    "_ZN12_GLOBAL__N_1L1fEi",
    "_Z1fIJicEEv1AIJDpT_EE",
    "_Z1fIJJEEEvv",
    "_Z1fSb",
    "_Z1fIXquLb1ELi1ELi2EEEvv",
    "_Z1fIXsrN2ns1AIiEE5valueEEvv",
    "_Z1fPKPKi",
    "_ZN4llvm12hash_combineIJNS_14MachineOperand18MachineOperandTypeEjPKNS_11GlobalValueElEEENS_9hash_codeEDpRKT_",
    "_ZThn8_NK1A1fEi",
    "_ZTv0_n24_NK5Thing4nameEv",
    "_Z1fRA3_i",
    "_ZN2ns1AIiEC2EOS1_",
    "_Z1fIUlvE_Evv",
    "_ZZ1gvENUlvE0_clEv",
    "_Z1fDv4_f",
    "_ZN1A1fEDv2_S_",
    "_ZNK4llvm6object7ELFFileINS0_7ELFTypeILNS_7support10endiannessE0ELb0EEEE9getSymbolEPKNS0_13Elf_Shdr_ImplIS5_EEj",
    "_Z1fPDv4_f",
    "_Z1fIiEDTnwiET_",
    "_Z1fIPFiiEXadL_Z1giEEEvv",
    "_Z1fIiEDTplfp_fp0_ET_S0_",
    "_Z1fPFPFiiEfE",
};
/* clang-format on */

static void call_all(built_program *program, unsigned sm) {
  tb_cubin *const file = program->files[program->file_count++] = tb_new(sm);
  const tb_symbol k = tb_kernel(file, "k", NULL, 0, 8);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    tb_call(file, k, tb_undefined_function(file, names[i]));
}

const program_row names_rows[] = {{"demangled", call_all, "", ""}};

size_t names_count(unsigned sm) {
  return sm == NAMES_ARCHITECTURE ? sizeof names_rows / sizeof *names_rows : 0;
}
