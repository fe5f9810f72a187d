import { Marked, type Tokens } from "marked";
import { slugOf } from "../markdown.ts";
import { escapeHtml, highlight } from "./highlight.ts";

/** What a document needs to know about the site around it. */
export interface DocumentLinks {
  /** Returns the address for a link of the document. */
  link(target: string): string;
  /** Returns the attributes that say where a picture is and how large. */
  picture(target: string): string;
}

/** A heading of a document, with the plain text up to the next one. A row with an error code counts as one. */
export interface Passage {
  /** Empty for what comes before the first heading. */
  readonly anchor: string;
  readonly heading: string;
  readonly level: number;
  readonly text: string;
}

/** A document as HTML. */
export interface RenderedDocument {
  readonly html: string;
  readonly passages: readonly Passage[];
}

/** The level of a row with an error code, below all headings. */
export const ROW_LEVEL = 7;
const ERROR_CODE = /^`(?<code>ORT_[A-Z0-9_]+)`$/;

/** Renders a document, with the same anchors as on code hosts, and one for each error code. */
export function renderMarkdown(text: string, links: DocumentLinks): RenderedDocument {
  const slugs = new Map<string, number>();
  const passages: { anchor: string; heading: string; level: number; text: string }[] = [
    { anchor: "", heading: "", level: 0, text: "" },
  ];
  const renderer = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth, text: title }: Tokens.Heading) {
        const slug = slugOf(title);
        const count = slugs.get(slug) ?? 0;
        slugs.set(slug, count + 1);
        const anchor = count === 0 ? slug : `${slug}-${count}`;
        const html = this.parser.parseInline(tokens);
        passages.push({ anchor, heading: plainText(html), level: depth, text: "" });
        const mark =
          depth === 1 ? "" : ` <a class="anchor" href="#${anchor}" aria-label="Link to this">#</a>`;
        return `<h${depth} id="${anchor}">${html}${mark}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        return `<a href="${escapeHtml(links.link(href))}">${this.parser.parseInline(tokens)}</a>`;
      },
      image({ href, text: alternative }: Tokens.Image) {
        return `<img ${links.picture(href)} alt="${escapeHtml(alternative)}" loading="lazy">`;
      },
      code({ text: code, lang = "" }: Tokens.Code) {
        return `<pre tabindex="0"><code>${highlight(code, lang)}</code></pre>\n`;
      },
      table({ header, rows }: Tokens.Table) {
        const row = (cells: readonly Tokens.TableCell[], tag: "th" | "td"): string => {
          const code = ERROR_CODE.exec(cells[0]?.text ?? "")?.groups?.["code"];
          const html = cells.map(({ tokens }) => this.parser.parseInline(tokens));
          const start =
            code !== undefined && !passages.some(({ anchor }) => anchor === code) ? code : undefined;
          if (start !== undefined) {
            const meaning = plainText(html.slice(1).join(". "));
            passages.push({ anchor: start, heading: start, level: ROW_LEVEL, text: meaning });
          }
          const id = start === undefined ? "" : ` id="${start}"`;
          return `<tr${id}>${html.map((cell) => `<${tag}>${cell}</${tag}>`).join("")}</tr>`;
        };
        const body = rows.map((cells) => row(cells, "td")).join("\n");
        return `<div class="table" tabindex="0"><table><thead>${row(header, "th")}</thead><tbody>\n${body}\n</tbody></table></div>\n`;
      },
    },
  });
  let html = "";
  for (const token of renderer.lexer(text)) {
    const rendered = renderer.parser([token]);
    html += rendered;
    const owner = passages.filter(({ level }) => level < ROW_LEVEL).at(-1);
    const isIndexed = token.type === "heading" || rendered.includes('<tr id="');
    if (owner !== undefined && !isIndexed) owner.text += ` ${plainText(rendered)}`;
  }
  return { html, passages };
}

/** Returns the text that a reader of HTML sees. */
export function plainText(html: string): string {
  return html
    .replace(/<a class="anchor".*?<\/a>|<wbr\s*\/?>/g, "")
    .replace(/<\/(?:td|th|li|p|tr)>/g, " ")
    .replace(/<[^>]*>/g, "")
    .replace(/&#(?<code>\d+);/g, (_entity, code: string) => String.fromCharCode(Number(code)))
    .replace(/&(?<name>lt|gt|amp|quot);/g, (_entity, name: string) => ENTITIES[name] ?? "")
    .replace(/\s+/g, " ")
    .trim();
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"' };
