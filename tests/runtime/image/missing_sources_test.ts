import { join } from "@std/path";
import { assertEquals } from "@std/assert";
import { completeApp, type TestApp } from "../../helpers/app.ts";
import { type Answers, fakeEngine, imageUnlessOf, pong } from "../../helpers/fake_engine.ts";
import { runInProcess } from "../../helpers/in_process.ts";
import { it, suite } from "../../helpers/suite.ts";

/** What builders say where a file of the context is missing, whatever its name. */
const SAID = {
  // Engine 20.10.24, and BuildKit 0.12.
  buildkit: 'failed to compute cache key: "/data" not found: not found',
  "buildkit, of a part of a path":
    "failed to compute cache key: failed to walk /var/lib/docker/tmp/buildkit-mount1/data: lstat " +
    "/var/lib/docker/tmp/buildkit-mount1/data: no such file or directory",
  "newer buildkit":
    'failed to solve: failed to compute cache key: failed to calculate checksum of ref a::b: "/data": not found',
  classic:
    "COPY failed: file not found in build context or excluded by .dockerignore: stat data: file does not exist",
  "classic, of a pattern": "COPY failed: no source files were specified",
  "classic, of a path that leads out":
    "COPY failed: forbidden path outside the build context: ../data ()",
  podman:
    'building at STEP "COPY data /x": checking on sources under "/tmp/c": copier: stat: "/data": no such file or directory',
  "newer podman":
    'building at STEP "COPY data /x": no items matching glob "/tmp/c/data" copied (1 filtered out using /tmp/c/.dockerignore): no such file or directory',
} as const;

/** The error of a build whose engine ends with these words; APP stands for the app's name. */
async function failure(
  dockerfile: string,
  said: string = SAID.buildkit,
  prepare: (app: TestApp) => Promise<void> = () => Promise.resolve(),
): Promise<readonly string[]> {
  await using app = await completeApp({ files: { Dockerfile: dockerfile } });
  await app.write(join(app.directory, "data/x.csv"), "1");
  await app.write(join(app.directory, ".dockerignore"), "**/*.bin\n");
  for (const name of ["w.bin", ".env"]) await app.write(join(app.directory, app.name, name), "");
  await prepare(app);
  const answers: Answers = {
    "GET /_ping": () => pong("1.41"),
    "GET /info": () => Response.json({}),
    "POST /build": async (request) => {
      await request.body?.pipeTo(new WritableStream());
      return new Response(`${JSON.stringify({ errorDetail: { message: said } })}\n`);
    },
  };
  await using engine = await fakeEngine((call) =>
    call.startsWith("GET /images/") ? () => imageUnlessOf(app.name, call) : answers[call]
  );
  const { code, stdout, stderr } = await runInProcess(["build"], { cwd: app.directory, engine });
  assertEquals([code, stdout], [1, ""]);
  return stderr.replaceAll(app.name, "APP").split("\n").filter((line) =>
    /^(error|hint): /.test(line)
  );
}

const MISSING = "error: Build failed: the build context does not contain ";
const BESIDE =
  "hint: Move data/x.csv into APP/, the only directory that a build sends, and add ${APP}/ before its path";
const RULE =
  "A build sends only APP/ (without local_test/), the requirements file, the Dockerfile and .mlcli/.";

suite("a COPY that finds nothing", () => {
  for (const [builder, said] of Object.entries(SAID)) {
    it(`is told in one way, whatever the builder says: ${builder}`, async () => {
      assertEquals(await failure("FROM x\nCOPY data/x.csv /x\n", said), [
        `${MISSING}data/x.csv`,
        BESIDE,
      ]);
    });
  }

  const rows: readonly (readonly [dockerfile: string, missing: string, hint: string])[] = [
    ["ADD ./data/x.csv /x", "data/x.csv", BESIDE.slice(6)],
    ["RUN --mount=type=bind,source=data/x.csv,target=/x cat /x", "data/x.csv", BESIDE.slice(6)],
    [
      "COPY training/ /x",
      "training",
      "Use a path relative to APP.json: ${APP}/mlcli_base/training",
    ],
    ["COPY nothing /x", "nothing", `Fix the path: nothing does not exist. ${RULE}`],
    ["COPY none* /x", "none*", `Fix the path: nothing matches none*. ${RULE}`],
    [
      "COPY ../up /x",
      "../up",
      "Move the files into APP/: the build context contains only files of the app",
    ],
    [
      "COPY $APP/w.bin /x",
      "APP/w.bin",
      "Add the line !APP/w.bin to the end of .dockerignore, which excludes it",
    ],
    [
      "COPY ${APP}/.env /x",
      "APP/.env",
      "Add the line !APP/.env to .dockerignore: a build does not send private files by default",
    ],
    [
      "COPY ${APP}/mlcli_base/local_test/ /x",
      "APP/mlcli_base/local_test",
      "Move it to another directory in APP/: a build never sends local_test/",
    ],
    // All that is missing is named, and the reason of the first.
    [
      'COPY ["one\\ttwo", "${APP}", "/x/"]\nADD three four /x/',
      "one?two, three, four",
      `Fix the path: one?two does not exist. ${RULE}`,
    ],
  ];
  for (const [dockerfile, missing, hint] of rows) {
    it(`names what is missing, and why: ${dockerfile}`, async () => {
      assertEquals(await failure(`FROM x\n${dockerfile}\n`), [
        `${MISSING}${missing}`,
        `hint: ${hint}`,
      ]);
    });
  }

  const known = [
    "COPY ${APP} $APP/mlcli_base/ .mlcli/ .mlcli-build requirements.txt ${REQUIREMENTS} /x/",
    "COPY . / /x/",
    "COPY ${APP}/mlcli_base/*/training.py ${APP}/*base /x/",
    "COPY ${OTHER}/x $constructor /x/",
    "COPY --from=one data /x/",
    "COPY <<EOF /x\nEOF",
    "ADD https://example.com/x git@example.com:x /x/",
    "RUN --mount=type=cache,target=/x --mount=type=bind,from=one,source=data,target=/d true",
    "COPY ${APP}/link/x /x",
    "COPY [a /x",
  ].join("\n");
  it("is left in the builder's words where mlcli knows of nothing that is missing", async () => {
    const found = await failure(`FROM x AS one\n${known}\n`, SAID.buildkit, async (app) => {
      await Deno.symlink("mlcli_base", join(app.directory, app.name, "link"));
    });
    assertEquals(found[0], `error: Build failed: ${SAID.buildkit}`);
  });

  it("is no reason for a build that failed for another", async () => {
    const said = "The command '/bin/sh -c cat data' returned a non-zero code: 1";
    const found = await failure("FROM x\nCOPY data /x\n", said);
    assertEquals(found[0], `error: Build failed: ${said}`);
  });
});
