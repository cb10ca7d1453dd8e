"""Finding the first of many texts that says the same as another one."""

from collections.abc import Hashable, Iterable, Iterator

from thermite_pipelines.learnings.sameness import least_shared, read, weight_of

# The numbers of a word's texts become bits when they are so many: one in 128 of all, within these limits. Bits of all
# texts are an eighth of a byte each, so below that a list takes less memory; above it, it takes longer to go through.
_PART = 128
_SHORTEST_LIST = 16
_LONGEST_LIST = 512


class SamenessIndex:
    """Texts among which the first that says the same is found: just what a scan of all with `same` finds.

    Texts are numbered as they are added, from 0. For each significant word, and for each weight of words in negated
    texts and in others, it keeps the numbers of the texts that have it: as a list while they are few, else as the bits
    of one whole number. What each text shares with another one is then summed up for all texts at once, bit by bit, so
    that a search takes about as long whether texts share few words or most.
    """

    def __init__(self) -> None:
        self._count = 0
        self._few: dict[Hashable, list[int]] = {}
        self._many: dict[Hashable, int] = {}
        self._weights: set[int] = set()
        self._preferred = 0

    def __len__(self) -> int:
        return self._count

    def add(self, text: str) -> int:
        """Add a text after all others; its number."""
        number = self._count
        self._count += 1
        negated, words, weight = read(text)
        self._weights.add(weight)
        self._put((negated, weight), number)
        for word in words:
            self._put(word, number)
        return number

    def prefer(self, number: int) -> None:
        """From now on compare this text before those that are not preferred."""
        self._preferred |= 1 << number

    def first_match(self, text: str) -> int | None:
        """The number of the first text that says the same, preferred ones first, else in the order of adding."""
        found = self._matching(text)
        found = found & self._preferred or found
        return (found & -found).bit_length() - 1 if found else None

    def matches(self, text: str) -> Iterator[int]:
        """The numbers of all texts that say the same, in the order of adding."""
        found = self._matching(text)
        while found:
            lowest = found & -found
            yield lowest.bit_length() - 1
            found ^= lowest

    def _matching(self, text: str) -> int:
        """The texts that say the same, as bits."""
        negated, words, weight = read(text)
        planes = _summed((weight_of(word), self._bits(word)) for word in words)
        found = 0
        for other in self._weights:
            least = least_shared(weight, other)
            if least is not None and least.bit_length() <= len(planes):
                found |= _at_least(least, planes, self._bits((negated, other)))
        return found

    def _put(self, key: Hashable, number: int) -> None:
        few = self._few.get(key)
        if few is None:
            self._few[key] = [number]
            return
        few.append(number)
        if len(few) >= min(_LONGEST_LIST, max(_SHORTEST_LIST, self._count // _PART)):
            self._many[key] = self._bits(key)
            del self._few[key]

    def _bits(self, key: Hashable) -> int:
        """The numbers of the texts that have this, as bits."""
        many, few = self._many.get(key, 0), self._few.get(key)
        if not few:
            return many
        bits = bytearray((few[-1] >> 3) + 1)
        for number in few:
            bits[number >> 3] |= 1 << (number & 7)
        return many | int.from_bytes(bits, "little")


def _summed(weighed: Iterable[tuple[int, int]]) -> list[int]:
    """For each bit, the sum of the weights of the numbers that have it: plane k holds the bits with 2 ** k in it."""
    planes: list[int] = []
    for weight, bits in weighed:
        for first in range(weight.bit_length()):
            carry, place = (bits if weight >> first & 1 else 0), first
            while carry:
                planes += [0] * (place + 1 - len(planes))
                planes[place], carry = planes[place] ^ carry, planes[place] & carry
                place += 1
    return planes


def _at_least(least: int, planes: list[int], among: int) -> int:
    """Those bits of `among` whose sum is at least so much."""
    more, equal = 0, among
    for place in reversed(range(len(planes))):
        if not equal:
            break
        if least >> place & 1:
            equal &= planes[place]
        else:
            more |= equal & planes[place]
            equal &= ~planes[place]
    return more | equal
