"""PC-AE models in Python: one file, and NumPy is all that it needs.

    import numpy as np, pcae

    model = pcae.load("model.safetensors")        # as `pcae train` or `model.save()` wrote it
    found = model.encode(rows)                    # n x V array of 0, 1, probabilities, NaN where an entry is unknown
    found.codes, found.losses, found.gaps         # gaps: nats that any other code could save at most, proven in float64
    model.probabilities(found.codes)              # the chance of a one, n x V
    model.fill(rows)                              # the rows, with what is unknown replaced by its probability

Copy the file beside your own, or put it on the path. Learning, codes of bits, stacks and losses of your own need the
package itself. See docs/python.md.
"""

import json
import struct
from collections import namedtuple

import numpy as np

__all__ = ["Encoded", "Model", "load"]

Encoded = namedtuple("Encoded", ["codes", "losses", "gaps"])
Encoded.__doc__ = """Codes (n x H, float32), their losses in nats, and how far above the best possible loss each is at most."""


def load(path):
    """The model in a file."""
    tensors, metadata = _read_safetensors(path)
    if "pc-ae" not in metadata:
        raise ValueError(f"{path}: is not a PC-AE model: its metadata have no 'pc-ae' entry")
    return Model(tensors, json.loads(metadata["pc-ae"]), str(path))


class Model:
    """A learned model of one layer: W (V x width), and what its file says about it."""

    def __init__(self, tensors, about, name="model"):
        if about.get("format") != "pc-ae":
            raise ValueError(f"{name}: has format {about.get('format')!r}; this reader knows models of one layer")
        if about["version"] > 2:
            raise ValueError(f"{name}: has version {about['version']}; this reader knows versions up to 2")
        self.V, self.H, self.bias = about["V"], about["H"], about["bias"]
        self.encoding, self.radius = about["encoding"], about["radius"]
        self.columns, self.groups, self.image = (about.get(key) for key in ("columns", "groups", "image"))
        self.training = about["training"]
        self.loss = about["loss"]
        if self.loss not in _LOSSES:
            raise ValueError(f"{name}: has the loss {self.loss!r}; this reader knows {', '.join(_LOSSES)}")
        self.W = _matrix(tensors, "W", self.V, self.H + bool(self.bias)).astype(np.float64)
        self._weights = 0.5 * tensors.get("columnWeights", np.ones(self.V)).astype(np.float64)

    def scores(self, codes):
        """W e, with the bias: n x V."""
        codes = np.asarray(codes, dtype=np.float64)
        if codes.ndim != 2 or codes.shape[1] != self.H:
            raise ValueError(f"codes must be n x {self.H}, not {' x '.join(map(str, codes.shape))}")
        return codes @ self.W[:, : self.H].T + self._offset()

    def decode(self, codes):
        """The reconstructions, in [-1, 1]: n x V."""
        return _LOSSES[self.loss].transfer(self.scores(codes))

    def probabilities(self, codes):
        """The chance that each bit is one: n x V."""
        return 0.5 * (1 + self.decode(codes))

    def encode(self, rows, tolerance=0.01, batch=256):
        """The best code of each row, proven to be within `tolerance` nats of the best where `gaps` says so.

        Entries that are NaN (or masked) do not count. A row's result depends on that row alone.
        """
        x, weights = self._read(rows)
        parts = [
            self._encode(x[i : i + batch], weights[i : i + batch], tolerance, 0.0) for i in range(0, len(x), batch)
        ]
        if not parts:
            return Encoded(np.zeros((0, self.H), np.float32), np.zeros(0), np.zeros(0))
        return Encoded(*(np.concatenate(part) for part in zip(*parts)))

    def fill(self, rows, shrink=0.0, batch=256):
        """The rows as probabilities: known entries as they are, unknown ones by the code of what is known.

        `shrink` draws codes towards 0, where every column has its base rate; `pcae reconstruct --fill` finds a value.
        """
        x, weights = self._read(rows)
        filled = 0.5 * (1 + x)
        for i in range(0, len(x), batch):
            codes, _, _ = self._encode(x[i : i + batch], weights[i : i + batch], 1e-4, shrink)
            chances = self._shares(self.probabilities(codes))
            filled[i : i + batch] = np.where(weights[i : i + batch] > 0, filled[i : i + batch], chances)
        return filled

    def _shares(self, chances):
        """Chances of the values of one category add up to one."""
        for group in self.groups or []:
            part = slice(group["first"], group["first"] + len(group["values"]))
            sums = chances[:, part].sum(1, keepdims=True)
            chances[:, part] = np.where(sums > 0, chances[:, part] / np.maximum(sums, 1e-300), 1 / len(group["values"]))
        return chances

    def _offset(self):
        return self.W[:, self.H] if self.bias else np.zeros(self.V)

    def _read(self, rows):
        """Entries in [-1, 1], and what each counts: half its column's weight, 0 where it is unknown."""
        rows = np.ma.filled(np.ma.asarray(rows).astype(np.float64), np.nan)
        if rows.ndim != 2 or rows.shape[1] != self.V:
            raise ValueError(f"rows must be n x {self.V}, not {' x '.join(map(str, rows.shape))}")
        known = ~np.isnan(rows)
        if np.any((rows[known] < 0) | (rows[known] > 1)):
            raise ValueError("rows must hold 0, 1 or probabilities; NaN where an entry is unknown")
        return np.where(known, 2 * rows - 1, 0.0), np.where(known, self._weights, 0.0)

    def _encode(self, x, t, tolerance, shrink):
        """Newton's steps in the set of codes, all rows side by side, until the dual bound proves every code."""
        loss, codes_in = _LOSSES[self.loss], _SETS.get(self.encoding)
        if codes_in is None:
            raise ValueError(f"codes of {self.encoding} are searched for, not solved for: use pcae encode")
        if loss.bend is None:
            raise ValueError(f"the loss {self.loss!r} has kinks: use pcae encode")
        A, offset, radius = self.W[:, : self.H], self._offset(), self.radius
        n = len(x)
        e = codes_in.project(np.zeros((n, self.H)), radius)
        best = np.zeros((n, self.H), np.float32)
        losses, bounds = np.full(n, np.inf), np.full(n, -np.inf)
        open_rows = np.arange(n)
        for _ in range(_STEPS):
            i = open_rows
            m = e[i] @ A.T + offset
            u = loss.slope(m)
            f = self._value(loss, m, x[i], t[i], e[i], shrink)
            r = t[i] * (u - x[i])
            g = r @ A
            # The bound of docs/mathematics.md ("Certificates"): any u in [-1, 1] proves one.
            bound = -(t[i] * loss.conjugate(u)).sum(1) + r @ offset - codes_in.support(-g, radius)
            bounds[i] = np.maximum(bounds[i], bound)
            stored = e[i].astype(np.float32)
            cost = self._value(loss, stored.astype(np.float64) @ A.T + offset, x[i], t[i])
            better = (cost < losses[i]) if shrink == 0 else np.ones(len(i), bool)
            losses[i[better]], best[i[better]] = cost[better], stored[better]
            g = g + shrink * e[i]
            S = np.matmul(A.T * (t[i] * loss.bend(m))[:, None, :], A)
            S += (shrink + 1e-12 + 1e-9 * np.trace(S, axis1=1, axis2=2) / self.H)[:, None, None] * np.eye(self.H)
            d = _quadratic_step(S, g, e[i], codes_in, radius)
            promised = -(g * d).sum(1)
            e[i] = self._descend(loss, e[i], d, f, promised, x[i], t[i], shrink)
            proven = losses[i] - bounds[i] <= tolerance if shrink == 0 else promised <= tolerance
            open_rows = i[~proven & (promised > 1e-20 * (1 + np.abs(f)))]
            if len(open_rows) == 0:
                break
        return best, losses, np.maximum(0.0, losses - bounds)

    @staticmethod
    def _value(loss, m, x, t, e=None, shrink=0.0):
        value = (t * (loss.psi(m) - x * m)).sum(1)
        return value if shrink == 0 else value + 0.5 * shrink * (e * e).sum(1)

    def _descend(self, loss, e, d, f, promised, x, t, shrink):
        """Each row as far along d as lowers its objective: by 1, 1/2, 1/4 ... of it."""
        A, offset = self.W[:, : self.H], self._offset()
        a, waiting = np.zeros(len(e)), np.arange(len(e))
        step = 1.0
        while len(waiting) and step > 1e-9:
            w = waiting
            new = e[w] + step * d[w]
            change = self._value(loss, new @ A.T + offset, x[w], t[w], new, shrink) - f[w]
            lower = change <= 1e-13 * (1 + np.abs(f[w])) - 1e-4 * step * promised[w]
            a[w[lower]] = step
            waiting, step = w[~lower], step / 2
        return e + a[:, None] * d


_STEPS = 100
"""Newton's steps at most; a few are enough for nearly every row."""


def _quadratic_step(S, g, e, codes_in, radius, rounds=300):
    """The step d to the smallest g.d + d.S d / 2 with e + d in the set: accelerated projected gradients."""
    # Steps of one length fit every direction: coordinates are scaled where the set allows it.
    scale = np.sqrt(np.einsum("nhh->nh", S)) if codes_in.scaled else np.ones_like(e)
    Q = S / (scale[:, :, None] * scale[:, None, :])
    length = 1 / np.abs(Q).sum(2).max(1)[:, None]
    c = g / scale
    z = np.zeros_like(e)
    ahead, momentum = z, np.ones((len(e), 1))
    for _ in range(rounds):
        slope = np.matmul(Q, ahead[:, :, None])[:, :, 0] + c
        new = (codes_in.project(e + (ahead - length * slope) / scale, radius) - e) * scale
        moved = np.abs(new - z).max()
        # A step uphill: the momentum starts anew.
        momentum[((ahead - new) * (new - z)).sum(1) > 0] = 1.0
        grown = 0.5 * (1 + np.sqrt(1 + 4 * momentum**2))
        ahead = new + (momentum - 1) / grown * (new - z)
        z, momentum = new, grown
        if moved <= 1e-10:
            break
    return z / scale


def _log1p_exp(m):
    return np.maximum(0, m) + np.log1p(np.exp(-np.abs(m)))


def _x_log_half_x(t):
    return t * np.log(np.where(t > 0, t, 2.0) / 2)


# The potential well Psi of a loss, its slope and bend, its conjugate Psi*, and the decoder's transfer function.
_Loss = namedtuple("_Loss", ["psi", "slope", "bend", "conjugate", "transfer"])
_clip = lambda m: np.clip(m, -1.0, 1.0)  # noqa: E731
_LOSSES = {
    "cross-entropy": _Loss(
        psi=lambda m: 2 * _log1p_exp(m) - m,
        slope=lambda m: np.tanh(m / 2),
        bend=lambda m: 0.5 * (1 - np.tanh(m / 2) ** 2),
        conjugate=lambda u: _x_log_half_x(1 + u) + _x_log_half_x(1 - u),
        transfer=lambda m: np.tanh(m / 2),
    ),
    "squared": _Loss(
        psi=lambda m: np.where(np.abs(m) < 1, (1 + m * m) / 2, np.abs(m)),
        slope=_clip,
        bend=lambda m: (np.abs(m) < 1).astype(np.float64),
        conjugate=lambda u: (u * u - 1) / 2,
        transfer=_clip,
    ),
    "hamming": _Loss(psi=lambda m: np.maximum(np.abs(m), 1), slope=None, bend=None, conjugate=None, transfer=_clip),
}


def _project_simplex(e, radius):
    falling = -np.sort(-e, axis=1)
    lowered = (np.cumsum(falling, axis=1) - radius) / np.arange(1, e.shape[1] + 1)
    last = (falling > lowered).sum(1) - 1
    return np.maximum(0.0, e - lowered[np.arange(len(e)), last][:, None])


def _project_ball(e, radius):
    length = np.sqrt((e * e).sum(1, keepdims=True))
    return np.where(length > radius, e * (radius / np.maximum(length, radius)), e)


# A convex set of codes: the nearest point, the most that c.e can be in it, and whether its coordinates stand alone.
_Set = namedtuple("_Set", ["project", "support", "scaled"])
_BOX = _Set(lambda e, r: np.clip(e, -r, r), lambda c, r: r * np.abs(c).sum(1), True)
_SETS = {
    "box": _BOX,
    "real": _BOX,  # searched, and proven, in a box that is far wider than the codes
    "nonnegative": _Set(lambda e, r: np.clip(e, 0, r), lambda c, r: r * np.maximum(c, 0).sum(1), True),
    "simplex": _Set(_project_simplex, lambda c, r: r * c.max(1), False),
    "ball": _Set(_project_ball, lambda c, r: r * np.sqrt((c * c).sum(1)), False),
}

_TYPES = {"F64": "<f8", "F32": "<f4", "U32": "<u4", "U16": "<u2", "U8": "u1", "I32": "<i4"}


def _read_safetensors(path):
    """The tensors of a file by name, and its metadata: a length, a JSON header, then the bytes of all tensors."""
    with open(path, "rb") as file:
        content = file.read()
    (length,) = struct.unpack("<Q", content[:8]) if len(content) >= 8 else (0,)
    if not 2 <= length <= len(content) - 8:
        raise ValueError(f"{path}: is not a safetensors file")
    header = json.loads(content[8 : 8 + length])
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, about in header.items():
        start, end = about["data_offsets"]
        data = np.frombuffer(content[8 + length + start : 8 + length + end], dtype=_TYPES[about["dtype"]])
        tensors[name] = data.reshape(about["shape"])
    return tensors, metadata


def _matrix(tensors, name, rows, width):
    """A matrix as it is, or of its nonzero entries: `values`, their `columns`, and where each row `starts`."""
    if name in tensors:
        return tensors[name].reshape(rows, width)
    values, columns, starts = (tensors[f"{name}.{part}"] for part in ("values", "columns", "starts"))
    matrix = np.zeros((rows, width))
    matrix[np.repeat(np.arange(rows), np.diff(starts.astype(np.int64))), columns] = values
    return matrix
