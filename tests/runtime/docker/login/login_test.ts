import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { HelperError } from "../../../../runtime/docker/login/helper.ts";
import {
  loginFrom,
  type LoginSource,
  loginSource,
  registryOf,
} from "../../../../runtime/docker/login/login.ts";
import { MlcliError } from "../../../../runtime/errors.ts";
import { isFile } from "../../../../runtime/files.ts";
import { eventually } from "../../../helpers/eventually.ts";
import { makeDirectory } from "../../../helpers/directory.ts";
import { it, suite } from "../../../helpers/suite.ts";

const HUB = "https://index.docker.io/v1/";

suite("the registry of an image", () => {
  for (
    const [image, registry] of [
      ["python:3.12-slim", "docker.io"],
      ["team/base", "docker.io"],
      ["docker.io/team/base:1", "docker.io"],
      ["index.docker.io/team/base:1", "docker.io"],
      ["ghcr.io/team/base@sha256:01", "ghcr.io"],
      ["localhost/base", "localhost"],
      ["registry:5000/base", "registry:5000"],
      ["registry:5000", "docker.io"],
    ] as const
  ) {
    it(`of ${image} is ${registry}`, () => assertEquals(registryOf(image), registry));
  }
});

suite("where a login is", () => {
  async function found(registry: string, configuration: unknown): Promise<LoginSource | undefined> {
    await using folder = await makeDirectory({ "config.json": JSON.stringify(configuration) });
    return loginSource(registry, {
      env: (name) => name === "DOCKER_CONFIG" ? folder.path : undefined,
    });
  }

  const login = (username: string, password: string, serveraddress: string): LoginSource => ({
    kind: "login",
    login: { username, password, serveraddress },
  });
  const helper = (name: string, server: string): LoginSource => ({ kind: "helper", name, server });
  const PAIR = { auth: btoa("me:pass:word") };

  type Row = readonly [
    title: string,
    registry: string,
    configuration: unknown,
    source: LoginSource | undefined,
  ];
  const rows: readonly Row[] = [
    ["nowhere", "r.io", {}, undefined],
    ["in auths", "r.io", { auths: { "r.io": PAIR } }, login("me", "pass:word", "r.io")],
    ["in auths, under an address", "r.io", { auths: { "https://r.io/v1/": PAIR } }, {
      ...login("me", "pass:word", "r.io"),
    }],
    ["in auths, for Docker Hub", "docker.io", { auths: { [HUB]: PAIR } }, {
      ...login("me", "pass:word", HUB),
    }],
    ["in auths, for Docker Hub by its name", "docker.io", { auths: { "docker.io": PAIR } }, {
      ...login("me", "pass:word", HUB),
    }],
    ["nowhere for another", "r.io:5000", { auths: { "r.io": PAIR } }, undefined],
    ["nowhere for one below", "r.io", { auths: { "a.r.io": PAIR } }, undefined],
    ["in auths, in words", "r.io", { auths: { "r.io": { username: "a", password: "b" } } }, {
      ...login("a", "b", "r.io"),
    }],
    ["in auths, as old programs filled it up", "r.io", {
      auths: { "r.io": { auth: btoa("a:b\0\0") } },
    }, login("a", "b", "r.io")],
    ["in auths, as a token", "r.io", { auths: { "r.io": { ...PAIR, identitytoken: "t" } } }, {
      kind: "login",
      login: { identitytoken: "t", serveraddress: "r.io" },
    }],
    ["in auths, as a registry's token", "r.io", { auths: { "r.io": { registrytoken: "t" } } }, {
      kind: "login",
      login: { registrytoken: "t", serveraddress: "r.io" },
    }],
    ["nowhere: a helper has taken it", "r.io", { auths: { "r.io": {} } }, undefined],
    ["nowhere: no base64", "r.io", { auths: { "r.io": { auth: "?" } } }, undefined],
    ["nowhere: no pair", "r.io", { auths: { "r.io": { auth: btoa("me") } } }, undefined],
    [
      "nowhere: of another kind",
      "r.io",
      { auths: { "r.io": { auth: 1 } }, credsStore: 1 },
      undefined,
    ],
    ["in the store", "r.io", { auths: { "r.io": PAIR }, credsStore: "desktop" }, {
      ...helper("desktop", "r.io"),
    }],
    ["with the registry's own helper", "r.io", {
      credHelpers: { "r.io": "gcr" },
      credsStore: "desktop",
    }, helper("gcr", "r.io")],
    ["with Docker Hub's helper", "docker.io", { credHelpers: { "index.docker.io": "x" } }, {
      ...helper("x", HUB),
    }],
    ["in the store, for Docker Hub", "docker.io", { credsStore: "x" }, helper("x", HUB)],
  ];
  for (const [title, registry, configuration, source] of rows) {
    it(title, async () => assertEquals(await found(registry, configuration), source));
  }

  it("nowhere without a configuration", () => {
    assertEquals(loginSource("r.io", { env: () => "/nowhere" }), undefined);
  });

  it("is unknown if the configuration is not JSON, and the error quotes no password", async () => {
    await using folder = await makeDirectory({ "config.json": '{"auth": c2VjcmV0}' });
    const { message } = assertThrows(
      () => loginSource("r.io", { env: () => folder.path }),
      MlcliError,
    );
    assertEquals(message, `${folder.path}/config.json is not valid JSON`);
  });
});

suite("a credential helper", () => {
  async function answer(
    script: string,
    { path, signal = new AbortController().signal }: {
      readonly path?: string;
      readonly signal?: AbortSignal;
    } = {},
  ): Promise<unknown> {
    await using folder = await makeDirectory({ "docker-credential-x": `#!/bin/sh\n${script}\n` });
    await Deno.chmod(`${folder.path}/docker-credential-x`, 0o755);
    const env = (): string => path ?? `relative:/nowhere:${folder.path}`;
    return await loginFrom({ kind: "helper", name: "x", server: "r.io" }, { env }, signal);
  }

  const SAYS = `read server\n[ "$1" = get ] || exit 9\n`;

  it("gives a login for the server that it is asked for", async () => {
    const script = `${SAYS}echo "{\\"Username\\":\\"me\\",\\"Secret\\":\\"of $server\\"}"`;
    assertEquals(await answer(script.replace("read server", "server=$(cat)")), {
      username: "me",
      password: "of r.io",
      serveraddress: "r.io",
    });
  });

  it("gives a token", async () => {
    assertEquals(await answer(`echo '{"Username":"<token>","Secret":"t"}'`), {
      identitytoken: "t",
      serveraddress: "r.io",
    });
  });

  for (
    const [title, script] of [
      ["says so", "echo 'credentials not found in native keychain'; exit 1"],
      ["gives an empty one", `echo '{"Username":"","Secret":""}'`],
    ] as const
  ) {
    it(`has none where it ${title}`, async () => assertEquals(await answer(script), undefined));
  }

  for (
    const [title, script, words] of [
      ["fails", "printf 'no \\033[31mkeyring\\n'; exit 1", "failed: no ?[31mkeyring"],
      ["fails without a word", "exit 3", "failed: no reason given"],
      ["says something else", "echo secret", "returned invalid data"],
      ["says half", `echo '{"Username":"a"}'`, "returned invalid data"],
    ] as const
  ) {
    it(`that ${title} is an error`, async () => {
      const error = await assertRejects(() => answer(script), HelperError, words);
      assertEquals(error.message.includes("secret"), false);
    });
  }

  it("that is not there is an error", async () => {
    await assertRejects(
      () => answer("", { path: "/nowhere" }),
      HelperError,
      "Credential helper docker-credential-x is not in PATH",
    );
  });

  it("is never one of a directory that PATH names relative to the current one", async () => {
    await using folder = await makeDirectory({ "docker-credential-x": "#!/bin/sh\n" });
    await Deno.chmod(`${folder.path}/docker-credential-x`, 0o755);
    const up = Deno.cwd().split("/").slice(1).map(() => "..").join("/");
    await assertRejects(() => answer("", { path: `${up}${folder.path}` }), HelperError, "PATH");
  });

  for (const name of ["../x", "x/y", "x y", ""]) {
    it(`has no name like ${JSON.stringify(name)}`, async () => {
      const source: LoginSource = { kind: "helper", name, server: "r.io" };
      const env = (): string => "/bin";
      await assertRejects(
        () => loginFrom(source, { env }, new AbortController().signal),
        HelperError,
      );
    });
  }

  it("that hangs ends with mlcli, and what it has started does not keep mlcli", async () => {
    const interruption = new AbortController();
    await using folder = await makeDirectory();
    const script = `sleep 20 &\necho begun > ${folder.path}/begun\nwait`;
    const asked = answer(script, { signal: interruption.signal });
    const rejected = assertRejects(() => asked, Error, "stop");
    await eventually(() => isFile(`${folder.path}/begun`));
    interruption.abort(new Error("stop"));
    await rejected;
  });

  it("is not asked any more after Ctrl-C", async () => {
    const signal = AbortSignal.abort(new Error("stop"));
    await assertRejects(() => answer("exec sleep 20", { signal }), Error, "stop");
  });
});
