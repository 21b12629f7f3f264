import { assert, assertEquals } from "@std/assert";

/** Text that may stand between two tags; control characters as S3 writes them. */
export function xmlText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    // deno-lint-ignore no-control-regex
    .replace(/[\x00-\x08\x0b-\x1f]/g, (one) => `&#x${one.charCodeAt(0).toString(16)};`);
}

/** Text of an XML document as the one who wrote it meant it. */
export function xmlDecoded(text: string): string {
  return text
    .replace(/&#x([0-9a-f]+);/gi, (_, digits) => String.fromCodePoint(parseInt(digits, 16)))
    .replace(/&#(\d+);/g, (_, digits) => String.fromCodePoint(Number(digits)))
    .replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"')
    .replaceAll("&apos;", "'").replaceAll("&amp;", "&");
}

/** Tags that are closed in their order, attributes in quotes, and no other `<` or `&`. */
export function assertWellFormed(document: string): void {
  const open: string[] = [];
  const rest = document.replace(
    /<(\/?)([a-zA-Z]+)((?: [a-zA-Z0-9:-]+="[^"<]*")*) ?(\/?)>/g,
    (_, end, name, _attributes, empty) => {
      if (end) assertEquals(open.pop(), name);
      else if (!empty) open.push(name);
      return "";
    },
  );
  assertEquals(open, []);
  assert(!rest.includes("<"), rest);
  assert(!/&(?!(amp|lt|gt|quot);)/.test(rest), rest);
}
