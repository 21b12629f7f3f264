import { assertEquals, assertMatch } from "@std/assert";
import { completeApp } from "../../helpers/app.ts";
import { type Answer, type Call, fakeEngine, pong, refusal } from "../../helpers/fake_engine.ts";
import { runInProcess } from "../../helpers/in_process.ts";
import type { ProgramResult } from "../../helpers/program.ts";
import { it, suite } from "../../helpers/suite.ts";

const LOGIN = { username: "me", password: "päss", serveraddress: "r.io" };
const AUTH = new TextEncoder().encode(`${LOGIN.username}:${LOGIN.password}`).toBase64();

interface Build extends ProgramResult {
  /** The calls that pull, and the login that each sent. */
  readonly pulls: readonly (Pick<Call, "query"> & { readonly login: unknown })[];
  readonly isBuilt: boolean;
}

interface Surroundings {
  readonly dockerfile?: string;
  /** The user's `config.json`. */
  readonly configuration?: unknown;
  /** What platform the base image is here for; default: it is not here. */
  readonly platform?: string;
  /** What the base image is labelled with. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly pulled?: Answer;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}

async function build(
  {
    dockerfile = "ARG BASE_IMAGE\nFROM ${BASE_IMAGE}\n",
    configuration = { auths: { "r.io": { auth: AUTH } } },
    platform,
    labels: Labels = {},
    pulled = () => new Response('{"status":"Pulling from base","id":"1"}\n'),
    env = {},
    args = [],
  }: Surroundings = {},
): Promise<Build> {
  await using app = await completeApp({ configuration: { base_image: "r.io/base" } });
  await app.write(app.path("Dockerfile"), dockerfile);
  await app.write(`${app.directory}/docker/config.json`, JSON.stringify(configuration));
  const pulls: { query: Call["query"]; login: unknown }[] = [];
  const [Os, Architecture] = platform?.split("/") ?? [];
  await using engine = await fakeEngine({
    "GET /_ping": () => pong("1.41"),
    "GET /info": () => Response.json({}),
    [`GET /images/${app.name}%3Alatest/json`]: () => refusal(404, "No such image"),
    "GET /images/docker%2Ffrontend%3A1/json": () => refusal(404, "No such image"),
    "GET /images/r.io%2Fbase/json": () =>
      platform === undefined
        ? refusal(404, "No such image")
        : Response.json({ Created: "2026-01-01T00:00:00Z", Os, Architecture, Config: { Labels } }),
    "POST /images/create": (request, released) => {
      const header = request.headers.get("X-Registry-Auth") ?? "";
      const text = new TextDecoder().decode(
        Uint8Array.fromBase64(header, { alphabet: "base64url" }),
      );
      const query = Object.fromEntries(new URL(request.url).searchParams);
      pulls.push({ query, login: JSON.parse(text) });
      return pulled(request, released);
    },
    "POST /build": async (request) => {
      await request.body?.pipeTo(new WritableStream());
      return new Response('{"aux":{"ID":"sha256:1"}}\n');
    },
  });
  const result = await runInProcess(["build", ...args], {
    cwd: app.directory,
    engine,
    env: { DOCKER_CONFIG: `${app.directory}/docker`, ...env },
  });
  const isBuilt = engine.calls.some(({ call }) => call === "POST /build");
  return { ...result, stderr: result.stderr.replaceAll(app.name, "APP"), pulls, isBuilt };
}

suite("a base image", () => {
  it("is pulled with its registry's login, and the build goes on", async () => {
    const { code, stderr, pulls, isBuilt } = await build();
    assertEquals([code, isBuilt], [0, true], stderr);
    assertEquals(pulls, [{ query: { fromImage: "r.io/base:latest" }, login: LOGIN }]);
    assertMatch(stderr, /Pulling r\.io\/base\b/);
    assertEquals(/p\u00e4ss|cDpw/.test(stderr), false);
  });

  it("is pulled for the platform that is asked for", async () => {
    const { pulls } = await build({ args: ["--platform", "linux/arm64"], platform: "linux/amd64" });
    assertEquals(pulls.map(({ query }) => query), [
      { fromImage: "r.io/base:latest", platform: "linux/arm64" },
    ]);
  });

  it("build pulls a base image for DOCKER_DEFAULT_PLATFORM if no other setting names a platform", async () => {
    // https://github.com/docker/compose/issues/10041: x86_64 is the engine's amd64.
    const env = { DOCKER_DEFAULT_PLATFORM: "linux/x86_64" };
    const { pulls } = await build({ env, platform: "linux/arm64" });
    assertEquals(pulls.map(({ query }) => query), [
      { fromImage: "r.io/base:latest", platform: "linux/amd64" },
    ]);
    assertEquals((await build({ env, platform: "linux/amd64" })).pulls, []);
  });

  for (
    const [title, surroundings] of [
      ["is here", { platform: "linux/amd64" }],
      ["is here for the platform", {
        platform: "linux/arm64",
        args: ["--platform=linux/arm64/v8"],
      }],
      ["is not built upon", { dockerfile: "FROM r.io/base AS a\nFROM scratch\n" }],
    ] as const
  ) {
    it(`is not pulled where it ${title}`, async () => {
      const { code, stderr, pulls, isBuilt } = await build(surroundings);
      assertEquals([code, pulls, isBuilt], [0, [], true], stderr);
    });
  }

  it("pullBaseImages warns of a base image that mlcli built for another app", async () => {
    const { code, stderr, isBuilt } = await build({
      platform: "linux/amd64",
      labels: { "mlcli.app": "theirs" },
    });
    assertEquals([code, isBuilt], [0, true], stderr);
    assertMatch(
      stderr,
      /^warning: The base image r\.io\/base is local: mlcli built it for the app theirs\nhint: /m,
    );
  });

  it("is pulled without a login where there is none", async () => {
    const { code, pulls, isBuilt } = await build({ configuration: {} });
    assertEquals([code, pulls.map(({ login }) => login), isBuilt], [0, [{}], true]);
  });

  it("is pulled without a login where the helper fails, with a warning", async () => {
    const { code, stderr, pulls, isBuilt } = await build({
      configuration: { credsStore: "none" },
      env: { PATH: "/nowhere" },
    });
    assertEquals([code, pulls.map(({ login }) => login), isBuilt], [0, [{}], true]);
    assertMatch(
      stderr,
      /^warning: Credential helper docker-credential-none is not in PATH\. Pulling from r\.io /m,
    );
  });

  it("of a # syntax= line is pulled, too, for the engine's own processor", async () => {
    const dockerfile = "# syntax=docker/frontend:1\nFROM scratch\n";
    const args = ["--platform", "linux/arm64"];
    const { pulls } = await build({ dockerfile, args });
    assertEquals(pulls.map(({ query }) => query), [{ fromImage: "docker/frontend:1" }]);
    const classic = await build({ dockerfile, args, env: { DOCKER_BUILDKIT: "0" } });
    assertEquals(classic.pulls, []);
  });

  it("of a # syntax= line that cannot be pulled is an error that names the line", async () => {
    const { code, stderr } = await build({
      dockerfile: "# syntax=docker/frontend:1\nFROM scratch\n",
      pulled: () => refusal(500, "no such host"),
    });
    assertEquals(code, 1);
    assertMatch(stderr, /\nhint: Remove the line # syntax= from the Dockerfile/);
  });

  const DENIED = "unauthorized: authentication required";
  it("that is refused without a login may want one", async () => {
    const pulled = () => refusal(404, "pull access denied for r.io/base");
    const { code, stderr, isBuilt } = await build({ pulled, configuration: {} });
    assertEquals([code, isBuilt], [1, false]);
    assertMatch(stderr, /^hint: .*docker login r\.io, then try again\.$/m);
  });

  for (
    const [title, pulled, hint] of [
      [
        "in a message",
        () => Response.json({ errorDetail: { message: DENIED } }),
        /docker login r.io/,
      ],
      [
        "by its status",
        () => refusal(500, `Head "https://r.io": ${DENIED}`),
        /docker login r\.io\. /,
      ],
      ["since nobody is there", () => refusal(500, "no such host"), /its registry is reachable/],
      [
        "since there is no room",
        () => refusal(500, "write /var/lib/docker/tmp/x: no space left on device"),
        /docker system df/,
      ],
    ] as const
  ) {
    it(`that is refused ${title} ends the build`, async () => {
      const { code, stderr, isBuilt } = await build({ pulled });
      assertEquals([code, isBuilt], [1, false]);
      assertMatch(
        stderr,
        /^error: Cannot pull r\.io\/base: .*(unauthorized|no such host|no space)/m,
      );
      assertMatch(stderr, hint);
    });
  }
});

suite("a Dockerfile for BuildKit alone", () => {
  const MOUNTS = "ARG BASE_IMAGE\nFROM ${BASE_IMAGE}\nRUN true\n" +
    "RUN --mount=type=cache,target=/a \\\n  true\nrun --network=none true\n";

  it("is refused by the classic builder, with the lines to change", async () => {
    const { code, stderr, isBuilt } = await build({
      dockerfile: MOUNTS,
      env: { DOCKER_BUILDKIT: "0" },
    });
    assertEquals([code, isBuilt], [1, false]);
    assertEquals(stderr.split("\n").slice(0, -2), [
      "error: RUN with options, such as --mount, requires BuildKit",
      "  APP/mlcli_base/Dockerfile:4: RUN --mount=type=cache,target=/a ...",
      "  APP/mlcli_base/Dockerfile:6: RUN --network=none ...",
    ]);
    assertMatch(stderr, /\nhint: .*DOCKER_BUILDKIT=0.*\n$/);
  });

  it("is built by BuildKit", async () => {
    const { code, isBuilt } = await build({ dockerfile: MOUNTS });
    assertEquals([code, isBuilt], [0, true]);
  });
});
