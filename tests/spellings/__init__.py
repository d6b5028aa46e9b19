"""Spellings of the same meaning: what each costs in every way to run it, in one golden table."""
