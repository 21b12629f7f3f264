import { assertEquals, assertRejects } from "@std/assert";
import { MlcliError } from "../../../runtime/errors.ts";
import { copyImage } from "../../../scripts/engine/copy_image.ts";
import { fakeEngine } from "../../helpers/fake_engine.ts";
import { it, suite } from "../../helpers/suite.ts";

const never = new AbortController().signal;

/** Copies `python:3.12` to an engine that answers so; returns what it got, and the name. */
async function copied(answer: string): Promise<{ name: string; sent: string }> {
  let sent = "";
  await using source = await fakeEngine({
    "GET /images/python%3A3.12/get": () => new Response("layers"),
  });
  await using target = await fakeEngine({
    "POST /images/load": async (request) => {
      sent = await request.text();
      return new Response(answer);
    },
  });
  const [from, to] = [source, target].map(({ socket }) => `unix://${socket}`) as [string, string];
  return { name: await copyImage("python:3.12", from, to, never), sent };
}

suite("copyImage", () => {
  it("passes the archive on and returns the name over there", async () => {
    assertEquals(await copied('{"stream":"Loaded image: localhost/python:3.12"}'), {
      name: "localhost/python:3.12",
      sent: "layers",
    });
    // Docker ends the line.
    assertEquals(
      (await copied('{"stream":"Loaded image: python:3.12\\n"}\n')).name,
      "python:3.12",
    );
  });

  it("fails when the other engine did not load it", async () => {
    const error = await assertRejects(() => copied('{"error":"no space left"}'), MlcliError);
    assertEquals(error.quote, '{"error":"no space left"}');
  });
});
