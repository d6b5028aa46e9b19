"""Windows over items that arrive one after the other.

Items and the compiled conditions of a window clause come in; windows go out, each as soon as its order allows it. A
cursor keeps no item that no open window can need, and reads no clock and no input by itself.
"""
