/** Blocks that begin with ```js live become examples that run in the page. */
export function liveCode(md) {
  const fence = md.renderer.rules.fence;
  md.renderer.rules.fence = (tokens, k, options, env, self) => {
    const token = tokens[k];
    if (!/^js live\b/.test(token.info)) return fence(tokens, k, options, env, self);
    token.info = 'js';
    const shown = fence(tokens, k, options, env, self);
    return `<LiveCode code="${encodeURIComponent(token.content).replace(/'/g, '%27')}">${shown}</LiveCode>`;
  };
}
