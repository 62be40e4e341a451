"""The other methods of bench/search-recall.mjs: prints a line of JSON for each of the methods named.

Reads base.npy, queries.npy (float32, as they are compared) and truth.npy (the ten exact neighbours) from a folder.
FAISS methods need Debian's python3-faiss; the others need NumPy alone.
"""
import json
import sys
import time

import numpy as np

folder, bits, threads, *methods = sys.argv[1:]
bits, threads = int(bits), int(threads)
X, Q, truth = (np.load(f"{folder}/{name}.npy") for name in ("base", "queries", "truth"))
centre = X.mean(0)
X, Q = np.ascontiguousarray(X - centre), np.ascontiguousarray(Q - centre)
rng = np.random.default_rng(1)
# Vectors that FAISS learns from at most, as many as ours; they are in random order.
TRAINED = 65_536


def recall(found):
    ten = np.mean([len(set(f[:10]) & set(t)) for f, t in zip(found, truth)]) / truth.shape[1]
    hundred = np.mean([len(set(f[:100]) & set(t)) for f, t in zip(found, truth)]) / truth.shape[1]
    return ten, hundred


def best(scores):
    part = np.argpartition(-scores, 100, axis=1)[:, :100]
    order = np.argsort(-np.take_along_axis(scores, part, 1), axis=1, kind="stable")
    return np.take_along_axis(part, order, 1)


def rotation(width):
    return np.linalg.qr(rng.standard_normal((width, width)))[0].astype(np.float32)


def hyperplanes():
    """Signs of random projections; more than there are dimensions where bits > V."""
    P = np.concatenate([rotation(X.shape[1]) for _ in range(-(-bits // X.shape[1]))], 1)[:, :bits]
    return P, np.where(X @ P < 0, -1, 1).astype(np.float32)


def itq():
    _, _, axes = np.linalg.svd(X[:20000], full_matrices=False)
    Y = X @ axes[: min(bits, X.shape[1])].T
    if Y.shape[1] < bits:
        return None, None
    R = rotation(bits)
    for _ in range(50):
        B = np.where(Y @ R < 0, -1, 1)
        U, _, V = np.linalg.svd(Y.T @ B)
        R = (U @ V).astype(np.float32)
    P = axes[:bits].T @ R
    return P, np.where(X @ P < 0, -1, 1).astype(np.float32)


def rabitq():
    """Signs after a random rotation, the estimate of <q, x> divided by <x, signs>: 4 bytes more for each vector."""
    P, B = hyperplanes()
    R = B @ P.T
    lengths = np.linalg.norm(X, axis=1)
    return R * (lengths**2 / np.maximum(1e-9, np.sum(R * X, 1)))[:, None], lengths**2


def since(began):
    """Seconds of the clock and of the processor since a moment of both."""
    return {"training": time.perf_counter() - began[0], "processor": time.process_time() - began[1]}


def run(method):
    began = time.perf_counter(), time.process_time()
    if method in ("hyperplanes", "itq"):
        P, B = hyperplanes() if method == "hyperplanes" else itq()
        if P is None:
            return {"why not": "more bits than dimensions"}
        learned = since(began)
        asked = Q @ P
        results = {"Hamming": recall(best(np.sign(asked) @ B.T)), "asymmetric": recall(best(asked @ B.T))}
        return {"recall": results, "bytes": bits / 8, **learned}
    if method == "rabitq":
        R, squares = rabitq()
        learned = since(began)
        return {"recall": {"": recall(best(Q @ R.T - squares / 2))}, "bytes": bits / 8 + 8, **learned}
    import faiss

    name = {
        "pq": f"PQ{bits // 8}",
        "pq-fast-scan": f"PQ{bits // 4}x4fs",
        "opq": f"OPQ{bits // 8},PQ{bits // 8}",
        "rq": f"RQ{bits // 8}x8",
        "lsq": f"LSQ{bits // 8}x8",
        "lsq-short": f"LSQ{bits // 8}x8",
    }[method]
    parts = {"pq": bits // 8, "opq": bits // 8, "pq-fast-scan": bits // 4}.get(method, 1)
    if X.shape[1] % parts:
        padded = -(-X.shape[1] // parts) * parts
        grow = lambda A: np.ascontiguousarray(np.pad(A, ((0, 0), (0, padded - A.shape[1]))))
        return faiss_run(faiss, method, name, grow(X), grow(Q))
    return faiss_run(faiss, method, name, X, Q)


def faiss_run(faiss, method, name, base, queries):
    faiss.omp_set_num_threads(threads)
    began = time.perf_counter(), time.process_time()
    index = faiss.index_factory(base.shape[1], name)
    if method == "lsq-short":
        # A fifth of the search for codes that FAISS makes by itself in learning (25 and 8); encoding is not shortened.
        index.lsq.train_iters, index.lsq.train_ils_iters = 10, 4
    index.train(base[:TRAINED])
    learned = since(began)
    encoding = time.perf_counter()
    index.add(base)
    encoded = time.perf_counter()
    # FAISS searches sums of words by decoding all codes anew for each query: some queries show how long that takes, and
    # products with codes that are decoded once find the same neighbours.
    slow = method in ("rq", "lsq", "lsq-short")
    asked = queries[:20] if slow else queries
    _, found = index.search(asked, 100)
    query = 1000 * (time.perf_counter() - encoded) / len(asked)
    if slow:
        decoded = index.reconstruct_n(0, len(base))
        halves = np.sum(decoded**2, 1) / 2
        again = np.concatenate([best(some @ decoded.T - halves) for some in np.array_split(queries, 20)])
        found = again
    return {
        "recall": {"": recall(found)},
        "bytes": bits / 8,
        **learned,
        "rate": len(base) / (encoded - encoding),
        "query": query,
    }


for method in methods:
    try:
        print(json.dumps({"method": method, **run(method)}), flush=True)
    except Exception as error:  # noqa: BLE001 - one method that cannot be run must not hide the others
        print(json.dumps({"method": method, "why not": str(error)[:200]}), flush=True)
