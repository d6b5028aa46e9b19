"""Data and measurements: documents made to measure, and Xylem side by side with its peers.

In come a scale or a number of records and a seed; out go documents of any size, written as a stream, or the figures
of a run. Nothing of the engine imports this package, and no generator holds more than one record in memory.
"""
