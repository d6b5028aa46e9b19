"""Five pairs of update streams: what is seldom done to regions, each with a name that says which."""

from __future__ import annotations

NS = 'xmlns:u="urn:xylem:update"'


def _item(key: int, name: str, price: object, kind: str = "a", id: str = "") -> str:
    named = f' u:id="{id}"' if id else ""
    return f'<item k="{key}" kind="{kind}"{named}><name>{name}</name><price u:id="p{key}">{price}</price></item>'


def _stream(base: str, updates: str) -> bytes:
    return f'<u:stream {NS} t="0">{base}{updates}</u:stream>'.encode()


_SHOP = (
    '<shop id="m">' + _item(1, "pen", 10, "a", "i1") + _item(2, "ink", 30, "b", "i2") + "<!-- end -->"
    + _item(3, "pad", 20, "a", "i3") + '<u:mutable id="end"/></shop>'
)  # fmt: skip
_ORDERS = (
    '<orders><order item="1" u:id="o1"><n u:id="n1">2</n><what>pen</what></order>'
    '<order item="2" u:id="o2"><n>5</n><what>ink</what></order><u:mutable id="more"/></orders>'
)

STREAMS: dict[str, dict[str, bytes]] = {
    "replaced again and again": {
        "s": _stream(_SHOP, "".join((
            '<u:replace of="p1" id="x" t="1"><price>12</price></u:replace>',
            '<u:replace of="x" id="x" t="2"><price>30</price></u:replace>',
            '<u:replace of="p1" t="2"><price>30</price></u:replace>',
            '<u:replace of="i2" id="j" t="3"><item k="2" kind="c"><name>ink</name>'
            '<price u:id="q">5</price></item></u:replace>',
            '<u:replace of="q" t="4"><price>50</price></u:replace>',
            '<u:replace of="p2" t="4"><price>99</price></u:replace>',
            '<u:replace of="j" t="5"><item k="2" kind="b"><name>ink</name><price>5.5</price></item></u:replace>',
            '<u:replace of="p3" t="6"/>',
            '<u:replace of="p3" t="8"><price>20</price><price>21</price></u:replace>',
        ))),
        "t": _stream(_ORDERS, '<u:replace of="n1" t="2"><n>4</n></u:replace>'
            '<u:replace of="n1" t="7"><n>1</n></u:replace>'),
    },
    "inserted and removed": {
        "s": _stream(_SHOP, "".join((
            f'<u:insert-before of="i1" id="k" t="1">{_item(4, "cap", 40, "b")}</u:insert-before>',
            f'<u:insert-after of="i1" t="2">{_item(5, "lid", 15)}</u:insert-after>',
            f'<u:insert-after of="i1" t="2">{_item(6, "box", 35)}</u:insert-after>',
            '<u:remove of="i2" t="3"/>',
            f'<u:insert-before of="end" id="last" t="4">{_item(2, "ink", 31, "b")}</u:insert-before>',
            '<u:insert-before of="p5" t="5"><note>new</note></u:insert-before>',
            '<u:remove of="k" t="6"/>',
            f'<u:replace of="k" t="7">{_item(4, "cap", 8)}{_item(7, "cap", 9, "c")}</u:replace>',
            '<u:remove of="i1" t="9"/><u:remove of="i3" t="9"/>',
        ))),
        "t": _stream(_ORDERS, "".join((
            '<u:insert-before of="more" t="1"><order item="4"><n>7</n><what>cap</what></order></u:insert-before>',
            '<u:remove of="o1" t="5"/><u:remove of="o2" t="5"/>',
            '<u:insert-before of="more" t="8"><order item="1"><n>9</n><what>pen</what></order></u:insert-before>',
        ))),
    },
    "interleaved": {
        "s": _stream(
            '<shop id="m">' + _item(1, "pen", 10, "a", "i1")
            + '<u:replace of="p1" t="1"><price>11</price></u:replace>'
            + _item(2, "ink", 30, "b", "i2")
            + f'<u:insert-after of="i1" id="in" t="2">{_item(8, "mid", 22)}'
            + '<u:replace of="p1" t="2"><price>33</price></u:replace></u:insert-after>'
            + '<u:mutable id="two">' + _item(3, "pad", 20) + _item(9, "rub", 2, "b") + ''
            '</u:mutable><u:mutable id="end"/></shop>',
            "".join((
                '<u:replace of="p8" t="3"><price>44</price></u:replace>',
                f'<u:replace of="two" t="4">{_item(9, "rub", 3, "b")}</u:replace>',
                '<u:replace of="p3" t="5"><price>unseen</price></u:replace>',
                f'<u:replace of="two" t="6"><u:mutable id="in2">{_item(10, "tip", 6)}</u:mutable>text</u:replace>',
                f'<u:replace of="in2" t="7">{_item(10, "tip", 60)}</u:replace>',
                '<u:remove of="two" t="9"/>',
            )),
        ),
        "t": _stream(_ORDERS, '<u:replace of="n1" t="3"><n>3</n></u:replace>'),
    },
    "batches and frozen regions": {
        "s": _stream(_SHOP, "".join((
            '<u:batch t="1"><u:replace of="p1" t="1"><price>25</price></u:replace>'
            '<u:replace of="p2" t="1"><price>26</price></u:replace><u:remove of="i3" t="1"/></u:batch>',
            '<u:freeze of="p1"/>',
            '<u:batch t="3"><u:remove of="i2"/>',
            f'<u:replace of="i2">{_item(2, "ink", 7, "b")}</u:replace>',
            f'<u:insert-before of="end">{_item(11, "ink", 70)}</u:insert-before></u:batch>',
            '<u:commit t="4"/>',
            '<u:batch t="5"><u:replace of="p2"><price>1</price></u:replace><u:replace of="p2">'
            '<price>7</price></u:replace></u:batch>',
            '<u:freeze of="end"/><u:replace of="p11" t="6"><price>71</price></u:replace>',
        ))),
        "t": _stream(_ORDERS, '<u:batch t="2"><u:remove of="o1"/><u:remove of="o2"/></u:batch><u:commit t="5"/>'),
    },
    "the clock": {
        "s": _stream(_SHOP, "".join((
            '<u:replace of="p1" t="1.5"><price>40</price></u:replace><u:clock t="2"/><u:clock t="3"/>',
            '<u:replace of="p1" t="3"><price>10</price></u:replace><u:replace of="p1" t="3">'
            '<price>15</price></u:replace>',
            '<u:clock t="4.25"/><u:clock t="5"/><u:clock t="6"/><u:remove of="i1" t="7"/><u:clock t="8"/>',
            '<u:clock t="11"/><u:clock t="30"/>',
        ))),
        "t": _stream(_ORDERS, '<u:clock t="1"/><u:replace of="n1" t="6.5"><n>8</n></u:replace><u:clock t="12"/>'),
    },
}  # fmt: skip
"""By what is done, the streams `s` and `t`."""
