/** The style sheet of a report. Its colours are those of the figures, which paint the same ground. */
export const reportStyle = `
:root {
  --page: #f4f5f7; --ground: #ffffff; --text: #1f2328; --muted: #59636e; --rule: #e1e4e8; --accent: #0072b2;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0d0f12; --ground: #15181d; --text: #e8eaed; --muted: #9aa4af; --rule: #2b3038; --accent: #56a8e0;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 2.5rem 1.25rem 3rem; max-width: 56rem;
  background: var(--page); color: var(--text);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
}
h1 { margin: 0; font-size: 1.9rem; line-height: 1.2; letter-spacing: -0.015em; text-wrap: balance; }
h2 { margin: 2.75rem 0 0.75rem; font-size: 1.25rem; line-height: 1.3; }
p { margin: 0 0 0.9rem; max-width: 42rem; }
.lead { margin: 0.6rem 0 0; color: var(--muted); font-size: 1.08rem; }
main { margin-top: 2rem; }
.wide {
  overflow-x: auto; margin: 0 0 1.25rem; border: 1px solid var(--rule); border-radius: 8px;
  background:
    linear-gradient(to right, var(--ground) 40%, transparent) left / 3rem 100% no-repeat local,
    linear-gradient(to left, var(--ground) 40%, transparent) right / 3rem 100% no-repeat local,
    linear-gradient(to right, var(--rule), transparent) left / 1rem 100% no-repeat,
    linear-gradient(to left, var(--rule), transparent) right / 1rem 100% no-repeat,
    var(--ground);
}
table { width: 100%; border-collapse: collapse; font-size: 0.94rem; }
caption { padding: 0.6rem 0.9rem 0.2rem; text-align: left; color: var(--muted); }
th, td { padding: 0.45rem 0.9rem; text-align: left; vertical-align: baseline; }
tr + tr th, tr + tr td, tbody tr:first-child td { border-top: 1px solid var(--rule); }
.summary tr:first-child > * { border-top: 0; }
th { font-weight: 600; }
thead th { color: var(--muted); font-weight: 500; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
.broad {
  position: relative; left: 50%; translate: -50% 0;
  width: max-content; min-width: 100%; max-width: calc(100vw - 3.5rem);
}
.broad th, .broad td { padding: 0.4rem 0.6rem; }
.broad td:first-child { white-space: nowrap; }
.summary td.number { font-weight: 600; color: var(--accent); white-space: nowrap; }
.meaning { width: 50%; color: var(--muted); }
figure { margin: 0 0 1.5rem; padding: 0.5rem; border: 1px solid var(--rule); border-radius: 8px; background: var(--ground); }
figure svg { display: block; max-width: 100%; height: auto; }
figcaption { padding: 0.5rem 0.75rem 0.4rem; color: var(--muted); font-size: 0.92rem; }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--rule); color: var(--muted); font-size: 0.85rem; }
dl { display: flex; flex-wrap: wrap; gap: 0.3rem 1.5rem; margin: 0; }
dl div { display: flex; gap: 0.4rem; }
dt::after { content: ":"; }
dd { margin: 0; color: var(--text); overflow-wrap: anywhere; }
@media (max-width: 75rem) {
  .broad table { font-size: 0.8rem; line-height: 1.4; }
  .broad th, .broad td { padding: 0.35rem 0.45rem; }
}
@media (max-width: 62rem) {
  .broad table { font-size: 0.72rem; }
  .broad th, .broad td { padding: 0.3rem; }
  .broad td:first-child { white-space: normal; }
}
@media print {
  body { background: none; padding: 0; max-width: none; }
  figure, .wide { break-inside: avoid; }
  .wide { overflow: visible; background: none; }
  .broad { position: static; translate: none; width: auto; max-width: none; }
  .broad table { font-size: 7pt; line-height: 1.3; }
  .broad th, .broad td { padding: 0.25rem 0.3rem; }
}
`;
