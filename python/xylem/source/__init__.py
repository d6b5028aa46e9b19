"""Sources of data: XML bytes become trees; documents, texts and collections come by URI.

Bytes and URIs come in; document nodes and strings go out, or errors with a place in the input. Nothing here uses the
network, except for a URL that the user wrote, or a file outside the directories that the user allowed.
"""
