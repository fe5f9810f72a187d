/** The style of the page's parts. Sizes are in rem, so that they follow the player's font size. */
const STYLE = `
:host {
  all: initial;
  position: fixed;
  inset: 0;
  z-index: 1;
  pointer-events: none;
  color-scheme: dark;
  color: #fff;
  font: 1rem/1.4 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  user-select: none;
  -webkit-user-select: none;
  -webkit-touch-callout: none;
  -webkit-tap-highlight-color: transparent;
  --accent: #f2b84b;
  --glass: rgb(16 20 28 / 62%);
  --line: rgb(255 255 255 / 16%);
  --left: max(1rem, env(safe-area-inset-left));
  --right: max(1rem, env(safe-area-inset-right));
  --top: max(1rem, env(safe-area-inset-top));
  --bottom: max(0.75rem, env(safe-area-inset-bottom));
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
:host([data-paused]) :is(.cross, .hints, .touch) { visibility: hidden; }

.cross {
  position: absolute;
  top: 50%;
  left: 50%;
  width: 1.125rem;
  height: 1.125rem;
  translate: -50% -50%;
  filter: drop-shadow(0 0 1px rgb(0 0 0 / 85%));
}
.cross::before, .cross::after {
  content: "";
  position: absolute;
  inset: calc(50% - 1px) 0;
  border-radius: 1px;
  background: rgb(255 255 255 / 92%);
}
.cross::after { rotate: 90deg; }
:host([data-touch]) .cross { display: none; }

.top {
  position: absolute;
  top: var(--top);
  left: calc(var(--left) + 3rem);
  right: calc(var(--right) + 3rem);
  display: flex;
  flex-direction: column;
  align-items: center;
  gap: 0.5rem;
}
.status {
  padding: 0.375rem 0.875rem;
  border-radius: 1rem;
  background: var(--glass);
  font-size: 0.9375rem;
  text-align: center;
  unicode-bidi: plaintext;
}
.status:empty { display: none; }
.hints {
  display: flex;
  flex-wrap: wrap;
  justify-content: center;
  gap: 0.5rem;
  margin: 0;
  padding: 0;
  list-style: none;
}
.hint {
  padding: 0.25rem 0.75rem 0.25rem 0.375rem;
  border-radius: 1rem;
  background: var(--glass);
  font-size: 0.875rem;
  white-space: nowrap;
  transition: opacity 0.6s;
}
.hint.used { opacity: 0; }
kbd {
  display: inline-block;
  padding: 0 0.5rem;
  border-radius: 0.75rem;
  background: rgb(255 255 255 / 16%);
  font: inherit;
  font-weight: 600;
}

.hotbar {
  position: absolute;
  bottom: var(--bottom);
  left: 50%;
  translate: -50%;
  display: flex;
  flex-direction: column;
  align-items: center;
}
.block-name {
  padding: 0.125rem 0.75rem;
  border-radius: 1rem;
  background: var(--glass);
  font-size: 0.9375rem;
  opacity: 0;
  transition: opacity 0.3s;
}
.block-name::first-letter { text-transform: uppercase; }
.block-name.shown { opacity: 1; }
.slots {
  display: flex;
  align-items: flex-end;
  gap: 0.25rem;
  height: 3.75rem;
  margin: 0.375rem 0 0;
  padding: 0;
  list-style: none;
}
.slot {
  position: relative;
  width: 2.875rem;
  height: 2.875rem;
  padding: 0.25rem;
  border: 2px solid var(--line);
  border-radius: 0.625rem;
  background: var(--glass);
  pointer-events: auto;
  touch-action: none;
  cursor: pointer;
  transition: width 0.12s, height 0.12s;
}
.slot canvas { display: block; width: 100%; height: 100%; filter: drop-shadow(0 1px 1px rgb(0 0 0 / 45%)); }
.slot[aria-selected="true"] {
  width: 3.625rem;
  height: 3.625rem;
  border-color: var(--accent);
  background: rgb(16 20 28 / 78%);
}
.slot.empty canvas { opacity: 0.35; }
.slot .name { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.slot .count {
  position: absolute;
  right: 0.1875rem;
  bottom: 0;
  font-size: 0.75rem;
  font-weight: 600;
  text-shadow: 0 0 3px #000, 0 0 3px #000;
}

.menu-button {
  position: absolute;
  top: var(--top);
  right: var(--right);
  display: grid;
  place-items: center;
  width: 2.75rem;
  height: 2.75rem;
  padding: 0;
  border: 0;
  border-radius: 50%;
  background: var(--glass);
  color: inherit;
  pointer-events: auto;
  touch-action: none;
  cursor: pointer;
}
.menu-button::before {
  content: "";
  width: 0.8125rem;
  height: 1rem;
  border: solid #fff;
  border-width: 0 0.25rem;
}

.touch { position: absolute; inset: 0; display: none; }
:host([data-touch]) .touch { display: block; }
.stick {
  position: absolute;
  left: calc(var(--left) + 0.75rem);
  bottom: calc(var(--bottom) + 5.75rem);
  width: 7rem;
  height: 7rem;
  border: 2px solid rgb(255 255 255 / 28%);
  border-radius: 50%;
  background: rgb(16 20 28 / 22%);
  opacity: 0.55;
}
.stick.held { opacity: 1; }
.knob {
  position: absolute;
  top: 50%;
  left: 50%;
  width: 3rem;
  height: 3rem;
  margin: -1.5rem;
  border-radius: 50%;
  background: rgb(255 255 255 / 55%);
}
.round {
  position: absolute;
  right: calc(var(--right) + 0.5rem);
  bottom: calc(var(--bottom) + 6.5rem);
  display: grid;
  place-items: center;
  width: 4.25rem;
  height: 4.25rem;
  border: 2px solid rgb(255 255 255 / 34%);
  border-radius: 50%;
  background: var(--glass);
  color: #fff;
  font: 600 0.8125rem system-ui, sans-serif;
  pointer-events: auto;
  touch-action: none;
}
.round.down { bottom: calc(var(--bottom) + 11.5rem); }
.round:active { background: rgb(242 184 75 / 45%); }
.round svg { width: 1.75rem; height: 1.75rem; fill: none; stroke: #fff; stroke-width: 2.5; stroke-linecap: round; stroke-linejoin: round; }
.round.down svg { rotate: 180deg; }
.ring { position: absolute; width: 6rem; height: 6rem; translate: -50% -50%; rotate: -90deg; fill: none; stroke-width: 6; }
.ring .track { stroke: rgb(16 20 28 / 45%); }
.ring .fill { stroke: var(--accent); stroke-linecap: round; }

.menu {
  width: 100%;
  max-width: none;
  height: 100%;
  max-height: none;
  margin: 0;
  padding: var(--top) var(--right) var(--bottom) var(--left);
  border: 0;
  background: none;
  color: inherit;
  pointer-events: auto;
  overflow: auto;
}
.menu[open] { display: grid; place-items: center; }
.menu::backdrop { background: rgb(10 14 22 / 55%); }
.panel {
  display: grid;
  gap: 0.875rem;
  width: min(24rem, 100%);
  padding: 1.5rem;
  border: 1px solid var(--line);
  border-radius: 1.25rem;
  background: rgb(20 25 35 / 92%);
  box-shadow: 0 1rem 3rem rgb(0 0 0 / 35%);
}
.panel h1 { margin: 0 0 0.25rem; font-size: 1.25rem; font-weight: 650; text-align: center; }
.panel button {
  min-height: 2.75rem;
  border: 1px solid var(--line);
  border-radius: 0.75rem;
  background: rgb(255 255 255 / 8%);
  color: inherit;
  font: inherit;
  font-weight: 600;
  cursor: pointer;
}
.panel button:hover { background: rgb(255 255 255 / 14%); }
.panel button.primary { border-color: transparent; background: var(--accent); color: #231a07; }
.panel button.primary:hover { background: #f7c665; }
.setting { display: grid; grid-template-columns: 1fr auto; gap: 0.125rem 1rem; font-size: 0.9375rem; }
.setting output { color: #cfd6e2; font-variant-numeric: tabular-nums; }
.setting input {
  grid-column: 1 / -1;
  width: 100%;
  height: 1.5rem;
  margin: 0;
  appearance: none;
  background: none;
  cursor: pointer;
}
.setting input::-webkit-slider-runnable-track {
  height: 0.375rem;
  border-radius: 0.25rem;
  background: linear-gradient(to right, var(--accent) calc(var(--share) * 100%), rgb(255 255 255 / 22%) 0);
}
.setting input::-moz-range-track { height: 0.375rem; border-radius: 0.25rem; background: rgb(255 255 255 / 22%); }
.setting input::-moz-range-progress { height: 0.375rem; border-radius: 0.25rem; background: var(--accent); }
.setting input::-webkit-slider-thumb {
  appearance: none;
  width: 1.125rem;
  height: 1.125rem;
  margin-top: -0.375rem;
  border-radius: 50%;
  background: #fff;
}
.setting input::-moz-range-thumb { width: 1.125rem; height: 1.125rem; border: 0; border-radius: 50%; background: #fff; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px; border-radius: 0.5rem; }

@media (max-width: 34rem) {
  .slots { gap: 0.125rem; height: 3rem; }
  .slot { width: calc((100vw - 2.5rem) / 9.6); height: calc((100vw - 2.5rem) / 9.6); max-width: 2.875rem; max-height: 2.875rem; padding: 0.125rem; border-radius: 0.5rem; }
  .slot[aria-selected="true"] { width: calc((100vw - 2.5rem) / 8); height: calc((100vw - 2.5rem) / 8); }
}
@media (max-height: 30rem) {
  .slots { height: 3rem; margin-top: 0.125rem; }
  .slot { width: 2.375rem; height: 2.375rem; }
  .slot[aria-selected="true"] { width: 2.875rem; height: 2.875rem; }
  .stick { bottom: calc(var(--bottom) + 2.5rem); width: 6.5rem; height: 6.5rem; }
  .round { bottom: calc(var(--bottom) + 3rem); }
  .round.down { bottom: calc(var(--bottom) + 8rem); }
  .panel { grid-template-columns: 1fr 1fr; gap: 0.625rem 1.5rem; width: min(42rem, 100%); padding: 1rem 1.25rem; }
  .panel h1 { grid-column: 1 / -1; margin: 0; }
  .panel button { align-self: center; }
}
@media (prefers-reduced-motion: reduce) {
  * { transition: none !important; animation: none !important; }
}
`;

let sheet: CSSStyleSheet | undefined;

/** Returns the style as a sheet, which a strict content security policy allows. */
export function pageStyle(): CSSStyleSheet {
  if (sheet === undefined) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
  }
  return sheet;
}
