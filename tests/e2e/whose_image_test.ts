import { assertEquals, assertStringIncludes } from "@std/assert";
import { completeApp, type TestApp } from "../helpers/app.ts";
import { buildTestImage, removeImage, TEST_IMAGE } from "../helpers/engine.ts";
import { beforeAll, it, suite } from "../helpers/suite.ts";

/** An app with its image's name, as its repository has it. */
function appOf(name: string, image: string): Promise<TestApp> {
  return completeApp({
    name,
    configuration: { image_name: image },
    files: {
      Dockerfile: `FROM ${TEST_IMAGE}\n` +
        `COPY ${name}/mlcli_base/training/ /opt/program/training/\n`,
      "training/training.py": "def train(data, model):\n    open(f'{model}/m', 'w').close()\n",
    },
  });
}

suite("another app's image, on the engine", () => {
  beforeAll(buildTestImage);

  it("is neither replaced nor run by an app that uses the same image name", async () => {
    const image = `payments-${crypto.randomUUID().slice(0, 8)}`;
    await using payments = await appOf(image, image);
    await using clone = await appOf(`clone-${image}`, image);
    const errorOf = async (app: TestApp, ...args: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await app.run(args);
      assertEquals([code, stdout], [1, ""], stderr);
      return stderr.split("\n")[0]!;
    };
    const foreign = `error: ${image}:latest belongs to another app: `;
    try {
      assertEquals((await payments.run(["build"])).code, 0);
      assertEquals(await errorOf(clone, "build"), foreign + image);
      for (
        const args of [
          ["train"],
          ["train", "--strict"],
          ["process", "-f", "p.py"],
          ["deploy", "-p", "0"],
          ["shell", "train", "--", "true"],
        ]
      ) {
        assertEquals(await errorOf(clone, "local", ...args), foreign + image);
      }
      const own = await payments.run(["local", "train", "--strict"]);
      assertEquals(own.code, 0, own.stderr);

      // What was asked for.
      assertEquals((await clone.run(["build", "--replace"])).code, 0);
      assertEquals(
        await errorOf(payments, "local", "train", "--strict"),
        `${foreign}clone-${image}`,
      );
    } finally {
      await removeImage(`${image}:latest`);
    }
  });

  it("of the same name in another directory is said, and no --strict takes it", async () => {
    const image = `payments-${crypto.randomUUID().slice(0, 8)}`;
    await using payments = await appOf(image, image);
    await using clone = await appOf(image, image);
    const elsewhere =
      `warning: ${image}:latest was not built from this directory, so its code might differ`;
    try {
      assertEquals((await payments.run(["build"])).code, 0);
      const taken = await clone.run(["build"]);
      assertEquals(taken.code, 0);
      assertStringIncludes(taken.stderr, `${elsewhere}\nhint: `);
      const trained = await payments.run(["local", "train"]);
      assertEquals(trained.code, 0, trained.stderr);
      assertStringIncludes(
        trained.stderr,
        `${elsewhere}\nhint: To rebuild it from the code in this directory, `,
      );
      assertEquals((await payments.run(["local", "train", "--strict"])).code, 1);
      assertEquals((await clone.run(["local", "train", "--strict"])).code, 0);
    } finally {
      await removeImage(`${image}:latest`);
    }
  });
});
