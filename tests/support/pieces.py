"""A program whose lists and texts come by `let`s, by other lists, and from within records."""

from __future__ import annotations

PIECES = '''\
pin nixpkgs {
  github = "NixOS/nixpkgs"
  rev    = "6a030d535719c5190187c4cec156f335e95e3211"
}
axis n = ["one", "two"]
let flags = [
  "-flag-a",
  "-flag-{{n}}",
]
let more = [
  ...flags,
  "-more",
]
let words = """
  word first
  word of {{n}}
"""
let kit = {
  tools = [
    "-tool-a",
    "-tool-b",
  ]
  notes = """
    note first
    note second
  """
  names.short = "a short name"
  names.long = "a long name"
}
recipe r {
  package = pkgs.hello
  attrs {
    pname = "hello-{{variant}}"
    plain = flags
    listed = more
    added = ["-own"]
    added += [
      ...more,
      "-last",
    ]
    taken = words
    joined = """
      line before
      {{words}}
      line after
    """
    chosen = if n == "one" then flags else more
    member = kit.tools
    indexed = [
      more[1],
      kit["tools"][0],
    ]
    row = [
      ["-row-a"],
      flags,
    ][1]
    whole = kit
    record = {
      inner = [
        "-inner-a",
        "-inner-b",
      ]
      text = """
        text first
        text second
      """
      deep = {
        down = [
          ["-deep-a"],
          ["-deep-b", "-deep-c"],
        ]
      }
      by-let = flags
    }
  }
}
matrix m {
  recipe = r
  axes   = n
  name   = "v-{{n}}"
}
output o { file = "pkgs/{{variant}}.nix" }
'''
