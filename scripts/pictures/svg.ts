/** Pictures in SVG, which every browser shows. */

export interface Picture {
  /** In pixels. */
  readonly size: readonly [width: number, height: number];
  readonly title: string;
  /** What it shows, at length, for who does not see it. */
  readonly desc: string;
  /** Rules of CSS, between line feeds. */
  readonly style: string;
  /** Elements, and what is in them, line by line. */
  readonly content: readonly string[];
}

/** The document. */
export function svgOf({ size: [width, height], title, desc, style, content }: Picture): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
    `viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<desc>${escaped(desc)}</desc>`,
    `<style>${style}</style>`,
    ...content,
    "</svg>\n",
  ].join("\n");
}

/** Text in XML, which has no control characters, not even escaped. */
export function escaped(text: string): string {
  return text.toWellFormed().replace(/[\p{Cc}\uFFFE\uFFFF]/gu, "?")
    .replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
