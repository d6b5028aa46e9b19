"""Functions and Operators 3.1, one file per family, each function a plain Python function with its signature.

What comes in are converted arguments, what goes out are values of the declared types. Functions never see the
query: what they need of their surroundings is in `Context`.
"""
