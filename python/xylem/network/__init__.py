"""Subscriptions that share streams: what a query keeps of a stream, and whether another can be answered from that.

Queries come in, with their streams and peers; properties of their streams, matches between them, and answers that
arrive with the stream go out. Nothing here computes an answer by other means than the engine's own, and no match is
claimed that could lose or change a result.
"""
