"""Gradient steps in NumPy or PyTorch. Reads lines "V H n side seconds clock", answers steps per second."""

import sys
import time

library, threads = sys.argv[1], int(sys.argv[2])

if library == "numpy":
    import numpy as np

    def make(K, H, columns):
        rng = np.random.default_rng(1)
        A = (rng.random((K, H), dtype=np.float32) - 0.5)
        Z = (rng.random((H, columns), dtype=np.float32) - 0.5)
        X = np.where(rng.random((K, columns)) < 0.5, -1, 1).astype(np.float32)
        M, G = np.empty_like(X), np.empty_like(Z)
        half, rate = np.float32(0.5), np.float32(0.01)

        def step():
            np.matmul(A, Z, out=M)
            np.multiply(M, half, out=M)
            np.tanh(M, out=M)
            np.subtract(M, X, out=M)
            np.matmul(A.T, M, out=G)
            np.multiply(G, rate, out=G)
            np.subtract(Z, G, out=Z)
            np.clip(Z, -1, 1, out=Z)

        return step

else:
    import torch

    torch.set_num_threads(threads)

    def make(K, H, columns):
        A, Z = torch.rand(K, H) - 0.5, torch.rand(H, columns) - 0.5
        X = torch.where(torch.rand(K, columns) < 0.5, -1.0, 1.0)
        M, G = torch.empty_like(X), torch.empty_like(Z)

        def step():
            torch.mm(A, Z, out=M)
            M.mul_(0.5).tanh_().sub_(X)
            torch.mm(A.T, M, out=G)
            Z.sub_(G, alpha=0.01).clamp_(-1, 1)

        return step


problems = {}
for line in sys.stdin:
    V, H, n, side, seconds, clock = line.split()
    now = time.process_time if clock == "cpu" else time.perf_counter
    V, H, n, seconds = int(V), int(H), int(n), float(seconds)
    key = (V, H, n, side)
    if key not in problems:
        problems[key] = make(V, H, n) if side == "encode" else make(n, H, V)
        problems[key]()
    step = problems[key]
    start = now()
    count = 0
    while True:
        step()
        count += 1
        elapsed = now() - start
        if elapsed >= seconds:
            break
    print(count / elapsed, flush=True)
