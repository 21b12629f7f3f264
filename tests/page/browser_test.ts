import { assertEquals, assertMatch } from "@std/assert";
import { type Look, openBrowser } from "../helpers/browser.ts";
import { it, suite } from "../helpers/suite.ts";

/** What a browser finds wrong with a page of this content. */
async function problemsOf(content: string, policy: string, look?: Look): Promise<string> {
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () =>
      new Response(`<title>x</title><link rel="icon" href="data:,">${content}`, {
        headers: { "Content-Type": "text/html", "Content-Security-Policy": policy },
      }),
  );
  const browser = await openBrowser();
  const page = await browser.open(`http://127.0.0.1:${server.addr.port}/`, look);
  await page.waitForFunction("document.readyState === 'complete'");
  return await browser[Symbol.asyncDispose]().then(() => "", (error) => error.message);
}

suite("a browser of the tests", () => {
  for (
    const [title, content, policy, problem] of [
      ["takes a page that does nothing wrong", "<p>text", "", /^$/],
      ["tells of an error", "<script>console.error('bad')</script>", "", /bad/],
      ["tells of what is thrown", "<script>throw new Error('thrown')</script>", "", /thrown/],
      [
        "tells of what the policy forbids",
        "<script>1</script>",
        "script-src 'none'",
        /Content Security Policy/,
      ],
      ["tells of a request elsewhere", "<img src='http://127.0.0.1:1/x'>", "", /It asks \S+:1\/x/],
      ["tells of a dialog", "<script>alert('evil')</script>", "", /It says: evil/],
    ] as const
  ) {
    it(title, async () => assertMatch(await problemsOf(content, policy), problem));
  }

  it("takes what a test expects", async () => {
    const content = "<script>console.error('bad')</script>";
    assertEquals(await problemsOf(content, "", { expects: /^bad$/ }), "");
  });
});
