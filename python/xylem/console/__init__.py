"""The console in a browser: a playground for queries, and the runs of a project as they go on.

What comes in are requests of a browser on this machine; what goes out are pages, errors, answers and events, from this
origin alone. It never reads a file outside its project, nor one that a query names, never runs Python of a user, and
runs each query in a process of its own with limits of time, memory and size.
"""
