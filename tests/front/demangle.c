/* Demangled names (C83). Every text was printed by nvlink 13.0.88 -dump-callgraph for a function of that name; 18,000
 * further names were compared while the demangler was written. */
#include "emit/demangle.h"
#include "tests/front/front.h"

#include <stdio.h>
#include <string.h>

/* clang-format off */
static const struct {
  const char *name, *text;
} printed[] = {
    {"_Z1fM1Ai", "f(int  :: A::*)"},
    {"_Z1fM1AKFivE", "f(int ( :: A::*)() const)"},
    {"_Z1fMN1A1BEFivE", "f(int ( :: A::B::*)())"},
    {"_Z1fPM1Ai", "f(int  :: A::**)"},
    {"_Z1fPKPKi", "f(const int *const *)"},
    {"_Z1fPrVKi", "f(const volatile restrict int *)"},
    {"_Z1fPri", "f(restrict int *)"},
    {"_Z1fPPFivE", "f(int (**)())"},
    {"_Z1fPFiPFivEE", "f(int (*)(int (*)()))"},
    {"_Z1fPFPFivEvE", "f(int (*(*)())())"},
    {"_Z1fFivE", "f(int ())"},
    {"_Z1fA_i", "f(int [])"},
    {"_Z1fPA3_A4_i", "f(int (*)[3][4])"},
    {"_Z1fRA3_Ki", "f(const int (&)[3])"},
    {"_Z1fPKA3_i", "f(int (*)[3])"},
    {"_Z1fA3_PFivE", "f(int (*[3])())"},
    {"_Z1fPFvvEz", "f(void (*)(), ...)"},
    {"_Z1fiz", "f(int, ...)"},
    {"_Z1fDh", "f(__fp16)"},
    {"_Z1fDd", "_Z1fDd"},
    {"_Z1fDF16_", "f(_Float16)"},
    {"_Z1fDF16b", "f(std::bfloat16_t)"},
    {"_Z1fu6__bf16", "f(__bf16)"},
    {"_Z1fDv4_f", "f(float __attribute((vector_size(4*sizeof(float)))) )"},
    {"_Z1fCf", "f(_Complex float )"},
    {"_Z1fGd", "_Z1fGd"},
    {"_Z1fU3fooi", "f(int foo)"},
    {"_Z1fSa", "f(std::allocator)"},
    {"_Z1fSb", "f(std::basic_string)"},
    {"_Z1fSd", "f(std::basic_iostream<char, std::char_traits<char>>)"},
    {"_Z1fNSt3foo3barE", "f(std::foo::bar)"},
    {"_ZNSs3fooEv", "std::basic_string<char, std::char_traits<char>, std::allocator<char>>::foo()"},
    {"_ZSt3foov", "std::foo()"},
    {"_ZStlsv", "std::operator <<()"},
    {"_Z1f1AS_PS_", "f(A, A, A *)"},
    {"_ZN1A1B3fooEPS0_PS_", "A::B::foo(A::B*, A*)"},
    {"_Z1fPFv1APS_E", "f(void (*)(A, A *))"},
    {"_ZN1A1fEPFvPS_PvES2_", "A::f(void (*)(A*, void *), void (A*, void *))"},
    {"_ZN1A1fEPFPS_vE", "A::f(A*(*)())"},
    {"_ZN1A1fEPFvPPS_E", "A::f(void (*)(A**))"},
    {"_Z1fIiEvT_T0_", "void f<int>(T1, T2)"},
    {"_Z1fIJEEvv", "void f<>()"},
    {"_Z1fIiJEEvv", "void f<int, >()"},
    {"_Z1fIiJjcEdEvv", "void f<int, unsigned int, char, double>()"},
    {"_Z1fIJJEEEvv", "void f<>()"},
    {"_Z1fILin3EEvv", "void f<(int)-3>()"},
    {"_Z1fIL1A3EEvv", "void f<(A)3>()"},
    {"_Z1fILDnEEvv", "void f<nullptr>()"},
    {"_Z1fILDn0EEvv", "void f<(std::nullptr_t)0>()"},
    {"_Z1fIXadL_Z1gvEEEvv", "void f<&g>()"},
    {"_Z1fIL_Z1gvEEvv", "void f<g>()"},
    {"_Z1fIXadL_ZN1A1gEvEEEvv", "void f<&A::g>()"},
    {"_Z1fIXplLi1ELi2EEEvv", "void f<(int)1+(int)2>()"},
    {"_Z1fIiEDTcl1gfp_EET_", "decltype((g(param#1))) f<int>(T1)"},
    {"_Z1fIiEDTplfp_fp0_ET_S0_", "decltype((param#1+param#2)) f<int>(T1, decltype((param#1+param#2)))"},
    {"_Z1fIiEvDTfp_E", "void f<int>(decltype((param#1)))"},
    {"_ZN1AIiEC3Ev", "A<int>::A() [allocating]"},
    {"_ZN1AIiED0Ev", "A<int>::~A() [deleting]"},
    {"_ZN1AC2IiEET_", "A::A<int>(T1) [subobject]"},
    {"_ZN1AcvPKcEv", "A::operator const char *()"},
    {"_ZN1AcvT_IiEEv", "A::operator T1<int>()"},
    {"_ZNK1AcvbEv", "A::operator bool() const"},
    {"_ZN1AdaEPv", "A::operator delete[] (void *)"},
    {"_ZN1AaSERKS_", "A::operator =(const A&)"},
    {"_ZN1AquEv", "A::operator ?()"},
    {"_ZN1AawEv", "A::operator co_await()"},
    {"_ZN1AltIiEEbT_", "bool A::operator <<int>(T1)"},
    {"_Zli2_xy", "operator \"\"_x(unsigned long long)"},
    {"_ZNVK1A1fEv", "A::f() const volatile"},
    {"_ZNKR1A1fEv", "A::f() const &"},
    {"_ZNO1A1fEv", "A::f() &&"},
    {"_ZNrK1A1fEv", "A::f() const restrict"},
    {"_ZZ1fvE1x_0", "f()::x (instance 2)"},
    {"_ZZ1fvE1x_1", "f()::x (instance 3)"},
    {"_ZZ1fvEs_0", "f()::string (instance 2)"},
    {"_ZZ1fvENKUliE10_clEi", "f()::[lambda(int) (instance 12)]::operator ()(int) const"},
    {"_ZNKUlvE_clEv", "[lambda() (instance 1)]::operator ()() const"},
    {"_ZZ1fvENKUlT_E_clIiEEDaS_", "auto f()::[lambda(T1) (instance 1)]::operator ()<int>(T1) const"},
    {"_ZZ1fIiEvT_ENK1AclEv", "void f<int>(T1)::A::operator ()() const"},
    {"_ZZ1fvENUt0_1gEv", "f()::[unnamed type (instance 2)]::g()"},
    {"_ZN1AUt_1gEv", "A::[unnamed type (instance 1)]::g()"},
    {"_ZN1AUlvE_1gEv", "A::[lambda() (instance 1)]::g()"},
    {"_Z1fIZ1gvEUlvE_EvS0_", "void f<g()::[lambda() (instance 1)]>(g()::[lambda() (instance 1)])"},
    {"_Z1fIZ1gIiEvT_E1AEvS1_", "void f<void g<int>(T1)::A>(T1)"},
    {"_ZZZ1fvE1gvE1x", "f()::g()::x"},
    {"_ZZ1fvEd_NKUlvE_clEv", "f()::[default argument 1 (from end)]::[lambda() (instance 1)]::operator ()() const"},
    {"_ZZ1fiEd0_NKUlvE_clEv", "f(int)::[default argument 2 (from end)]::[lambda() (instance 1)]::operator ()() const"},
    {"_ZN12_GLOBAL__N_11A1fEPS0_", "<unnamed>::A::f(<unnamed>::A*)"},
    {"_ZN1AUlvE_C1Ev", "A::[lambda() (instance 1)]::[lambda() (instance 1)]()"},
    {"_ZTT1A", "Virtual table table for A"},
    {"_ZThn8_N1A1fEv", "Thunk for (offset -8) A::f()"},
    {"_ZTv0_n24_N1A1fEv", "Thunk for (offset 0, virtual offset -24) A::f()"},
    {"_ZTchn8_h8_N1A1fEv", "Covariant thunk for (offset -8) (offset 8) A::f()"},
    {"_ZGVZ1fvE1x", "Initialization guard variable for f()::x"},
    {"_ZGR1x_", "_ZGR1x_"},
    {"_ZTC1A0_1B", "_ZTC1A0_1B"},
    {"_ZTH1x", "Thread-local initialization routine for x"},
    {"_ZTW1x", "Thread-local wrapper routine for x"},
    {"_ZTIi", "Typeinfo for int"},
    {"_ZTSPKc", "Typeinfo name for const char *"},
    {"_ZTIFivE", "Typeinfo for int ()"},
    {"_ZTIA3_i", "Typeinfo for int [3]"},
    {"_ZTIM1Ai", "Typeinfo for int  :: A::*"},
    {"_ZL1fv", "_ZL1fv"},
    {"_ZN1AL1fEv", "_ZN1AL1fEv"},
    {"_ZN1A1fB5cxx11Ev", "A::f[abi:cxx11]()"},
    {"_ZN1A1BIiE1fIcEEvT_S0_", "void A::B<int>::f<char>(T1, A::B)"},
    {"_Z1fI1AE1BIT_EOS2_", "B<T1> f<A>(T1 &&)"},
    {"_Z1f1AIJiEE", "f(A<int>)"},
    {"_Z1fIJicEEvPFvDpT_E", "void f<int, char>(void (*)(T1...))"},
    {"_Z1fIJicEEv1AIJDpT_EE", "void f<int, char>(A<T1...>)"},
    {"_Z1fIiEvNS_1BIT_EE", "void f<int>(f::B<T1>)"},
    {"_Z1fITtTyEvv", "_Z1fITtTyEvv"},
    {"_Z1fI1AEvTL0__", "_Z1fI1AEvTL0__"},
    {"_Z1fIT_EvT_", "void f<T1>(T1)"},
    {"_Z1fIiEPFivEv", "int (*)() f<int>()"},
    {"_Z1fIiERA3_iv", "int (&)[3] f<int>()"},
    {"_Z1fIiEM1Aiv", "int  :: A::* f<int>()"},
    {"_Z1fIiEPFiT_ES0_", "int (*)(T1) f<int>(T1)"},
    {"_Z1fIXsr1A1BEEvv", "_Z1fIXsr1A1BEEvv"},
    {"_Z1fIXsrN1A1BE1CEEvv", "void f<A::B::C>()"},
    {"_Z1fIXgtT_Li3EEEvv", "void f<T1>(int)3>()"},
    {"_Z1fIXntLb1EEEvv", "void f<!(bool)1>()"},
    {"_Z1fIXstiEEvv", "void f<sizeof(int)>()"},
    {"_Z1fIXsZT_EEvv", "void f<sizeof...(T1)>()"},
    {"_Z1fIXszLi1EEEvv", "void f<sizeof((int)1)>()"},
    {"_Z1fIXcviLj1EEEvv", "void f<(int)(unsigned int)1>()"},
    {"_Z1fIXquLb1ELi1ELi2EEEvv", "void f<(bool)1?(int)1:(int)2>()"},
    {"_Z1fIXcl1gLi1EEEvv", "_Z1fIXcl1gLi1EEEvv"},
    {"_Z1fIiEDTptfp_1gET_", "decltype(((param#1->g))) f<int>(T1)"},
    {"_Z1fIiEDTclptfp_1gEET_", "decltype(((param#1->g)())) f<int>(T1)"},
    {"_Z1fIiEDTnwiET_", "_Z1fIiEDTnwiET_"},
    {"_Z1fIiEDTdefp_ET_", "decltype((*param#1)) f<int>(T1)"},
    {"_Z1fIiEDTixfp_Li0EET_", "decltype((param#1[(int)0])) f<int>(T1)"},
    {"_Z1fIiEDTscifp_ET_", "decltype((static_cast<int>(param#1))) f<int>(T1)"},
    {"_Z1fIiEDTtlifp_EET_", "decltype((int{param#1})) f<int>(T1)"},
    {"_Z1fIiEDtfp_ET_", "decltype(param#1) f<int>(T1)"},
    {"_Z1fIiEvDTcl7declvalIT_EEE", "void f<int>(decltype((declval<T1>())))"},
    {"_Z1fIJiEEDTclfp_spfp0_EET_", "decltype((param#1(param#2...))) f<int>(T1)"},
    {"_Z1fIiEDTnxfp_ET_", "decltype((noexcept(param#1))) f<int>(T1)"},
    {"_Z1fIiEDTatT_ET_", "decltype((alignof(T1))) f<int>(T1)"},
    {"__nv_static_3__abc__Z1fv", "__nv_static_3__abc__Z1fv"},
    {"__nv_static_4__abc__Z1fv", "f()"},
    {"__nv_static_4__abc__foo", "__nv_static_4__abc__foo"},
    {"__nv_static_3__abc_foo", "__nv_static_3__abc_foo"},
    {"__nv_static_52__f4510a67_22_cuda_device_runtime_cu_3ecce0c0_2317245__Z16memcpy_3d_deviceImLi1ELi1ELi1EEv12MemcpyParamsIT_E", "void memcpy_3d_device<unsigned long, (int)1, (int)1, (int)1>(MemcpyParams<T1>)"},
    {"_Z1fv$5", "f()"},
    {"foo$5", "foo$5"},
    {"_Z1fv$5$6", "_Z1fv$5$6"},
    {"_Z1fv$foo", "[clone f()] foo"},
    {"_Z1fv$5a", "_Z1fv$5a"},
    {"_Z1fv$", "[clone f()] "},
    {"_Z1fv$05", "f()"},
    {"_Z1fi$12345", "f(int)"},
    {"_Z1f$5", "_Z1f$5"},
    {"__nv_static_4__abc__Z1fv$3", "f()"},
    {"__nv_static_4__abc__Zxx", "__nv_static_4__abc__Zxx"},
    {"__nv_static_4__abc__ZN1A1fEv", "A::f()"},
    {"__nv_static_04__abc__Z1fv", "f()"},
    {"__nv_static_4__abcd_Z1fv", "__nv_static_4__abcd_Z1fv"},
    {"__nv_static_4_abc__Z1fv", "__nv_static_4_abc__Z1fv"},
    {"__nv_static_9__abc__Z1fv", "__nv_static_9__abc__Z1fv"},
    {"__nv_static_4__abc__", "__nv_static_4__abc__"},
    {"__nv_static_4__abc___Z1fv", "__nv_static_4__abc___Z1fv"},
    {"_Z1f", "f"},
    {"_Z1fiQ", "_Z1fiQ"},
    {"_ZN1AE", "A"},
    {"_ZN1AEv", "A()"},
    {"_Z1fS_", "_Z1fS_"},
    {"_Z1f1AS0_", "_Z1f1AS0_"},
    {"_Z99999999999999999999f", "_Z99999999999999999999f"},
    {"_ZNSa1BEv", "std::allocator::B()"},
    {"_ZNSsC1EPKc", "std::basic_string<char, std::char_traits<char>, std::allocator<char>>::basic_string(const char *)"},
    {"_ZSt4cout", "std::cout"},
    {"_Z1fPSs", "f(std::basic_string<char, std::char_traits<char>, std::allocator<char>>*)"},
    {"_Z1f1AIiEPS_IcE", "f(A<int>, A<char>*)"},
    {"_ZN1A1fEPKPS_", "A::f(A*const *)"},
    {"_ZN1A1B1CIiE1fEPS2_", "A::B::C<int>::f(A::B::C<int>*)"},
    {"_ZN1A1fEM1BPS_", "A::f(A* :: B::*)"},
    {"_ZN1A1fEMS_FivE", "A::f(int ( :: A::*)())"},
    {"_ZN1A1fEPA3_S_", "A::f(A(*)[3])"},
    {"_Z1fPSaIiE", "f(std::allocator<int>*)"},
    {"_Z1fIiEPNT_1AE", "_Z1fIiEPNT_1AE"},
    {"_Z1fIiEPNT_1AEv", "T1::A * f<int>()"},
    {"_Z1fP1AM1BKFivE", "f(A *, int ( :: B::*)() const)"},
    {"_Z1fDv4_fPS_", "f(float __attribute((vector_size(4*sizeof(float)))) , float __attribute((vector_size(4*sizeof(float))))  *)"},
    {"_Z1fPDv4_f", "f(float __attribute((vector_size(4*sizeof(float))))  *)"},
    {"_Z1fPCf", "f(_Complex float *)"},
    {"_Z1fKPi", "f(int *const )"},
    {"_Z1frPi", "f(int *restrict )"},
    {"_Z1fVPi", "f(int *volatile )"},
    {"_Z1fA3_KPi", "f(int *const [3])"},
    {"_Z1fPKFivE", "f(int (*)() const)"},
    {"_Z1fKFivE", "f(int () const)"},
    {"_Z1fPFivRE", "f(int (*)() &)"},
    {"_Z1fPDoFivE", "f(int (*)() noexcept)"},
    {"_Z1fPDO1AFivE", "_Z1fPDO1AFivE"},
    {"_Z1fPFivOE", "f(int (*)() &&)"},
    {"_Z1fDnDn", "f(std::nullptr_t, std::nullptr_t)"},
    {"_Z1fNDnE", "_Z1fNDnE"},
    {"_ZN26_INTERNAL_a_cu_12345678_121fEv", "f()"},
    {"_ZN25_INTERNAL_a_cu_12345678_11fEv", "f()"},
    {"_ZN25_INTERNAL_a_cu_12345678_11A1fEPS0_", "A::f(A*)"},
    {"_Z1fN25_INTERNAL_a_cu_12345678_11AE", "f(A)"},
    {"_ZN1A25_INTERNAL_a_cu_12345678_11fEv", "A::f()"},
    {"_Z25_INTERNAL_a_cu_12345678_1v", "()"},
    {"_ZN25_INTERNAL_a_cu_12345678_112_GLOBAL__N_11fEv", "<unnamed>::f()"},
    {"_ZTVN5clang13LiveVariables8ObserverE", "Virtual function table for clang::LiveVariables::Observer"},
    {"_ZNK4llvm3pdb20ModuleDebugStreamRef22getSymbolArrayForScopeEj", "llvm::pdb::ModuleDebugStreamRef::getSymbolArrayForScope(unsigned int) const"},
    {"_ZN4llvm7CmpInst26isImpliedTrueByMatchingCmpENS0_9PredicateES1_", "llvm::CmpInst::isImpliedTrueByMatchingCmp(llvm::CmpInst::Predicate, llvm::CmpInst::Predicate)"},
    {"_ZN4llvm29InstructionPrecedenceTracking17removeInstructionEPKNS_11InstructionE", "llvm::InstructionPrecedenceTracking::removeInstruction(const llvm::Instruction *)"},
    {"_ZN4llvm12hash_combineIJNS_14MachineOperand18MachineOperandTypeEjPKNS_11GlobalValueElEEENS_9hash_codeEDpRKT_", "llvm::hash_code llvm::hash_combine<llvm::MachineOperand::MachineOperandType, unsigned int, const llvm::GlobalValue *, long>(const T1 &...)"},
    {"_ZN4llvm6object25WindowsResourceCOFFWriter17performFileLayoutEv", "llvm::object::WindowsResourceCOFFWriter::performFileLayout()"},
    {"_ZN4llvm15SCCPInstVisitor27markArgInFuncSpecializationEPNS_8FunctionEPNS_8ArgumentEPNS_8ConstantE", "llvm::SCCPInstVisitor::markArgInFuncSpecialization(llvm::Function *, llvm::Argument *, llvm::Constant *)"},
    {"_ZThn24_N5clang9ASTReader29ReadWeakUndeclaredIdentifiersERN4llvm15SmallVectorImplISt4pairIPNS_14IdentifierInfoENS_8WeakInfoEEEE", "Thunk for (offset -24) clang::ASTReader::ReadWeakUndeclaredIdentifiers(llvm::SmallVectorImpl<std::pair<clang::IdentifierInfo *, clang::WeakInfo>> &)"},
    {"_ZN4llvm15ExecutionEngine11emitGlobalsEv", "llvm::ExecutionEngine::emitGlobals()"},
    {"_ZN4llvm13MachineRegionD1Ev", "llvm::MachineRegion::~MachineRegion()"},
    {"_ZN5polly13SCEVAffinator12visitUnknownEPKN4llvm11SCEVUnknownE", "polly::SCEVAffinator::visitUnknown(const llvm::SCEVUnknown *)"},
    {"_ZTIN5clang12ast_matchers8internal23matcher_hasBody0MatcherINS_6DoStmtENS1_7MatcherINS_4StmtEEEEE", "Typeinfo for clang::ast_matchers::internal::matcher_hasBody0Matcher<clang::DoStmt, clang::ast_matchers::internal::Matcher<clang::Stmt>>"},
    {"_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base", "std::_Rb_tree_increment(const std::_Rb_tree_node_base *)"},
    {"_ZN4llvm12VPBasicBlock7executeEPNS_16VPTransformStateE", "llvm::VPBasicBlock::execute(llvm::VPTransformState *)"},
    {"_ZTIN4llvm2cl3optINS_14ReplaceExitValELb0ENS0_6parserIS2_EEEE", "Typeinfo for llvm::cl::opt<llvm::ReplaceExitVal, (bool)0, llvm::cl::parser<llvm::ReplaceExitVal>>"},
    {"_ZN4llvm18BinaryStreamWriter10writeBytesENS_8ArrayRefIhEE", "llvm::BinaryStreamWriter::writeBytes(llvm::ArrayRef<unsigned char>)"},
    {"_ZN4llvm19SampleProfileProberC1ERNS_8FunctionERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE", "llvm::SampleProfileProber::SampleProfileProber(llvm::Function &, const std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char>> &)"},
    {"_ZN4llvm6detail13DoubleAPFloat3modERKS1_", "llvm::detail::DoubleAPFloat::mod(const llvm::detail::DoubleAPFloat&)"},
    {"_ZNK5polly4Scop5printERN4llvm11raw_ostreamEb", "polly::Scop::print(llvm::raw_ostream &, bool) const"},
    {"_ZTVN5clang4ento9MemRegionE", "Virtual function table for clang::ento::MemRegion"},
    {"_ZTIN5clang12ast_matchers8internal20HasDescendantMatcherINS_4ExprENS_4StmtEEE", "Typeinfo for clang::ast_matchers::internal::HasDescendantMatcher<clang::Expr, clang::Stmt>"},
    {"_ZN4llvm23createObjCARCAPElimPassEv", "llvm::createObjCARCAPElimPass()"},
    {"_ZN4llvm12InlineAdvice25recordInlineStatsIfNeededEv", "llvm::InlineAdvice::recordInlineStatsIfNeeded()"},
    {"_ZN4llvm16printAfterPassesB5cxx11Ev", "llvm::printAfterPasses[abi:cxx11]()"},
    {"_ZNK4llvm6object7ELFFileINS0_7ELFTypeILNS_7support10endiannessE0ELb0EEEE9getSymbolEPKNS0_13Elf_Shdr_ImplIS5_EEj", "llvm::object::ELFFile<llvm::object::ELFType<(llvm::support::endianness)0, (bool)0>>::getSymbol(const llvm::object::Elf_Shdr_Impl<llvm::object::ELFType<(llvm::support::endianness)0, (bool)0>> *, unsigned int) const"},
    {"_ZN4llvm13SchedBoundary20incExecutedResourcesEjj", "llvm::SchedBoundary::incExecutedResources(unsigned int, unsigned int)"},
    {"_ZN4llvm3orc2rt45SimpleExecutorMemoryManagerReserveWrapperNameE", "llvm::orc::rt::SimpleExecutorMemoryManagerReserveWrapperName"},
    {"_ZN4llvm16ScaledNumberBase4dumpEmsi", "llvm::ScaledNumberBase::dump(unsigned long, short, int)"},
    {"_ZTVN4llvm6detail23provider_format_adapterIRNS_9StringRefEEE", "Virtual function table for llvm::detail::provider_format_adapter<llvm::StringRef &>"},
    {"_ZNK4llvm10AsmPrinter15emitImplicitDefEPKNS_12MachineInstrE", "llvm::AsmPrinter::emitImplicitDef(const llvm::MachineInstr *) const"},
    {"_ZN4llvm12RISCVISAInfo13updateMinVLenEv", "llvm::RISCVISAInfo::updateMinVLen()"},
    {"_ZTIN4llvm10MCAsmLexerE", "Typeinfo for llvm::MCAsmLexer"},
    {"_ZTSSt19_Sp_counted_deleterIPN4llvm3orc29DynamicLibrarySearchGeneratorESt14default_deleteIS2_ESaIvELN9__gnu_cxx12_Lock_policyE2EE", "Typeinfo name for std::_Sp_counted_deleter<llvm::orc::DynamicLibrarySearchGenerator *, std::default_delete<llvm::orc::DynamicLibrarySearchGenerator>, std::allocator<void>, (__gnu_cxx::_Lock_policy)2>"},
    {"_ZTIN5clang10extractapi12RecordRecordE", "Typeinfo for clang::extractapi::RecordRecord"},
    {"_ZTVN4llvm33CrashRecoveryContextDeleteCleanupIN5clang4SemaEEE", "Virtual function table for llvm::CrashRecoveryContextDeleteCleanup<clang::Sema>"},
    {"_ZNK4llvm3pdb9TpiStream17getNumTypeRecordsEv", "llvm::pdb::TpiStream::getNumTypeRecords() const"},
    {"_ZTVN4llvm2cl11OptionValueI18PassPositionChoiceEE", "Virtual function table for llvm::cl::OptionValue<PassPositionChoice>"},
    {"_ZN4llvm16RuntimeDyldMachO6createENS_6Triple8ArchTypeERNS_11RuntimeDyld13MemoryManagerERNS_17JITSymbolResolverE", "llvm::RuntimeDyldMachO::create(llvm::Triple::ArchType, llvm::RuntimeDyld::MemoryManager &, llvm::JITSymbolResolver &)"},
    {"_ZNSt10filesystem7__cxx114path9_M_concatESt17basic_string_viewIcSt11char_traitsIcEE", "std::filesystem::__cxx11::path::_M_concat(std::basic_string_view<char, std::char_traits<char>>)"},
    {"_ZNK4llvm5APInt21multiplicativeInverseERKS0_", "llvm::APInt::multiplicativeInverse(const llvm::APInt&) const"},
    {"_ZN4llvm15SignpostEmitterD1Ev", "llvm::SignpostEmitter::~SignpostEmitter()"},
    {"_ZN4llvm9emitFPutCEPNS_5ValueES1_RNS_13IRBuilderBaseEPKNS_17TargetLibraryInfoE", "llvm::emitFPutC(llvm::Value *, llvm::Value *, llvm::IRBuilderBase &, const llvm::TargetLibraryInfo *)"},
    {"_ZN4llvm16MachineIRBuilder10buildStoreERKNS_5SrcOpES3_RNS_17MachineMemOperandE", "llvm::MachineIRBuilder::buildStore(const llvm::SrcOp &, const llvm::SrcOp &, llvm::MachineMemOperand &)"},
    {"_ZNK4llvm18LoopVectorizeHints18allowVectorizationEPNS_8FunctionEPNS_4LoopEb", "llvm::LoopVectorizeHints::allowVectorization(llvm::Function *, llvm::Loop *, bool) const"},
    {"_ZN4llvm15AssumptionCache23AffectedValueCallbackVH19allUsesReplacedWithEPNS_5ValueE", "llvm::AssumptionCache::AffectedValueCallbackVH::allUsesReplacedWith(llvm::Value *)"},
    {"_ZN4llvm15SmallVectorImplIPKN5clang13CXXMethodDeclEEaSEOS5_", "llvm::SmallVectorImpl<const clang::CXXMethodDecl *>::operator =(llvm::SmallVectorImpl<const clang::CXXMethodDecl *>&&)"},
    {"_ZTVN5clang20LayoutOverrideSourceE", "Virtual function table for clang::LayoutOverrideSource"},
    {"_ZN4llvm15callDefaultCtorINS_16MachinePipelinerEEEPNS_4PassEv", "llvm::Pass * llvm::callDefaultCtor<llvm::MachinePipeliner>()"},
    {"_ZNK4llvm29TargetLoweringObjectFileMachO23getCFIPersonalitySymbolEPKNS_11GlobalValueERKNS_13TargetMachineEPNS_17MachineModuleInfoE", "llvm::TargetLoweringObjectFileMachO::getCFIPersonalitySymbol(const llvm::GlobalValue *, const llvm::TargetMachine &, llvm::MachineModuleInfo *) const"},
    {"_ZN4llvm20consumeSignedIntegerERNS_9StringRefEjRx", "llvm::consumeSignedInteger(llvm::StringRef &, unsigned int, long long &)"},
    {"_ZTSN4llvm2cl11opt_storageINS_19TargetTransformInfo14TargetCostKindELb0ELb0EEE", "Typeinfo name for llvm::cl::opt_storage<llvm::TargetTransformInfo::TargetCostKind, (bool)0, (bool)0>"},
    {"_ZN4llvm4yaml5InputC1ENS_9StringRefEPvPFvRKNS_12SMDiagnosticES3_ES3_", "llvm::yaml::Input::Input(llvm::StringRef, void *, void (*)(const llvm::SMDiagnostic &, void *), void *)"},
    {"_ZTSN4llvm20LoadAndStorePromoterE", "Typeinfo name for llvm::LoadAndStorePromoter"},
    {"_ZN4llvm8LLParser19parseSourceFileNameEv", "llvm::LLParser::parseSourceFileName()"},
    {"_ZNK4llvm19TargetFrameLowering25needsFrameIndexResolutionERKNS_15MachineFunctionE", "llvm::TargetFrameLowering::needsFrameIndexResolution(const llvm::MachineFunction &) const"},
    {"_ZNK4llvm6object15MachOObjectFile26getScatteredRelocationTypeERKNS_5MachO19any_relocation_infoE", "llvm::object::MachOObjectFile::getScatteredRelocationType(const llvm::MachO::any_relocation_info &) const"},
    {"_ZTVN4llvm13format_objectIJmjEEE", "Virtual function table for llvm::format_object<unsigned long, unsigned int>"},
    {"_ZNK4llvm13DataExtractor6getU32EPmPNS_5ErrorE", "llvm::DataExtractor::getU32(unsigned long *, llvm::Error *) const"},
    {"_ZTVN5clang4ento23RangedConstraintManagerE", "Virtual function table for clang::ento::RangedConstraintManager"},
    {"_ZNK4llvm13AttributeList19getFnStackAlignmentEv", "llvm::AttributeList::getFnStackAlignment() const"},
};
/* clang-format on */

static void demangle_test_printed(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof printed / sizeof *printed; i++) {
    front_world world;
    front_open(&world);
    assert_string_equal(tl_demangle(&world.arena, printed[i].name), printed[i].text);
    front_close(&world);
  }
}

/* Lines of a file: a name, a tab, and what nvlink prints. */
static void demangle_check_file(const char *file, size_t least) {
  char path[HARNESS_PATH];
  harness_words lines;
  size_t count = 0;
  harness_path(path, "%s/../tests/%s", front_corpus, file);
  harness_read_lines(path, &lines);
  for (size_t i = 0; i < lines.count; i++) {
    char *const text = strchr(lines.items[i], '\t');
    if (*lines.items[i] == '#')
      continue;
    assert_non_null(text);
    *text = '\0';
    front_world world;
    front_open(&world);
    assert_string_equal(tl_demangle(&world.arena, lines.items[i]), text + 1);
    front_close(&world);
    count++;
  }
  harness_free_words(&lines);
  assert_true(count >= least);
}

static void demangle_test_files(void **state) {
  (void)state;
  demangle_check_file("reference/demangled-names", 700);
  demangle_check_file("front/demangled-names", 500);
  demangle_check_file("reference/demangled-names-damaged", 20);
}

/* Every name cut anywhere, and every byte of it changed: an answer comes back, and no more memory is used than the bounds
 * allow. */
static void demangle_test_damaged(void **state) {
  (void)state;
  static const char letters[] = "SIJNTZLXPFEDUv_09$";
  for (size_t i = 0; i < sizeof printed / sizeof *printed; i++) {
    const size_t length = strlen(printed[i].name);
    front_world world;
    front_open(&world);
    for (size_t at = 0; at < length; at++) {
      char *name = tl_arena_text(&world.arena, printed[i].name, at);
      assert_non_null(tl_demangle(&world.arena, name));
      name = tl_arena_text(&world.arena, printed[i].name, length);
      name[at] = letters[(at + i) % (sizeof letters - 1)];
      assert_non_null(tl_demangle(&world.arena, name));
    }
    assert_true(world.arena.used < 64 << 20);
    front_close(&world);
  }
}

/* Names that nest deeply, or that double their text at every step, are left alone. */
static void demangle_test_bounds(void **state) {
  (void)state;
  static const char *const nests[] = {"P", "N", "I", "F", "M", "Dp", "A_", "K", "DTpl", "Z", "1AI"};
  for (size_t i = 0; i < sizeof nests / sizeof *nests; i++) {
    static char name[100000];
    size_t length = (size_t)snprintf(name, sizeof name, "_Z1f");
    while (length + 8 < sizeof name)
      length += (size_t)snprintf(name + length, sizeof name - length, "%s", nests[i]);
    front_world world;
    front_open(&world);
    assert_ptr_equal(tl_demangle(&world.arena, name), name);
    front_close(&world);
  }
  char doubling[4096] = "_Z1f1AIiE";
  for (unsigned i = 1; i < 200; i++)
    snprintf(doubling + strlen(doubling), 16, "S_IS%c_S%c_E", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i % 36],
             "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i % 36]);
  front_world world;
  front_open(&world);
  assert_ptr_equal(tl_demangle(&world.arena, doubling), doubling);
  assert_true(world.arena.used < 64 << 20);
  front_close(&world);
}

int front_test_demangling(void) {
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(demangle_test_printed),
      cmocka_unit_test(demangle_test_files),
      cmocka_unit_test(demangle_test_damaged),
      cmocka_unit_test(demangle_test_bounds),
  };
  return cmocka_run_group_tests_name("demangled names", tests, NULL, NULL);
}
