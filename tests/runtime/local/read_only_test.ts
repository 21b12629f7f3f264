import { assert, assertEquals, assertMatch } from "@std/assert";
import { completeApp } from "../../helpers/app.ts";
import { contentOf } from "../../helpers/directory.ts";
import { fakeContainers } from "../../helpers/fake_containers.ts";
import { runInProcess } from "../../helpers/in_process.ts";
import { answerOrEnd } from "../../helpers/ping_server.ts";
import { MAY_MOUNT, smallDisk } from "../../helpers/small_disk.ts";
import { it, suite } from "../../helpers/suite.ts";

/** Commands in an app that cannot be written to; what they say, and whether they need to write. */
const COMMANDS: readonly (readonly [args: readonly string[], said: RegExp | undefined])[] = [
  [
    ["local", "train"],
    /^error: Cannot \w+ .*: Read-only file system\nhint: Use a copy in a writable directory/m,
  ],
  [
    ["local", "process", "--file", "p.py"],
    /^error: Cannot \w+ .*: Read-only file system\nhint: Use a copy in/m,
  ],
  [["local", "deploy", "--port", "0"], undefined],
  [["local", "list-jobs"], undefined],
  [["build"], undefined],
  [
    ["init", "NAME"],
    /^error: Cannot \w+ .*: Read-only file system\nhint: Use a copy in a writable directory/m,
  ],
];

if (MAY_MOUNT) {
  suite("an app on a disk that is mounted read-only", () => {
    for (const [args, said] of COMMANDS) {
      it(`mlcli ${args.join(" ")} ${said ? "says so, and what to do" : "needs not write"}`, async () => {
        await using disk = await smallDisk();
        // Gone with the disk.
        const app = await completeApp({ parent: disk.path });
        await using servers = new AsyncDisposableStack();
        await using engine = await fakeContainers({
          answers: {
            "POST /build": () => new Response('{"aux":{"ID":"sha256:1"}}\n'),
            "GET /images/json": () => Response.json([]),
          },
          program: (container) => answerOrEnd(container, servers),
        });
        const before = await contentOf(app.directory);
        await disk.protect();
        const line = args.map((word) => word.replace("NAME", app.name));
        const { code, stderr } = await runInProcess(line, { cwd: app.directory, engine });
        assertEquals(code, said ? 1 : 0, stderr);
        if (said) assertMatch(stderr, said);
        assert(!stderr.includes(`${app.directory}/`), stderr);
        assertEquals(engine.left.length, args[1] === "deploy" ? 1 : 0);
        assertEquals(await contentOf(app.directory), before);
      });
    }
  });
}
