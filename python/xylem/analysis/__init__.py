"""Facts about a parsed query: its static context, the namespaces of its names, the types it writes.

What comes in is the AST and the environment it is compiled in; what goes out is the AST with every name resolved
and a static context per module. Analysis never rewrites an expression into another and never runs one.
"""
