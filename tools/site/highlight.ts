/** Replaces the characters that mean something in HTML. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

const PROGRAM = new RegExp(
  [
    /(?<comment>\/\/[^\n]*|\/\*.*?\*\/)/,
    /(?<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)/,
    /(?<keyword>\b(?:as|async|await|break|case|catch|class|const|continue|declare|default|else|export|extends|false|finally|for|from|function|if|implements|import|in|instanceof|interface|let|new|null|of|private|readonly|return|satisfies|static|super|switch|this|throw|true|try|type|typeof|undefined|while|yield)\b)/,
    /(?<number>\b\d[\d_]*(?:\.\d+)?n?\b)/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gs",
);
const SETTINGS =
  /(?<comment>(?<=^|\s)#[^\n]*)|(?<string>"(?:\\.|[^"\\\n])*"|'[^'\n]*')|(?<keyword>^\$(?= ))/gm;
const MARKS: Readonly<Record<string, RegExp>> = {
  ts: PROGRAM,
  js: PROGRAM,
  mjs: PROGRAM,
  json: PROGRAM,
  sh: SETTINGS,
  console: SETTINGS,
  yaml: SETTINGS,
};

/** Returns code as HTML, with its comments, strings, keywords and numbers marked. Other languages stay plain. */
export function highlight(code: string, language: string): string {
  const marks = MARKS[language];
  if (marks === undefined) return escapeHtml(code);
  let html = "";
  let end = 0;
  for (const { 0: text, index, groups = {} } of code.matchAll(marks)) {
    const kind = Object.keys(groups).find((name) => groups[name] !== undefined) ?? "";
    html += `${escapeHtml(code.slice(end, index))}<span class="${kind}">${escapeHtml(text)}</span>`;
    end = index + text.length;
  }
  return html + escapeHtml(code.slice(end));
}
