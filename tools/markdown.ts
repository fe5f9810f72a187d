/** Returns the text with fenced code and code spans replaced by spaces: same length, same lines. */
export function proseOnly(text: string): string {
  return text.replace(/^```.*?^```|`[^`\n]*`/gms, (code) => code.replace(/[^\n]/g, " "));
}

/** Returns the target of each link of a page, with its offset in the text. */
export function linkTargets(text: string): readonly { readonly target: string; readonly offset: number }[] {
  const prose = proseOnly(text);
  const inline = [...prose.matchAll(/\]\((?<target>[^)\s]+)(?:\s+"[^"\n]*")?\)/g)];
  const referenced = [...prose.matchAll(/^\[[^\]\n]+\]:\s+(?<target>\S+)/gm)];
  return [...inline, ...referenced].map(({ index, groups }) => ({
    target: groups?.["target"] ?? "",
    offset: index,
  }));
}

/** Returns the anchors of a page, formed from its headings as code hosts do it. */
export function headingAnchors(text: string): ReadonlySet<string> {
  const withoutFences = text.replace(/^```.*?^```/gms, "");
  const counts = new Map<string, number>();
  const anchors = [...withoutFences.matchAll(/^#{1,6}\s+(?<title>.+?)\s*#*$/gm)].map(({ groups }) => {
    const slug = slugOf(groups?.["title"] ?? "");
    const count = counts.get(slug) ?? 0;
    counts.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
  return new Set(anchors);
}

/** Returns the anchor of a heading, without the number that a repeated one gets. */
export function slugOf(title: string): string {
  return title
    .replace(/\[(?<label>[^\]]*)\]\([^)]*\)/g, "$<label>")
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}\s_-]/gu, "")
    .replace(/\s/g, "-");
}
