import { assertEquals, assertMatch } from "@std/assert";
import { makeApp } from "../helpers/app.ts";
import { baseImage, removeImage } from "../helpers/engine.ts";
import { it, suite } from "../helpers/suite.ts";

suite("the engine's builder", () => {
  it("understands RUN --mount", async () => {
    const cached = crypto.randomUUID();
    const mount = `RUN --mount=type=cache,id=${cached},target=/cache `;
    await using app = await makeApp({
      configuration: { base_image: baseImage() },
      files: {
        Dockerfile: `ARG BASE_IMAGE\nFROM \${BASE_IMAGE}\n${mount}echo kept > /cache/file\n` +
          `${mount}echo found: $(cat /cache/file)\nRUN test -z "$(ls -A /cache)"\n`,
        "../../requirements.txt": "",
      },
    });
    const { code, stdout, stderr } = await app.run(["build"]);
    await removeImage(app.name);
    assertEquals([code, stdout], [0, `${app.name}:latest\n`], stderr);
    assertMatch(stderr, /\bfound: kept$/m);
  });

  it("build runs a step without its optional secret, for which BuildKit would need a session", async () => {
    await using app = await makeApp({
      configuration: { base_image: baseImage() },
      files: {
        Dockerfile: "ARG BASE_IMAGE\nFROM ${BASE_IMAGE}\n" +
          "RUN --mount=type=secret,id=token echo found: $(ls /run/secrets)\n",
        "../../requirements.txt": "",
      },
    });
    const { code, stderr } = await app.run(["build"]);
    await removeImage(app.name);
    assertEquals(code, 0, stderr);
    assertMatch(stderr, /^note: Building without the optional secrets in \S+, line 3: /m);
  });
});
