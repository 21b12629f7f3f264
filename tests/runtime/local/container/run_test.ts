import { assertEquals, assertRejects } from "@std/assert";
import { runContainer } from "../../../../runtime/local/container/run.ts";
import { connectToEngine } from "../../../../runtime/docker/connect.ts";
import { EngineError } from "../../../../runtime/docker/engine_error.ts";
import { MlcliError } from "../../../../runtime/errors.ts";
import { fakeContext } from "../../../helpers/fake_context.ts";
import { type Answers, fakeEngine, pong, refusal } from "../../../helpers/fake_engine.ts";
import { inTime } from "../../../helpers/in_time.ts";
import { it, suite } from "../../../helpers/suite.ts";

/** Runs a container that is to have an init on an engine, and says with what it was created. */
async function run(answers: Answers, withInit = true): Promise<readonly boolean[]> {
  const inits: boolean[] = [];
  const create = answers["POST /containers/create"];
  await using fake = await fakeEngine({
    "GET /_ping": () => pong("1.41"),
    "POST /containers/1/attach": () => new Response(),
    "POST /containers/1/wait": () => Response.json({ StatusCode: 0 }),
    "POST /containers/1/start": () => new Response(null, { status: 204 }),
    "DELETE /containers/1": () => new Response(null, { status: 204 }),
    ...answers,
    "POST /containers/create": async (request, released) => {
      inits.push((await request.clone().json()).HostConfig.Init);
      return create ? await create(request, released) : Response.json({ Id: "1" }, { status: 201 });
    },
  });
  const engine = await connectToEngine({
    env: (name) => name === "DOCKER_HOST" ? `unix://${fake.socket}` : undefined,
  });
  try {
    const body = {
      Image: "image",
      Cmd: ["train"],
      Labels: {},
      HostConfig: { AutoRemove: true, Init: withInit, Mounts: [] },
    };
    await inTime(runContainer(engine, "name", body, fakeContext()));
    return inits;
  } finally {
    engine.close();
  }
}

/** Refuses once what is asked for with an init. */
function refusing(reason: string, status: number, good: () => Response): () => Response {
  let isFirst = true;
  return () => {
    if (!isFirst) return good();
    isFirst = false;
    return refusal(status, reason);
  };
}

const STARTED = (): Response => new Response(null, { status: 204 });
const CREATED = (): Response => Response.json({ Id: "1" }, { status: 201 });

suite("the init of a container", () => {
  it("is there where the engine has one", async () => {
    assertEquals(await run({}), [true]);
  });

  for (
    const [engine, call, answer] of [
      [
        "Docker",
        "POST /containers/1/start",
        refusing(
          'OCI runtime create failed: error mounting "/usr/bin/docker-init" to rootfs at ' +
            '"/sbin/docker-init": stat /usr/bin/docker-init: no such file or directory: unknown',
          400,
          STARTED,
        ),
      ],
      [
        "snap's Docker",
        "POST /containers/1/start",
        refusing('exec: "docker-init": executable file not found in $PATH', 500, STARTED),
      ],
      [
        "Podman",
        "POST /containers/create",
        refusing(
          "container-init binary not found on the host: stat /usr/libexec/podman/catatonit: no " +
            "such file or directory",
          500,
          CREATED,
        ),
      ],
    ] as const
  ) {
    it(`is left out where ${engine} has none`, async () => {
      assertEquals(await run({ [call]: answer }), [true, false]);
    });
  }

  it("stays where the engine refuses for another reason", async () => {
    for (
      const [status, kind] of [[400, MlcliError], [500, EngineError]] as const
    ) {
      const answer = refusing("no space left on device", status, STARTED);
      await assertRejects(() => run({ "POST /containers/1/start": answer }), kind);
    }
    const answer = refusing("docker-init", 500, STARTED);
    await assertRejects(() => run({ "POST /containers/1/start": answer }, false), EngineError);
  });
});
