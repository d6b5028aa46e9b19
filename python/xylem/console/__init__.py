"""The console in a browser: a playground for queries, with errors underlined and what each line does in the margin.

What comes in are requests of a browser on this machine; what goes out are pages, errors and answers, from this origin
alone. It never reads a file that a query names, never runs Python of a user, and runs each query in a process of its
own with limits of time, memory and size.
"""
