"""Subscriptions that share streams: what a query keeps of a stream, and whether another can be answered from that.

What comes in are queries, the streams they read and the peers they are asked at; what goes out are properties of
their streams, matches between them, and answers that arrive as the stream does. Nothing here computes an answer by
other means than the engine's own, and no match is claimed that could lose or change a result.
"""
