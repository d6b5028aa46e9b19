"""Facts about a parsed query: its static context, the namespaces of its names, its declared types.

The AST and its environment come in; the AST with every name resolved and a static context per module go out. Analysis
never rewrites an expression into another and never runs one.
"""
