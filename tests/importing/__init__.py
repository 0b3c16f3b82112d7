"""Tests of `tvarc import`. Where a new one goes:

- What is read, said or refused of a recipe of any kind: `test_guarantees.py`, under the promise
  that it is a case of. Where there is more than a case or two to it, a subject has a file of its
  own: texts, files, names, builders, styles, flakes, packages of Python.
- Whole families: `test_foreign.py` for ones by hand, and
  `test_examples.py` for those that our own programs make.
- What the command prints, writes and returns: `test_command.py`; what it leaves when it is stopped:
  `test_interrupted.py`.
- A part by itself, where no recipe shows all that it has to do: `test_conditions.py`.

`tests/fuzz/` plants faults at random, `test_hostile.py` a few of them in every run.
"""
