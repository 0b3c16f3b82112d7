"""Lints on many variants report exactly what lints on each variant alone report."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.alone import one_by_one
from support.compile import codes, compile_text, messages
from support.effort import examples
from support.lints import HASH, REV
from tvarc.text.diagnostics.model import Diagnostic

HEAD = f"""
use std.nvidia
use std.cpu
use std.cuda
axis gpu = nvidia[sm61, sm75, sm90, sm120]
axis isa = cpu[avx, avx512bf16, armv9]
axis toolkit = cuda-toolkit[cuda12_8, cuda13_0]
axis n = [1, 2, 3]
let lines = "export CXXFLAGS=\\"{{{{isa.flags}}}}\\""
let name = "{{{{n}}}} FLAGS"
pin p {{ github = "NixOS/nixpkgs", rev = "{REV}", hash = "{HASH}"
  config {{ cudaSupport = true }} }}
overlay kit {{ cudaPackages = final[toolkit.set] }}
"""
"""Axes that the library has facts about, and texts that are put together."""

WORDS = (
    *("{{gpu.label}}", "{{gpu}}", "{{upper(gpu)}}", "{{gpu.capability}}", "{{isa.label}}"),
    *("{{isa}}", "{{toolkit.version}}", "{{n}}", "{{variant}}", "{{gpu.products[0]}}"),
    *("SM90", "sm_", "CUDA", "12.8", "H100", "RTX 4090", "Graviton2", "for", "not", "or newer"),
    *("{{old.version}}", "driver", "575", "Driver: {{n}}75", "{{major(toolkit.min-driver)}}"),
    *(",", "on", "SM{{n}}0"),
)
LINES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)
TEXTS = st.lists(LINES, min_size=1, max_size=3).map("\\n".join)
PARTS = st.sampled_from(
    (
        'export CXXFLAGS="{{isa.flags}}"',
        'echo "{{gpu.label}} {{isa.label}} {{n}} {{variant}}"',
        'export TORCH_CUDA_ARCH_LIST="{{gpu.capability}}" # {{n}} {{isa}}',
        "export USE_CUDNN={{n}}",
        "{{lines}} # {{gpu}} {{n}} {{toolkit}}",
        "export CFLAGS=-march=armv9-a",
        "export CXX{{name}}",
        "export USE_FBGEMM=0",
        "export USE_CUDNN={{old.version}} # {{gpu}} {{isa}} {{n}}",
        "if true; then export CXXFLAGS=-mavx2; fi",
    )
)
SETTINGS = st.sampled_from(
    (
        'attrs { versoin = "{{n}}" }',
        'attrs { versoin = if n == 1 then none else "{{gpu}}{{isa}}{{n}}" }',
        'attrs { pname = "{{variant}}", version = "2.{{n}}" }',
        'attrs { version = "2.{{n}}.0" }',
        "attrs { cmakeFlags = [] }",
        'attrs { buildInputs = ["{{gpu}} {{isa}} {{n}}"] }',
        "meta { platforms = [isa.platform] }",
        'meta { platforms = ["x86_64-linux"] }',
        'env { CFLAGS = "{{isa.flags}}" }',
        'args { gpuTargets = ["sm_9{{n}}"] }',
        "config { cudaCapabilities = [gpu.capability] }",
        'config { allowUnfre = "{{n}}" }',
        'when n == 1 { meta { longDescription = "for the H100, {{isa.label}} {{gpu.label}}" } }',
        'when gpu == sm90 { meta { longDescription = "Driver {{n}}: SM{{n}}0 {{isa}}" } }',
    )
)


def program(described: str, parts: list[str], listed: list[str], name: str) -> str:
    scripts = "".join(f'''part p{index} """\n{part}\n"""\n''' for index, part in enumerate(parts))
    body = "\n".join(dict.fromkeys(listed))
    return f"""{HEAD}
recipe r {{
  package = pkgs.python3Packages.torch
  overlays = [kit]
  args {{ cudaSupport = true }}
  meta {{ description = "{described}" }}
  script preConfigure {{ {scripts} }}
  {body}
}}
matrix m {{ recipe = r, axes = gpu * isa * toolkit * n, name = "{name}" }}
output nix {{ file = "{{{{variant}}}}.nix" }}
"""


def found(text: str, *, together: bool) -> tuple[list[str], list[Diagnostic]]:
    made = compile_text(text)
    if codes(made):
        return codes(made), []
    for _ in made.files("input.tvar") if together else one_by_one(made):
        pass
    return codes(made), made.diagnostics


@pytest.mark.slow
@settings(max_examples=examples(150))
@given(
    TEXTS,
    st.lists(PARTS, min_size=1, max_size=3),
    st.lists(SETTINGS, max_size=4),
    st.sampled_from(
        ("{{gpu}}-{{isa}}-{{toolkit}}-{{n}}", "FLAGS-{{n}}-{{isa}}-{{gpu}}-{{toolkit}}")
    ),
)
def test_together_as_alone(described: str, parts: list[str], listed: list[str], name: str) -> None:
    text = program(described, parts, listed, name)
    errors, alone = found(text, together=False)
    assert found(text, together=True) == (errors, alone), messages(compile_text(text))
