"""Update streams: content followed by updates of it, from the wire format and from ordinary feeds.

Bytes come in, in any chunks; operations go out, each of which a store applies as a whole (`run/history/feed.py`). No
reader here knows what an id is bound to, or keeps earlier input.
"""
