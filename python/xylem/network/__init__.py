"""Subscriptions that share streams: which part of a stream a query keeps, and which other queries that part can answer.

Queries, streams and peers come in; properties of streams, matches between them, and growing answers go out. Only the
engine computes answers, and a match never loses or changes a result.
"""
