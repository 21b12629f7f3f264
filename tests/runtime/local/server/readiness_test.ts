import { assertEquals, assertRejects } from "@std/assert";
import { MlcliError } from "../../../../runtime/errors.ts";
import { requireReady } from "../../../../runtime/local/server/readiness.ts";
import { appObject } from "../../../helpers/app_object.ts";
import { clientOf, fakeEngine, pong } from "../../../helpers/fake_engine.ts";
import { it, suite } from "../../../helpers/suite.ts";

suite("a server that ended before it was ready", () => {
  it("a server that is not ready is an error after its log is shown, and not before", async () => {
    const log = Promise.withResolvers<void>();
    await using fake = await fakeEngine({
      "GET /_ping": () => pong("1.44"),
      "POST /containers/c/wait": () => Response.json({ StatusCode: 3 }),
      // All that is asked for when it has ended.
      "GET /containers/c/json": () => Response.json({ State: { ExitCode: 3, OOMKilled: false } }),
      "GET /containers/c/logs": () => {
        events.push("error");
        return new Response("");
      },
    });
    const events: string[] = [];
    using engine = await clientOf(fake);
    const asked = {
      job: { app: appObject("/app", "churn"), timeout: 60, network: undefined, strict: false },
      image: {} as never,
      engine,
      signal: new AbortController().signal,
      findings: { remedyOfOtherCode: undefined } as never,
      messages: {} as never,
    };
    const ready = requireReady(asked, { id: "c" } as never, 1, log.promise);
    setTimeout(() => {
      events.push("log");
      log.resolve();
    }, 100);
    const error = await assertRejects(() => ready, MlcliError);
    assertEquals([error.quote, events], [undefined, ["log", "error"]]);
  });
});
