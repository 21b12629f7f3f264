import { assert, assertEquals } from "@std/assert";
import { makeApp, type TestApp } from "../helpers/app.ts";
import { holds, openBrowser, says, textOf } from "../helpers/browser.ts";
import { fallingCurve, makeRun } from "../helpers/made_runs.ts";
import { servePage } from "../helpers/page_server.ts";
import { it, suite } from "../helpers/suite.ts";

const LISTEN = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
const PREFIX = "/user/me/proxy/8090/";

async function appWithRun(): Promise<TestApp> {
  const app = await makeApp();
  const curves = [["loss", fallingCurve(10)]] as const;
  await makeRun(app, 0, { name: "first-run", curves, log: "out it says hello\n" });
  return app;
}

/** A proxy that puts a path before all addresses, as Studio's does, and keeps what it was asked. */
function proxyTo(port: string) {
  const asked: { readonly url: string; readonly headers: ReadonlyMap<string, string> }[] = [];
  const server = Deno.serve(LISTEN, ({ url, method, body, headers, signal }) => {
    asked.push({ url, headers: new Map(headers) });
    const { pathname, search } = new URL(url);
    const path = pathname.startsWith(PREFIX) ? pathname.slice(PREFIX.length) : "not-there";
    const own = new Headers([...headers].filter(([name]) => name !== "host"));
    const options = { method, body, headers: own, signal };
    return fetch(`http://127.0.0.1:${port}/${path}${search}`, options)
      .catch(() => new Response("", { status: 502 }));
  });
  return { server, asked };
}

suite("who may look at the page", () => {
  it("asks for its address where there is no token, or another", async () => {
    await using app = await appWithRun();
    await using server = await servePage(app);
    await using browser = await openBrowser();
    for (const fragment of ["", "#", "#wrong/runs"]) {
      const address = `http://localhost:${server.port}/${fragment}`;
      const page = await browser.open(address, { expects: /403/ });
      await says(page, /address/);
      assert(!(await textOf(page)).includes("first-run"));
    }
  });

  it("works behind a proxy, and its token is nowhere but in a header of its own", async () => {
    await using app = await appWithRun();
    await using server = await servePage(app);
    const { server: proxy, asked } = proxyTo(server.port);
    await using _ = proxy;
    await using browser = await openBrowser();
    const address = `http://127.0.0.1:${proxy.addr.port}${PREFIX}#${server.token}`;
    const page = await browser.open(address);
    await says(page, "first-run");
    await page.goto(`${address}/runs/first-run`);
    await says(page, "it says hello");
    for (const { url, headers } of asked) {
      const others = [...headers].filter(([name]) => name !== "x-mlcli-token");
      assert(!`${url} ${others.join()}`.includes(server.token), url);
      assertEquals([headers.get("cookie"), headers.get("referer")], [undefined, undefined]);
    }
    assert(asked.some(({ headers }) => headers.get("x-mlcli-token") === server.token));
    assertEquals(await page.evaluate("[document.cookie, document.referrer]"), ["", ""]);
  });

  it("holds no connection in a tab that is not shown, and has the news when it is shown", async () => {
    await using app = await appWithRun();
    await using server = await servePage(app);
    await using browser = await openBrowser();
    const first = await browser.open(server.address);
    await says(first, "first-run");
    // A browser has six connections to a server.
    for (let tab = 0; tab < 7; tab++) await says(await browser.open(server.address), "first-run");
    await makeRun(app, 1, { name: "second-run" });
    await says(first, "second-run");
  });

  it("says so where mlcli has ended, and shows what there is once it serves again", async () => {
    await using app = await appWithRun();
    await using server = await servePage(app);
    await using browser = await openBrowser();
    const page = await browser.open(server.address, { expects: /Failed to load|ERR_|403/ });
    await says(page, "first-run");
    await server.stop();
    await says(page, /stopped or cannot be reached/);
    await says(page, "first-run");
    await makeRun(app, 1, { name: "second-run" });
    await using again = await servePage(app, { port: server.port });
    // The token is another one.
    await says(page, /address/);
    await page.goto(again.address);
    await says(page, "second-run");
  });

  it("lets no page of another origin read or ask anything", async () => {
    await using app = await appWithRun();
    await using server = await servePage(app);
    const [target, invocations] = [`http://localhost:${server.port}/`, "api/servers/1/invocations"];
    const headers = `{ "X-Mlcli-Token": ${JSON.stringify(server.token)} }`;
    const content = `<title>evil</title><script>loads = { a: 0, b: 0 }</script>` +
      `<iframe name=a onload="loads.a++" src="${server.address}"></iframe>` +
      `<iframe name=b onload="loads.b++"></iframe>` +
      `<form id=f target=b method=post enctype=text/plain action="${target}${invocations}">`;
    const type = { "Content-Type": "text/html" };
    await using evil = Deno.serve(LISTEN, () => new Response(content, { headers: type }));
    await using browser = await openBrowser();
    // Also with the name of the page's own host.
    for (const host of ["127.0.0.1", "localhost"]) {
      const page = await browser.open(`http://${host}:${evil.addr.port}/`, { expects: /./ });
      for (const path of ["", "api/app", "api/events"]) {
        for (const options of ["{}", `{ headers: ${headers} }`, `{ method: "POST" }`]) {
          const read = `fetch("${target}${path}", ${options}).then((a) => a.text(), () => "none")`;
          assertEquals(await page.evaluate(read), "none", `${path} ${options}`);
        }
      }
      const answered = page.waitForResponse((answer) => answer.url().endsWith(invocations));
      await page.evaluate("document.getElementById('f').submit()");
      assertEquals((await answered).status(), 403);
      // The first time, the second one has loaded nothing.
      await holds(page, "loads.a > 0 && loads.b > 1");
      const framed = page.frames().filter((frame) => frame !== page.mainFrame());
      const texts = await Promise.all(framed.map((frame) => frame.content()));
      assert(!texts.some((text) => text.includes('id="page"')), "it is shown in a frame");
    }
  });
});
