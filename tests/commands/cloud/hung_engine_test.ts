import { assertEquals, assertMatch } from "@std/assert";
import { engineFront } from "../../helpers/engine_front.ts";
import { fakePushes } from "../../helpers/fake_pushes.ts";
import { Keys } from "../../helpers/in_process.ts";
import { makeJobApp } from "../../helpers/job_app.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("an engine that hangs in mlcli push", () => {
  for (const hanging of [/^GET \/images\//, /\/tag$/, /\/push$/, /^DELETE /]) {
    it(`at ${hanging.source} ends it at Ctrl-C, and the image has no other name, or it is said`, async () => {
      await using job = await makeJobApp();
      const { app, box } = job;
      await using engine = await fakePushes(box, { reference: `${app.name}:latest` });
      const keys = new Keys();
      const { promise: hung, resolve } = Promise.withResolvers<void>();
      await using front = await engineFront(({ call }) => {
        if (!hanging.test(call)) return "pass";
        keys.press();
        resolve();
        return "hang";
      }, engine.socket);
      const { code, stdout, stderr } = await job.run(["push"], {
        engine: front,
        keys,
        // Of the call that hangs alone: over once it does.
        limits: {
          after: (_, call) => {
            const over = new AbortController();
            if (hanging.test(call)) hung.then(() => over.abort());
            return over.signal;
          },
        },
      });
      assertEquals(stdout, "", stderr);
      if (hanging.source !== "^DELETE ") return assertEquals([code, engine.names.size], [130, 0]);
      // The engine has pushed nothing, and that is what is said.
      assertEquals(code, 1, stderr);
      const [name = ""] = engine.names;
      assertMatch(
        stderr,
        /warning: Cannot remove the temporary local tag (\S+): .*\nhint: Remove the tag: docker rmi \1\nerror: Cannot push/,
      );
      assertEquals(stderr.includes(`docker rmi ${name}\n`), true);
    });
  }
});
