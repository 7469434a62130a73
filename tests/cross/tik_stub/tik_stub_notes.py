"""What the programs made the recording stub do: names of constructs (tests/cross/constructs.tsv) that
are only known while a program runs, as the kinds of operands or the form of a view."""

seen = set()
note = seen.add
