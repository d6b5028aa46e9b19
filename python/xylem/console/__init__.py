"""The console in a browser: a playground for queries, and the runs of a project.

Requests of a browser on this machine come in; pages, errors, answers and events go out, from this origin only. It never
reads a file outside its project, nor one that a query names, never runs Python of a user, and runs each query in a
process of its own with limits of time, memory and size.
"""
