"""How pages of a campaign's tree look: on a phone and on a wide screen, on white and on black, and printed."""

STYLE = """
:root{color-scheme:light dark;--paper:#fff;--ink:#1b1f24;--dim:#59626d;--line:#d5dae1;--card:#f5f7f9;--link:#0b57b5;
--gone:#9a3412;--d0:#2277cc;--d1:#228877;--d2:#aa6622;--d3:#bb4488}
@media (prefers-color-scheme:dark){:root{--paper:#14171c;--ink:#e4e8ee;--dim:#9ba6b4;--line:#333b46;--card:#1c2027;
--link:#7fb7ff;--gone:#f0a070}}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0 auto;max-width:66rem;padding:1.25rem clamp(.75rem,3vw,2rem) 4rem;background:var(--paper);color:var(--ink);
font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;overflow-wrap:anywhere}
a{color:var(--link)}
h1{font-size:1.6rem;line-height:1.25;margin:.25rem 0 .5rem}
h2{font-size:1.25rem;margin:2.25rem 0 .75rem;padding-bottom:.3rem;border-bottom:1px solid var(--line)}
h3,h4,h5,h6{font-size:1rem;margin:0;display:inline}
.label{display:block;font-size:.8rem;font-weight:600;color:var(--dim);margin:.9rem 0 .35rem}
.shape{margin:1rem 0}
.shape svg{display:block;max-width:100%}
.wide svg{width:720px;height:auto}
.narrow{display:none}
@media (max-width:46rem){.wide{display:none}.narrow{display:block}}
dl{margin:.75rem 0}
dd{margin:0}
dt{color:var(--dim)}
.numbers{display:grid;grid-template-columns:repeat(auto-fill,minmax(9.5rem,1fr));gap:.5rem 1.25rem}
.numbers dt{font-size:.78rem}
.numbers dd{font-size:1.2rem;font-variant-numeric:tabular-nums}
.told{display:flex;flex-wrap:wrap;gap:.1rem 1.1rem;font-size:.85rem;margin:.5rem 0 .25rem}
.told>div{display:flex;gap:.35rem;align-items:baseline}
summary{cursor:pointer;padding:.45rem .6rem;border-radius:.3rem}
summary:hover{background:var(--card)}
summary:focus-visible,a:focus-visible,input:focus-visible{outline:2px solid var(--link);outline-offset:2px}
.syn{border-left:4px solid var(--d);margin:.5rem 0;background:var(--paper)}
.d0{--d:var(--d0)}.d1{--d:var(--d1)}.d2{--d:var(--d2)}.d3{--d:var(--d3)}
.in{padding:.1rem 0 .6rem clamp(.5rem,2vw,1.25rem)}
.depth{display:inline-block;background:var(--d);color:#fff;font-size:.75rem;font-weight:600;padding:0 .45rem;
border-radius:.6rem;margin-right:.4rem;white-space:nowrap}
.few{color:var(--dim);font-size:.85rem;margin-left:.35rem;white-space:nowrap}
.said{white-space:pre-wrap;max-width:75ch;margin:.35rem 0;overflow:clip;overflow-clip-margin:.3rem}
.fact{background:var(--card);border:1px solid var(--line);border-radius:.4rem;padding:.55rem .75rem;margin:.45rem 0;
content-visibility:auto;contain-intrinsic-size:auto 7rem}
.gone{border-style:dashed}
.gone>.said,.gone>h4,.gone>h5,.gone>h6{color:var(--dim)}
.why{color:var(--gone);font-size:.85rem;margin:.1rem 0 .3rem}
.of,.ids,.refs,.cut,.note{font-size:.85rem;color:var(--dim);margin:.25rem 0;max-width:none}
.ids code{user-select:all;-webkit-user-select:all}
code{font:.85em/1.4 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;color:var(--ink);
background:var(--card);border:1px solid var(--line);border-radius:.25rem;padding:.05rem .3rem}
.fact code{background:var(--paper)}
ul{margin:.3rem 0;padding-left:1.2rem}
li{margin:.15rem 0}
:target{outline:2px solid var(--link);outline-offset:2px}
details:has(:target)::details-content{content-visibility:visible;block-size:auto}
.all{display:none;gap:.5rem;align-items:center;margin:.75rem 0}
@supports selector(::details-content){.all{display:flex}
body:has(#all:checked) .syn::details-content{content-visibility:visible;block-size:auto}}
@media print{.all{display:none}.syn::details-content{content-visibility:visible;block-size:auto}}
""".strip()
