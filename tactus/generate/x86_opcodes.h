// The instructions that a tape needs, for one lane and for several.
#pragma once

#include <cstdint>

#include <asmjit/x86.h>

namespace tactus::generate {

struct X86Opcodes {
  std::uint32_t load, store, broadcast;
  std::uint32_t add, sub, mul, div, min, max, sqrt, compare, round, round_evex;
  std::uint32_t fused[4][3];  // fma, fms, fnma, fnms; forms 132, 213, 231
};

// Form 132: d = d * x + s;  213: d = s * d + x;  231: d = s * x + d, where x may stand in memory.
enum FusedForm { k132 = 0, k213 = 1, k231 = 2 };

inline const X86Opcodes& x86_opcodes(bool scalar) {
  namespace I = asmjit::x86::Inst;
  static const X86Opcodes one = {
      I::kIdVmovsd,
      I::kIdVmovsd,
      I::kIdVmovsd,
      I::kIdVaddsd,
      I::kIdVsubsd,
      I::kIdVmulsd,
      I::kIdVdivsd,
      I::kIdVminsd,
      I::kIdVmaxsd,
      I::kIdVsqrtsd,
      I::kIdVcmpsd,
      I::kIdVroundsd,
      I::kIdVrndscalesd,
      {{I::kIdVfmadd132sd, I::kIdVfmadd213sd, I::kIdVfmadd231sd},
       {I::kIdVfmsub132sd, I::kIdVfmsub213sd, I::kIdVfmsub231sd},
       {I::kIdVfnmadd132sd, I::kIdVfnmadd213sd, I::kIdVfnmadd231sd},
       {I::kIdVfnmsub132sd, I::kIdVfnmsub213sd, I::kIdVfnmsub231sd}},
  };
  static const X86Opcodes several = {
      I::kIdVmovupd,
      I::kIdVmovupd,
      I::kIdVbroadcastsd,
      I::kIdVaddpd,
      I::kIdVsubpd,
      I::kIdVmulpd,
      I::kIdVdivpd,
      I::kIdVminpd,
      I::kIdVmaxpd,
      I::kIdVsqrtpd,
      I::kIdVcmppd,
      I::kIdVroundpd,
      I::kIdVrndscalepd,
      {{I::kIdVfmadd132pd, I::kIdVfmadd213pd, I::kIdVfmadd231pd},
       {I::kIdVfmsub132pd, I::kIdVfmsub213pd, I::kIdVfmsub231pd},
       {I::kIdVfnmadd132pd, I::kIdVfnmadd213pd, I::kIdVfnmadd231pd},
       {I::kIdVfnmsub132pd, I::kIdVfnmsub213pd, I::kIdVfnmsub231pd}},
  };
  return scalar ? one : several;
}

}  // namespace tactus::generate
