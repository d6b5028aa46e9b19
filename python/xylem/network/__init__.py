"""Subscriptions that share streams: which part of a stream a query keeps, and which other queries that part can answer.

Queries, streams and peers come in; properties of streams, matches between them, and answers that arrive with the stream
go out. The engine alone computes answers, and a match never loses or changes a result.
"""
