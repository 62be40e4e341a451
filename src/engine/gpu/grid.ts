/** Workgroups of `size` threads for so many tasks: in two dimensions where one does not hold them all. */
export function gridFor(tasks: number, size = THREADS): readonly [number, number] {
  return gridOf(Math.ceil(tasks / size));
}

export function gridOf(groups: number): readonly [number, number] {
  const x = Math.min(groups, LONGEST);
  return [x, x === 0 ? 0 : Math.ceil(groups / x)];
}

/** Groups along a dimension, which every adapter allows 65,535 of. */
const LONGEST = 32_768;

/** Threads of a workgroup that does simple things. */
const THREADS = 256;

/** A program that does one task per thread: its number is `i`. */
export const EACH = (body: string) => /* wgsl */ `
@compute @workgroup_size(${THREADS}) fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let i = (group.y * groups.x + group.x) * ${THREADS}u + local;
  if (i >= params.tasks) { return; }
${body}
}
`;
