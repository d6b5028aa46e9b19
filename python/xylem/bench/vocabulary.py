"""The words of generated prose: seventeen thousand of them, used as unevenly as in XMark's documents.

XMark draws a word's rank from an exponential distribution over 17,000 ranks, so the thousand most frequent words make
a quarter of the text and the rarest turn up once in a megabyte. The words here are our own: common English roots
first (`gold` among them, which XMark's query 14 looks for), then what prefixes and suffixes make of them, then words
built from syllables.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from itertools import product

SIZE = 17_000
_MEAN_RANK = SIZE / 5  # the 1,000 most frequent words are then 26 % of all, in the original's sample 25 %
_POOL = 1 << 16

_ROOTS = """
gold water light stone house garden river mountain window silver paper letter morning evening winter summer spring
autumn market village city street bridge castle tower harbour ship sailor captain soldier king queen prince lord lady
knight servant master child brother sister mother father daughter son uncle cousin neighbour friend stranger guest
host traveller merchant farmer miller baker butcher weaver painter singer player dancer poet doctor lawyer judge
priest monk nun student teacher scholar book page word line verse song story play scene act stage curtain mask mirror
picture colour red green blue white black brown yellow grey dark bright pale deep high low long short broad narrow
wide thin thick heavy soft hard rough smooth sharp blunt hot cold warm cool dry wet clean foul sweet sour bitter fresh
old young new ancient early late quick slow sudden quiet loud silent calm wild tame gentle fierce brave bold timid
proud humble honest false true loyal wise foolish clever dull merry sad glad angry jealous kind cruel mild stern
strict just fair rich poor noble common rare plain fine rude polite busy idle weary tired sleepy awake alive dead sick
well strong weak able ready willing happy lucky hopeful careful lonely lovely friendly holy sacred royal golden wooden
woollen iron copper brass tin lead steel glass clay sand dust mud grass leaf root branch flower rose lily violet daisy
thorn weed seed fruit apple pear plum cherry grape berry nut corn wheat barley oat bread butter cheese milk cream
honey sugar salt pepper wine beer cider oil meat fish fowl egg soup pie cake feast supper dinner breakfast table chair
bench stool bed pillow blanket sheet cloth linen silk velvet cotton wool leather button needle thread knife fork spoon
plate cup bowl dish basket barrel bottle jar box chest trunk bag purse coin penny crown shilling price cost debt loan
trade bargain profit loss gain gift prize reward fee wage rent tax toll law rule order command promise oath vow word
bond pledge trust faith hope love hate fear joy grief sorrow shame pride envy anger pity mercy grace honour fame glory
power strength might force will wish desire dream sleep rest peace war battle fight quarrel sword dagger spear arrow
bow shield armour helmet banner drum trumpet flute harp bell horn music dance laugh smile tear sigh cry shout whisper
voice tongue mouth lip tooth cheek chin nose eye ear brow hair head neck shoulder arm elbow hand finger thumb nail
breast heart back side rib hip knee leg ankle foot toe skin bone blood flesh breath body mind soul spirit ghost devil
angel heaven hell earth world sky sun moon star cloud rain snow hail frost ice wind storm thunder lightning fog mist
dew fire flame smoke ash spark coal lamp candle torch shadow shade night day noon dawn dusk hour minute moment year
month week season spring time age youth birth death life end beginning middle part whole half quarter piece bit drop
grain point edge corner centre side top bottom front end inside outside place room hall chamber kitchen cellar attic
roof wall floor door gate lock key bolt hinge stair step ladder path road lane way track field meadow pasture orchard
forest wood grove hedge ditch well spring brook stream pond lake sea ocean wave tide shore coast beach cliff cave rock
hill valley plain desert island country kingdom empire nation people crowd army troop band company party family tribe
clan race horse mare colt cow ox bull calf sheep lamb ram goat pig hog dog hound cat mouse rat hare rabbit fox wolf
bear deer stag lion tiger ape snake toad frog worm bee wasp ant fly spider moth bird hen cock duck goose swan dove
crow raven owl eagle hawk lark sparrow wing feather tail claw nest egg cage net trap hook rope chain cord string knot
wheel cart wagon coach saddle bridle spur whip plough spade hammer axe saw chisel file anvil forge mill oven kiln loom
spindle clock dial map chart compass anchor mast sail oar deck crew cargo port voyage journey road inn tavern shop
stall fair church temple altar prayer psalm sermon saint bishop abbot pilgrim relic cross come go run walk ride climb
fall rise stand sit lie kneel lean turn move stay wait leave enter follow lead guide carry bring take give send fetch
hold keep lose find seek hide show see look watch hear listen speak say tell ask answer call name praise blame curse
bless thank beg grant deny refuse accept offer buy sell pay owe lend borrow steal rob cheat lie swear break mend make
build burn cut carve shape bend pull push lift throw catch strike beat kill wound heal cure help hinder serve rule
obey teach learn read write count add think know believe doubt guess judge choose prefer want need lack spend save
waste use wear dress wash cook eat drink taste smell touch feel kiss embrace marry part meet greet visit invite
welcome bid warn threaten frighten comfort cheer please tease mock scorn laugh weep mourn bury dig plant sow reap
gather store share divide join mix pour fill empty open close shut begin finish stop cease grow shrink change remain
last perish vanish appear seem become happen dare venture try fail succeed win yield conquer defend attack guard
protect rescue betray forgive forget remember and but for yet nor with from into upon under over above below beside
between among against about after before behind beyond during since until while when where why how what which who whom
whose this that these those here there now then soon often never always ever again once twice thus hence very quite
rather almost only even still much many few some any none each every both either neither other another such same own
more most less least first second third last next one two three four five six seven eight nine ten twelve twenty
hundred thousand
"""

_SUFFIXES = ("s", "ed", "er", "ing", "y", "ly", "ful", "ish")
_PREFIXES = ("un", "re")
_ONSETS = "b br c ch d dr f fl g gr h l m n p pr r s st t tr v w"
_RHYMES = "a ain an ar el en er i in ist o on or um"
_CODAS = ("", "d", "l", "m", "n", "r", "s", "t", "th")


@cache
def words() -> tuple[str, ...]:
    """All words, the most frequent first."""
    found: dict[str, None] = {}
    for word in _candidates():
        found.setdefault(word)
        if len(found) == SIZE:
            break
    return tuple(found)


def _candidates() -> Iterator[str]:
    roots = tuple(dict.fromkeys(_ROOTS.split()))
    yield from roots
    roots = tuple(root for root in roots if "gold" not in root)  # else query 14 would find far too many
    for suffix in _SUFFIXES:
        yield from (_joined(root, suffix) for root in roots)
    for prefix, root in product(_PREFIXES, roots):
        yield prefix + root
    # Neighbours in rank should not look alike, so the syllables are walked with strides coprime to their number.
    syllables = [onset + rhyme for onset, rhyme in product(_ONSETS.split(), _RHYMES.split())]
    size = len(syllables)
    for step in range(200):
        for position in range(size):
            first, second = syllables[position * 101 % size], syllables[(position * 37 + step * 11) % size]
            yield first + second + _CODAS[(position + step) % len(_CODAS)]


def _joined(root: str, suffix: str) -> str:
    if suffix == "ly" and root.endswith("le"):
        return root[:-1] + "y"
    if suffix[0] in "eiy" and root.endswith("e"):
        return root[:-1] + suffix
    if root.endswith("y") and suffix[0] != "i" and len(root) > 3 and root[-2] not in "aeou":
        return root[:-1] + ("ies" if suffix == "s" else "i" + suffix)
    return root + suffix


@cache
def word_pool() -> list[str]:
    """65,536 words in which each stands as often as its rank deserves; any of them is as good as the next."""
    ranked = words()
    whole = 1.0 - math.exp(-SIZE / _MEAN_RANK)
    return [ranked[int(-_MEAN_RANK * math.log(1.0 - whole * (i + 0.5) / _POOL))] for i in range(_POOL)]
