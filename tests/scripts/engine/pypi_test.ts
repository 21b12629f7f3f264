import { assertEquals, assertMatch } from "@std/assert";
import { pypiProblem } from "../../../scripts/engine/pypi.ts";
import { it, suite } from "../../helpers/suite.ts";

const signal = new AbortController().signal;

/** What is found out of an index on this machine, and what it was asked. */
async function ask(
  status: number,
  login = "",
): Promise<{ readonly problem: string | undefined; readonly asked: string }> {
  let asked = "";
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (one) => {
    const { pathname } = new URL(one.url);
    asked = `${one.method} ${pathname} ${one.headers.get("Authorization")}`;
    return new Response(null, { status });
  });
  const index = `http://${login}127.0.0.1:${server.addr.port}/root/simple/`;
  const problem = await pypiProblem(signal, (name) => name === "PIP_INDEX_URL" ? index : undefined);
  return { problem: problem?.replace(/:\d+/, ""), asked };
}

suite("whether PyPI answers", () => {
  it("is asked of the index that takes its place, with its password", async () => {
    assertEquals(await ask(200), { problem: undefined, asked: "HEAD /root/simple/six/ null" });
    const { problem, asked } = await ask(200, "me:p%40ss@");
    assertEquals([problem, asked], [undefined, `HEAD /root/simple/six/ Basic ${btoa("me:p@ss")}`]);
  });

  it("is no, with the reason, where it refuses or nobody is there", async () => {
    assertEquals((await ask(403)).problem, "127.0.0.1 answers 403");
    const none = (name: string): string | undefined =>
      name === "PIP_INDEX_URL" ? "http://127.0.0.1:1/simple" : undefined;
    assertMatch(await pypiProblem(signal, none) ?? "", /./);
  });
});
