"""The reachability of states (the relation ∆ of thesis §3.3), by strongly connected components [Tar72].

∆ of the thesis includes each state itself, by the empty word. Here a state reaches itself only if it lies on a cycle;
callers that need the reflexive relation add the state. That difference is the one between `a` and `a*`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .state_sets import states, union


def reachability(follows: Sequence[int]) -> tuple[int, ...]:
    """For each state, those after it by one step or more."""
    reach = [0] * len(follows)
    for members in _components(follows):
        # Components come after all those they lead to, so the states after this one are known already.
        direct = union(follows[q] for q in members)
        everything = direct | union(reach[p] for p in states(direct))
        for q in members:
            reach[q] = everything
    return tuple(reach)


def _components(follows: Sequence[int]) -> Iterator[list[int]]:
    """The strongly connected components, each after the ones it leads to. Without recursion: chains can be long."""
    number = [0] * len(follows)
    low = [0] * len(follows)
    is_open = [False] * len(follows)
    path: list[int] = []
    count = 0
    for root in range(len(follows)):
        work: list[tuple[int, Iterator[int]]] = [] if number[root] else [(root, states(follows[root]))]
        while work:
            q, targets = work[-1]
            if not number[q]:
                count += 1
                number[q] = low[q] = count
                is_open[q] = True
                path.append(q)
            child = next(targets, None)
            if child is not None:
                if not number[child]:
                    work.append((child, states(follows[child])))
                elif is_open[child]:
                    low[q] = min(low[q], number[child])
                continue
            work.pop()
            if work:
                above = work[-1][0]
                low[above] = min(low[above], low[q])
            if low[q] == number[q]:
                members: list[int] = []
                while not members or members[-1] != q:
                    members.append(path.pop())
                    is_open[members[-1]] = False
                yield members
