export const PAGE_STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d9dde3, #333a44); --soft: light-dark(#f5f6f8, #1b2027); --link: light-dark(#0757b5, #74b0ff); }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem; max-width: 68rem; font: 15px/1.5 system-ui, sans-serif; background: light-dark(#fff, #12161b); color: light-dark(#1a1f26, #dde3ea); }
h1 { margin: 0; font-size: 1.7rem; } h1 small, p small, label small { font-weight: 400; opacity: .65; }
h2 { margin: 2rem 0 .25rem; font-size: 1.2rem; text-transform: capitalize; } h2 + p { margin: 0 0 .5rem; opacity: .75; }
a { color: var(--link); text-decoration: none; } a:hover { text-decoration: underline; }
code, pre, textarea { font: 13px/1.45 ui-monospace, monospace; }
details { border: 1px solid var(--line); border-radius: 6px; margin: .3rem 0; padding: 0 .75rem; }
details[open] { padding-bottom: .75rem; }
summary { padding: .45rem 0; cursor: pointer; } summary span { opacity: .75; margin-left: .5rem; }
summary b { display: inline-block; min-width: 4rem; font-size: 12px; }
.get { color: light-dark(#0a6b35, #5ad08e); } .post { color: light-dark(#0757b5, #74b0ff); } .put { color: light-dark(#8a5300, #f0b35a); } .delete { color: light-dark(#b3202c, #ff8088); }
.access { display: flex; flex-wrap: wrap; gap: 1rem; position: sticky; top: 0; padding: .5rem 0; }
form { display: grid; gap: .5rem; margin: .5rem 0; }
form label { display: grid; gap: .15rem; } form label span { overflow-wrap: anywhere; }
input, textarea, button { font: inherit; padding: .3rem .5rem; border: 1px solid var(--line); border-radius: 4px; background: light-dark(#fff, #0d1014); color: inherit; }
textarea { font: 13px/1.45 ui-monospace, monospace; width: 100%; } form input { max-width: 30rem; }
button { justify-self: start; background: var(--soft); cursor: pointer; }
pre { background: var(--soft); padding: .75rem; border-radius: 4px; overflow: auto; max-height: 30rem; }
table { width: 100%; border-collapse: collapse; } th, td { text-align: left; vertical-align: top; padding: .2rem .75rem .2rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
`;
