/**
 * Lines of a body, as they come.
 *
 * @module
 */

/** Those that are not empty, the last also where no line end follows; one may be split over chunks. */
export async function* linesOf(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<string, void, void> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.trim() !== "") yield line;
    }
  }
  if (rest.trim() !== "") yield rest;
}
