"""Where data comes from: XML bytes into trees, and documents, texts and collections by URI.

What comes in are bytes and URIs; what goes out are document nodes and strings, or errors with a place in the input.
Nothing here touches the network, and no file outside the places a user allowed.
"""
