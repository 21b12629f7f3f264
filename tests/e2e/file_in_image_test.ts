import { assertEquals, assertRejects } from "@std/assert";
import { requireFileInImage } from "../../runtime/cloud/preflight/script.ts";
import { MlcliError } from "../../runtime/errors.ts";
import { buildImage, removeImage, withEngine } from "../helpers/engine.ts";
import { it, suite } from "../helpers/suite.ts";

/** The containers that were made to look into the image. (Tests beside this one look into others.) */
async function lookers(image: string): Promise<readonly string[]> {
  const containers = await withEngine((engine) => engine.listContainers(["mlcli.role=look"]));
  return containers.filter(({ Image }) => Image === image).map(({ Id }) => Id);
}

suite("a file in an image", () => {
  it("is found, or the error says where it was looked for; no container is left", async () => {
    const image = `test-${crypto.randomUUID()}:v1`;
    // Without a program.
    const Dockerfile = "FROM scratch\nCOPY p.py /code/p.py\nCOPY p.py /code/more/q.py\n";
    await buildImage(image, { Dockerfile, "p.py": "" });
    try {
      await withEngine(async (engine) => {
        await requireFileInImage(engine, image, "/code/p.py");
        await requireFileInImage(engine, image, "/code/more/q.py");
        const hint = "SageMaker runs the scripts in the image. After each change in processing/, " +
          "run mlcli build, then mlcli push.";
        for (
          const [path, message] of [
            [
              "/code/q.py",
              `Processing file not found: q.py (${image} does not contain /code/q.py)`,
            ],
            [
              "/none/p.py",
              `Processing file not found: p.py (${image} does not contain /none/p.py)`,
            ],
            ["/code/more", `Processing file not found: more is a directory in ${image}`],
          ] as const
        ) {
          const error = await assertRejects(
            () => requireFileInImage(engine, image, path),
            MlcliError,
          );
          assertEquals([error.message, error.hint], [message, hint]);
        }
      });
      assertEquals(await lookers(image), []);
    } finally {
      await removeImage(image);
    }
  });
});
