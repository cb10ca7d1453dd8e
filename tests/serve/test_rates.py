"""How often something may happen."""

from thermite_pipelines.serve.rates import Rates


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_bucket_fills_by_itself_and_each_key_has_its_own() -> None:
    clock = Clock()
    rates = Rates(3, clock)
    assert [rates.take("a") for _ in range(5)] == [True, True, True, False, False]
    assert rates.take("b")
    assert 19 <= rates.wait("a") <= 21
    clock.now = 20.5
    assert [rates.take("a") for _ in range(2)] == [True, False]
    clock.now = 10_000
    assert [rates.take("a") for _ in range(4)] == [True, True, True, False]


def test_many_keys_cost_bounded_memory() -> None:
    rates = Rates(1, Clock())
    for number in range(20_000):
        assert rates.take(str(number))
    assert len(rates._buckets) == 10_000
    assert not rates.take("19999")
