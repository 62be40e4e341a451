/**
 * Squads: sixteen threads of a panel's workgroup that look after one lane together where its units are gone
 * through one by one (searches among bits). Member s has to do with units s, s + 16, ... and with no others,
 * so that only what squads agree on needs a barrier. What a squad knows of its lane (`live`, a loss) each
 * member keeps for itself: all of them come to the same numbers. A workgroup has 128 threads or more, which
 * is enough for eight squads.
 */
export const SQUAD = /* wgsl */ `
var<private> lane: u32;
var<private> member: u32;
/** Threads beyond the last squad only come along to the barriers. */
var<private> onDuty: bool;
var<private> offers: u32;

fn enterSquad() {
  lane = min(t >> 4u, R - 1u);
  member = t & 15u;
  onDuty = t < 16u * R;
}

/** Number \`lane\` of eight. */
fn ofLane(four: vec4f) -> f32 {
  return four[lane & 3u];
}

/**
 * The squad's offer with the least x, of equals that with the least y. Two places take turns, so that one
 * barrier does.
 */
fn agree(offer: vec4f) -> vec4f {
  offers = 128u - offers;
  if (onDuty) { room[offers + t] = offer; }
  workgroupBarrier();
  var best = room[offers + 16u * lane];
  for (var i = 1u; i < 16u; i++) {
    let other = room[offers + 16u * lane + i];
    if (other.x < best.x || (other.x == best.x && other.y < best.y)) { best = other; }
  }
  return best;
}

/** The sum of the members' numbers, in their order. */
fn addUp(number: f32) -> f32 {
  workgroupBarrier();
  if (onDuty) { room[t] = vec4f(number); }
  workgroupBarrier();
  var sum = 0.0;
  for (var i = 0u; i < 16u; i++) { sum += room[16u * lane + i].x; }
  workgroupBarrier();
  return sum;
}
/** Beyond all numbers that are compared. */
const FAR = 1e30;
`;
