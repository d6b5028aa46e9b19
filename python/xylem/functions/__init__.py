"""Functions and Operators 3.1, one file per family, each function a plain Python function with its signature.

Converted arguments come in; values of the declared types go out. Functions never see the query: `Context` provides
their surroundings.
"""
