"""Streams that carry updates: what was, what is, and the answer after each commit.

Content of an update stream and the updates of it come in; a store keeps the versions of every slot, trees show the
state as of any commit, and a run gives the answer after each commit that changed it. It never reads bytes, and it
never looks at the clock of the machine.
"""
