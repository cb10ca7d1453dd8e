"""Domain tags of a text by rule: the subjects that its words name.

A subject is known by its words: those that atoms are tagged by, and those of research and tuning below. Words are
looked for whole, in lower case, hyphens read as blanks; a longer phrase counts before the words in it. An identifier is
one word: `weight_decay` names its subject, the `cache` in `cache_dir` does not; paths and addresses hold no words. The
subjects named most often are kept, the earlier one before the later where two are named as often. A text that names
none has no tag: a guessed word would tie together facts that have nothing in common.
"""

import re
from collections import Counter
from functools import cache

from thermite_pipelines.atoms.signals.tags import subject_words, subjects_by_sign
from thermite_pipelines.synthesis.entities import without_places
from thermite_pipelines.synthesis.tags import canonical

MOST = 3
"""Tags that the rule gives a text."""
_WORD = re.compile(r"\w+")
# Words that say something else in the logs and notes of research than in a talk about a product.
_OTHERWISE = """
    log logs campaign campaigns commit commits branch branches merge pr version ci scope scopes role roles runner client
    clients orders traffic visits models db conversion attribution stream import imports export
"""

# subject: the words and phrases that lead to it, parted by commas.
_SUBJECTS = """
    optimizer: optimizer, optimizers, optimiser, adam, adamw, sgd, muon, lion, momentum, shampoo, rmsprop
    learning rate: learning rate, learning rates, lr, warmup, warm up, warmdown, cooldown, lr schedule, cosine schedule
    regularization: regularization, regularisation, weight decay, dropout, label smoothing, overfitting, overfits, l2
    normalization: normalization, normalisation, layernorm, layer norm, rmsnorm, batchnorm, batch norm, qk norm
    attention: attention, self attention, flash attention, kv cache, rope, softmax, sliding window
    architecture: architecture, architectures, transformer, transformers, mlp, feed forward, encoder, decoder, resnet
    architecture: residual, convolution, convolutions, cnn, lstm, rnn, mixture of experts, moe
    activation: activation, activations, relu, gelu, silu, swish, swiglu, nonlinearity
    initialization: initialization, initialisation, init, initializer
    batch size: batch size, batch sizes, batch, minibatch, gradient accumulation
    tokenization: tokenizer, tokenizers, tokenization, tokens, token, vocabulary, vocab, bpe
    embeddings: embedding, embeddings, encodings
    training: training, train, trained, finetuning, fine tuning, fine tune, pretraining, epochs, epoch, gradient
    training: gradients, backprop, loss
    inference: inference, decoding, sampling, beam search, speculative decoding, generation
    quantization: quantization, quantisation, quantized, int8, int4, fp8, fp16, bf16, mixed precision
    compression: compression, compress, pruning, distillation, sparsity, sparse, low rank, lora
    hyperparameters: hyperparameter, hyperparameters, grid search, sweep, sweeps, tuning, ablation, ablations
    evaluation: evaluation, evaluations, evaluate, benchmark, benchmarks, accuracy, recall, precision, f1, auc, baseline
    evaluation: baselines, cross validation, validation, leaderboard, holdout
    statistics: statistics, statistical, variance, confidence interval, p value, linear regression, correlation
    statistics: bootstrap, significance, distribution, distributions, outliers, bayesian, posterior, likelihood
    features: feature, features, feature engineering, feature selection
    data augmentation: augmentation, augmentations, augment, mixup, cutmix, synthetic data
    data quality: deduplication, duplicates, labels, labelling, labeling, annotation, missing values, leakage
    boosting: xgboost, lightgbm, catboost, gradient boosting, random forest, trees, decision tree
    ensembles: ensemble, ensembles, ensembling, stacking, blending, voting
    reinforcement learning: reinforcement learning, rl, reward, rewards, ppo, grpo, policy gradient, rollout policy
    simulation: simulation, simulations, simulate, simulated, simulator, monte carlo
    kernels: kernel, kernels, triton, cutlass, warp, warps, shared memory, tensor cores, simd, vectorized, vectorization
    kernels: intrinsics
    compilation: compiler, compilers, compile, compiled, compilation, torch compile, jit, inlining, unrolling, llvm
    parallelism: parallel, parallelism, threads, threading, multithreading, concurrency, distributed, sharding, async
    caching: prefetch, prefetching
    allocation: allocation, allocations, allocator, garbage collection, gc, arena
    parsing: parser, parsers, parsing, parse, lexer, grammar, tokenizing
    algorithms: algorithm, algorithms, heuristic, dynamic programming, sorting, hashing, hash table, big o
    retrieval: retrieval, retriever, rag, reranking, reranker, vector search, nearest neighbours, nearest neighbors
    language models: llm, llms, language model, language models, gpt, claude, gemini, llama, qwen
    prompting: prompt, prompts, prompting, few shot, chain of thought, system prompt
    agents: agent, agents, tool use, tool calls, multi agent
    proofs: proof, proofs, theorem, lemma, conjecture, lean
    circuits: circuit, circuits, verilog, fpga, gates
    physics: quantum, thermodynamics, plasma, relativity, spacetime, qubit, qubits
    medicine: clinical, patients, patient, dose, trial arm, placebo, diagnosis
    biology: protein, proteins, gene, genes, genome, fmri, neurons
    economics: inflation, housing, unemployment, gdp, trade
    law: court, courts, statute, planning permission, judicial review, tribunal
    transport: traffic jam, traffic jams, congestion, punctuality, vehicles, railway, trains
    climate: climate, emissions, rainfall, temperature
    costs: cost, costs, budget, usd
    reproducibility: reproducible, reproducibility, nondeterministic, determinism, deterministic, flaky
    reproducibility: random seed, random seeds, multi seed
"""


@cache
def _phrases() -> tuple[dict[str, str], dict[str, int]]:
    """Subjects by word or phrase (those of atoms yield where both know one), and the longest phrase by first word."""
    known = {word: tag for word, tag in subject_words().items() if word not in _OTHERWISE.split()}
    found = {word.replace("-", " "): canonical(tag) for word, tag in known.items()}
    for line in _SUBJECTS.strip().splitlines():
        subject, _, words = line.partition(":")
        found |= {word.strip(): subject.strip() for word in words.split(",")}
    longest: dict[str, int] = {}
    for phrase in found:
        words = phrase.split()
        longest[words[0]] = max(longest.get(words[0], 0), len(words))
    return found, longest


def domain_of(*texts: str | None) -> tuple[str, ...]:
    """At most three subjects that some texts name, those named most often first."""
    phrases, longest = _phrases()
    counts: Counter[str] = Counter()
    for text in texts:
        words = [word.strip("_").replace("_", " ") for word in _WORD.findall(without_places(text or "").casefold())]
        place = 0
        while place < len(words):
            for length in range(longest.get(words[place].partition(" ")[0], 0), 0, -1):
                subject = phrases.get(" ".join(words[place : place + length]))
                if subject is not None:
                    counts[subject] += 1
                    place += length - 1
                    break
            place += 1
        counts.update(canonical(subject) for subject in subjects_by_sign(text or ""))
    # Counter keeps the order of first sight, and sorting keeps it among equals.
    return tuple(sorted(counts, key=lambda subject: -counts[subject])[:MOST])
