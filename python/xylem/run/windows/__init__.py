"""Windows over items that arrive one after the other.

What comes in are items and the compiled conditions of a window clause; what goes out are the windows, each as soon as
its order allows it. A cursor keeps no item that no open window can need, and reads no clock and no input by itself.
"""
