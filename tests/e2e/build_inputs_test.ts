import { join } from "@std/path";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { makeDirectory } from "../helpers/directory.ts";
import { makeApp, type TestApp } from "../helpers/app.ts";
import { runToEnd } from "../helpers/container.ts";
import { baseImage, removeImage } from "../helpers/engine.ts";
import { it, suite } from "../helpers/suite.ts";

const STAGES = `
ARG BASE_IMAGE
FROM \${BASE_IMAGE} AS one
ARG GREETING
ENV GREETING=\${GREETING}
ENTRYPOINT ["sh", "-c", "echo $GREETING, $STAGE"]
ENV STAGE=one
FROM one AS two
ENV STAGE=two
COPY data/x.csv /x
`;

function stagedApp(): Promise<TestApp> {
  return makeApp({
    configuration: { base_image: baseImage() },
    files: { Dockerfile: STAGES, "../../requirements.txt": "", "../../data/x.csv": "1" },
  });
}

suite("the context and the options of mlcli build", () => {
  it("takes --target, --build-arg and --dockerfile, whatever .dockerignore says", async () => {
    await using app = await stagedApp();
    await using outside = await makeDirectory();
    try {
      await Deno.rename(app.path("Dockerfile"), join(outside.path, "Dockerfile"));
      await app.write(join(app.directory, ".dockerignore"), "*\n");
      const { code, stdout, stderr } = await app.run(
        [
          ...["build", "--target", "ONE", "--build-arg", "GREETING"],
          ...["--dockerfile", join(outside.path, "Dockerfile")],
        ],
        { env: { GREETING: "good morning" } },
      );
      assertEquals([code, stdout], [0, `${app.name}:latest\n`], stderr);
      const { log } = await runToEnd({
        Image: `${app.name}:latest`,
        Cmd: [],
        Labels: {},
        HostConfig: { AutoRemove: false, Mounts: [] },
      });
      assertEquals(log, "good morning, one\n");
    } finally {
      await removeImage(`${app.name}:latest`);
    }
  });

  for (const [builder, value] of [["BuildKit", "1"], ["the classic builder", "0"]] as const) {
    it(`fails where COPY names a file that is not sent, and says why: ${builder}`, async () => {
      await using app = await stagedApp();
      const { code, stdout, stderr } = await app.run(["build"], {
        env: { DOCKER_BUILDKIT: value },
      });
      assertEquals([code, stdout], [1, ""]);
      assertStringIncludes(
        stderr,
        "error: Build failed: the build context does not contain data/x.csv\n" +
          `hint: Move data/x.csv into ${app.name}/, the only directory that a build sends, and ` +
          "add ${APP}/ before its path\n",
      );
    });
  }
});
