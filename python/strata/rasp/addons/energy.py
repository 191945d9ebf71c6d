"""The column `energy`, in picojoules; RASP has it once this is imported, and strata always.

`strata stat --energy rasp` has the same numbers: 4.5 for each flop, and 132 for each word that is
read or written, of which four in five are taken to be in a cache.
"""
