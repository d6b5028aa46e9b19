"""Queries that never end, on Structured Streaming: a replayable log comes in, an answer that grows goes out.

A log is a directory, a spooled socket or Kafka; each trigger takes what has been added to it since the last one, tasks
evaluate it where they read it, and the driver merges the answer and commits it by the number of the batch. Nothing here
parses XML or knows a language construct: the programs of `run/` do that.
"""
