import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { failureOf } from "../../runtime/docker/messages.ts";
import { makeApp, type TestApp } from "../helpers/app.ts";
import { RegistryProcess } from "../helpers/box/registry.ts";
import { baseImage, buildImage, removeImage, withEngine } from "../helpers/engine.ts";
import { afterAll, beforeAll, it, suite } from "../helpers/suite.ts";

/** Of the registry's own making: tests/helpers/box/registry.ts. */
const [USER, PASSWORD] = ["AWS", "behind-the-front"];

/** Pushes a small image to the registry and takes it away from the engine. */
async function putAway(name: string): Promise<void> {
  await buildImage(name, { Dockerfile: `FROM ${baseImage()}\nRUN echo private > /private\n` });
  await withEngine(async (engine) => {
    const [serveraddress = ""] = name.split("/");
    const login = { username: USER, password: PASSWORD, serveraddress };
    const { signal } = new AbortController();
    for await (const message of engine.push({ name, tag: "latest", login, signal })) {
      assertEquals(failureOf(message), undefined);
    }
  });
  await removeImage(name);
}

suite("a private base image", () => {
  let registry: RegistryProcess;
  let image = "";

  beforeAll(async () => {
    registry = await RegistryProcess.start();
    image = `${new URL(registry.url).host}/team/base`;
    await putAway(image);
  });

  afterAll(async () => {
    await removeImage(image);
    await registry[Symbol.asyncDispose]();
  });

  async function appOn(configuration: unknown): Promise<TestApp> {
    const app = await makeApp({
      configuration: { base_image: image },
      files: {
        // Another step each time, so that it is not in the cache.
        Dockerfile: "ARG BASE_IMAGE\nFROM ${BASE_IMAGE}\n" +
          `RUN echo ${crypto.randomUUID()}; cat /private\n`,
        "../../requirements.txt": "",
        "../../docker/config.json": JSON.stringify(configuration),
      },
    });
    const helper = `#!/bin/sh\necho '{"Username":"${USER}","Secret":"${PASSWORD}"}'\n`;
    await app.write(`${app.directory}/bin/docker-credential-e2e`, helper);
    await Deno.chmod(`${app.directory}/bin/docker-credential-e2e`, 0o755);
    return app;
  }

  const host = (): string => image.split("/")[0]!;
  const rows = [
    ["auths", () => ({ auths: { [host()]: { auth: btoa(`${USER}:${PASSWORD}`) } } })],
    ["a helper", () => ({ credHelpers: { [host()]: "e2e" } })],
  ] as const;
  for (const [title, configuration] of rows) {
    it(`is built upon with the login of ${title}`, async () => {
      await using app = await appOn(configuration());
      const env = {
        DOCKER_CONFIG: `${app.directory}/docker`,
        PATH: `${app.directory}/bin:${Deno.env.get("PATH")}`,
      };
      const { code, stdout, stderr } = await app.run(["build"], { env });
      for (const name of [app.name, image]) await removeImage(name);
      assertEquals([code, stdout], [0, `${app.name}:latest\n`], stderr);
      assertMatch(stderr, new RegExp(`Pulling ${image}\\b`));
      assertMatch(stderr, /\bprivate$/m);
      assertEquals(stderr.includes(PASSWORD), false);
    });
  }

  it("is refused with a wrong login, and without one", async () => {
    await using app = await appOn({ auths: { [host()]: { auth: btoa(`${USER}:wrong`) } } });
    const env = { DOCKER_CONFIG: `${app.directory}/docker` };
    const wrong = await app.run(["build"], { env });
    assertEquals([wrong.code, wrong.stdout], [1, ""]);
    assertMatch(wrong.stderr, new RegExp(`^error: Cannot pull ${image}: .*`, "m"));
    assertStringIncludes(wrong.stderr, `docker login ${host()}. `);
    const without = await app.run(["build"], { env: { DOCKER_CONFIG: "/nowhere" } });
    assertEquals([without.code, without.stdout], [1, ""]);
    assertStringIncludes(without.stderr, `docker login ${host()}, then try again.`);
  });
});
