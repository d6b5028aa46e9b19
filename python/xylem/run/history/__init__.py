"""Streams that carry updates: all their versions, and the answer after each commit.

The content and the updates of a stream come in. A store keeps the versions of every slot, trees show the state as of
any commit, and a run gives the answer after each commit that changed it. The package never reads bytes or the machine's
clock.
"""
