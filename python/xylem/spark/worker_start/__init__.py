"""A folder for the path of the processes that Spark starts on this machine: Python runs its `sitecustomize` first."""
