import { assertEquals, assertMatch } from "@std/assert";
import { basename, dirname, join } from "@std/path";
import { modelArchiveIn } from "../../../../runtime/model/archive.ts";
import { completeApp, type TestApp } from "../../../helpers/app.ts";
import { makeDirectory, namesIn } from "../../../helpers/directory.ts";
import {
  type FakeContainer,
  type FakeContainers,
  fakeContainers,
  type Play,
  portOf,
} from "../../../helpers/fake_containers.ts";
import { refusal } from "../../../helpers/fake_engine.ts";
import { Keys, runInProcess } from "../../../helpers/in_process.ts";
import { type PingServer, pingServer } from "../../../helpers/ping_server.ts";
import type { ProgramResult } from "../../../helpers/program.ts";
import { it, suite } from "../../../helpers/suite.ts";
import { tarGz } from "../../../helpers/tar.ts";

const ARCHIVE = "model.tar.gz";

suite("modelArchiveIn", () => {
  for (
    const [files, isArchive] of [
      [[ARCHIVE], true],
      [[ARCHIVE, ".gitkeep", ".gitignore", ".DS_Store"], true],
      [[], false],
      [[".gitkeep"], false],
      [["model.json"], false],
      [["other.tar.gz"], false],
      [["model.tar"], false],
      [[ARCHIVE, "model.json"], false],
      [[ARCHIVE, "code/inference.py"], false],
      [[ARCHIVE, "empty/"], false],
      [[`${ARCHIVE}/`], false],
      [[`deep/${ARCHIVE}`], false],
    ] as const
  ) {
    it(`finds ${isArchive ? "the archive" : "none"} in ${files.join(", ") || "nothing"}`, async () => {
      await using directory = await makeDirectory(
        Object.fromEntries(files.map((file) => [file, ""])),
      );
      const expected = isArchive ? join(directory.path, ARCHIVE) : undefined;
      assertEquals(await modelArchiveIn(directory.path), expected);
    });
  }

  it("takes no link for one: the container would not have what it leads to", async () => {
    await using directory = await makeDirectory({ "m.tar.gz": "", "model/": "" });
    const model = join(directory.path, "model");
    await Deno.symlink("../m.tar.gz", join(model, ARCHIVE));
    assertEquals(await modelArchiveIn(model), undefined);
  });
});

interface Deployed extends ProgramResult {
  /** What is mounted at `/opt/ml/model`, a server each. */
  readonly models: readonly string[];
  /** What is in `test_dir` afterwards, without `input`. */
  readonly left: readonly string[];
  readonly containers: readonly string[];
}

function modelOf(body: FakeContainer["body"]): string {
  return body.HostConfig.Mounts.find(({ Target }) => Target === "/opt/ml/model")!.Source;
}

/** Deploys a model that is this archive, on a free port; then calls `look`. */
async function deploy(
  archive: Uint8Array,
  play: Play = {},
  keys = new Keys(),
  look: (app: TestApp, engine: FakeContainers) => Promise<void> = () => Promise.resolve(),
): Promise<Deployed> {
  await using app = await completeApp();
  await Deno.remove(app.testPath("model/m"));
  await app.write(app.testPath("model", ARCHIVE), archive);
  await app.write(app.testPath("model/.gitkeep"), "");
  await using servers = new AsyncDisposableStack();
  await using engine = await fakeContainers({
    program: (container) => void servers.use(answering(container)),
    ...play,
  });
  const line = ["local", "deploy", "--port", "0"];
  const result = await runInProcess(line, { cwd: app.directory, engine, keys });
  await look(app, engine);
  return {
    ...result,
    models: engine.created.map(modelOf),
    left: [
      ...(await namesIn(app.testPath())).filter((name) => name !== "input"),
      ...await namesIn(app.path("local_test/jobs/.unpacked")).catch(() => []),
    ],
    containers: [...engine.left],
  };
}

function answering({ body }: FakeContainer): PingServer {
  return pingServer(portOf(body));
}

const GOOD = () => tarGz([{ name: "./model.json", content: "{}" }, { name: "code/x.py" }]);

suite("local deploy of a model.tar.gz", () => {
  it("mounts what is in it, from a directory in jobs/ that is called after the server", async () => {
    const { code, stderr, left, containers } = await deploy(
      await GOOD(),
      {},
      new Keys(),
      async (app, engine) => {
        const [body] = engine.created;
        const model = modelOf(body);
        assertEquals(dirname(model), app.path("local_test/jobs/.unpacked"));
        const name = `mlcli-${app.name}-serve-${portOf(body)}`;
        assertMatch(basename(model), new RegExp(`^${name}-[0-9a-f]{8}$`));
        assertEquals(await namesIn(model), ["code", "model.json"]);
        assertEquals(await namesIn(app.testPath("model")), [".gitkeep", ARCHIVE]);
      },
    );
    assertEquals([code, stderr, containers.length], [0, "", 1]);
    assertEquals(left.length, 2, `${left}`);
  });

  it("mounts model/ itself where other files lie beside it", async () => {
    await using app = await completeApp({
      files: { [`local_test/test_dir/model/${ARCHIVE}`]: "x" },
    });
    await using servers = new AsyncDisposableStack();
    await using engine = await fakeContainers({
      program: (container) => void servers.use(answering(container)),
    });
    const line = ["local", "deploy", "--port", "0"];
    const { code } = await runInProcess(line, { cwd: app.directory, engine });
    assertEquals([code, engine.created.map(modelOf)], [0, [app.testPath("model")]]);
    assertEquals(await namesIn(app.testPath()), ["input", "model"]);
  });

  it("leaves nothing where it cannot be unpacked", async () => {
    const archive = await tarGz([{ name: "m", content: "1" }, { name: "../x" }]);
    for (
      const [bytes, words] of [
        [archive, "../x leads out of the archive"],
        [new Uint8Array([1]), "it is not compressed with gzip"],
      ] as const
    ) {
      const { code, stdout, stderr, models, left } = await deploy(bytes);
      assertEquals([code, stdout, models, left], [1, "", [], ["model"]]);
      assertMatch(
        stderr,
        /^error: Cannot unpack test-\w+.mlcli_base.local_test.test_dir.model.model\.tar\.gz: /,
      );
      assertEquals(stderr.includes(words), true, stderr);
      assertMatch(stderr, /\nhint: /);
    }
  });

  for (
    const [title, play] of [
      ["no image", { image: null }],
      ["a server that ends", { program: ({ end }: FakeContainer) => end(3) }],
      [
        "an engine that does not create the container",
        { answers: { "POST /containers/create": () => refusal(500, "no") } },
      ],
      [
        "ports that are taken, again and again",
        {
          answers: { "POST /containers/ID/start": () => refusal(500, "port is already allocated") },
        },
      ],
    ] as const
  ) {
    it(`leaves nothing after ${title}`, async () => {
      const result = await deploy(await GOOD(), play as Play);
      assertEquals([result.code, result.stdout], [1, ""]);
      assertEquals([result.left, result.containers], [["model"], []]);
    });
  }

  for (const call of ["GET /images/NAME/json", "POST /containers/create"]) {
    it(`leaves nothing after Ctrl-C during ${call}`, async () => {
      const keys = new Keys();
      const before = (current: string): void => {
        if (current === call) keys.press();
      };
      const result = await deploy(await GOOD(), { before }, keys);
      assertEquals([result.code, result.left, result.containers], [130, ["model"], []]);
    });
  }
});
