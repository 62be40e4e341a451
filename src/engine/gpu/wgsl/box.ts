/** Codes that must stay in the box |z_h| <= radius. */
export const BOX = /* wgsl */ `
/** Coordinates at a bound whose gradient points outward are held. */
fn pressed(z: vec4f, g: vec4f) -> vec4<bool> {
  return (abs(z) >= vec4f(params.radius)) & (g * z <= vec4f(0.0));
}

/** What rounding leaves just inside a bound is on it. */
fn clipCodes() {
  workgroupBarrier();
  for (var e = t; e < params.free * RV; e += T) {
    let z = Z[e];
    Z[e] = select(z, sign(z) * params.radius, abs(z) >= vec4f(0.999999 * params.radius));
  }
  workgroupBarrier();
}

/**
 * D of the lanes that \`factors\` marks becomes the way to the box's nearest point of Z + step, or of a step
 * along -G.
 */
fn project(slopes: bool) {
  for (var e = t; e < params.free * RV; e += T) {
    let q = e % RV;
    var aim = fma(lanesOf(&lengths, q), D[e], Z[e]);
    if (slopes) { aim = Z[e] - meanInverse(q) * G[e]; }
    let inside = clamp(aim, vec4f(-params.radius), vec4f(params.radius));
    D[e] = select(D[e], inside - Z[e], lanesOf(&factors, q) > vec4f(0.0));
  }
  workgroupBarrier();
}
`;

/** Directions that do not lead out of the box where the code is on its bound already. */
export const INWARD = /* wgsl */ `
fn inward(z: vec4f, d: vec4f) -> vec4f {
  return select(d, vec4f(0.0), (abs(z) >= vec4f(params.radius)) & (d * z > vec4f(0.0)));
}
`;

/** The length at which each lane meets its first bound. */
export const NEAREST = /* wgsl */ `
    var share = vec4f(0.0);
    for (var e = t; e < params.free * RV; e += T) {
      share = max(share, abs(D[e]) / max(params.radius - sign(D[e]) * Z[e], vec4f(1e-30)));
    }
    room[(t % RV) * (T / RV) + t / RV] = share;
    collect(RV, T / RV, 0u, 0u);
    if (t < R) { nearest = 1.0 / max(sums[t >> 2u][t & 3u], 1e-30); }
    workgroupBarrier();
`;

/**
 * A projected step that does not descend gives way to a projected gradient step, which does in a multiple of
 * the identity.
 */
export const BENT = /* wgsl */ `
    let flat = leaving && !bent && live && !(slope < 0.0);
    if (anyLane(flat)) {
      if (flat) { bent = true; }
      if (t < R) { factors[t] = select(0.0, 1.0, flat); }
      workgroupBarrier();
      project(true);
      continue;
    }
`;

/** Lanes that would leave the box follow their step projected on it, on [0, 1]. */
export const LEAVING = /* wgsl */ `
    if (anyLane(leaving)) { break; }
    var out = vec4f(0.0);
    for (var e = t; e < params.free * RV; e += T) {
      out = max(out, abs(fma(lanesOf(&lengths, e % RV), D[e], Z[e])) - params.radius);
    }
    room[(t % RV) * (T / RV) + t / RV] = out;
    collect(RV, T / RV, 0u, 0u);
    leaving = t < R && sums[(t >> 2u) % RV][t & 3u] > 0.0;
    if (!anyLane(leaving)) { break; }
    if (t < R) { factors[t] = select(0.0, 1.0, leaving); }
    if (leaving) { fresh = 2u; }
    workgroupBarrier();
    project(false);
`;
