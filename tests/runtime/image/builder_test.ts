import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { MlcliError } from "../../../runtime/errors.ts";
import { chosenBuilder, ownerOfContext } from "../../../runtime/image/builder.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("the builder", () => {
  const engine = { builder: "buildkit", isPodman: false, inStudio: false } as const;
  const studio = { builder: "classic", isPodman: false, inStudio: true } as const;
  for (
    const [title, having, asked, chosen] of [
      ["the engine's", engine, undefined, "buildkit"],
      ["the engine's where nothing is asked for", engine, "", "buildkit"],
      ["the classic one with DOCKER_BUILDKIT=0", engine, "0", "classic"],
      ["the classic one with DOCKER_BUILDKIT=False", engine, "False", "classic"],
      ["BuildKit with DOCKER_BUILDKIT=1", { ...engine, builder: "classic" }, "1", "buildkit"],
      ["Podman's own", { ...engine, builder: "classic", isPodman: true }, "1", "classic"],
      ["the classic one in SageMaker Studio", studio, "1", "classic"],
    ] as const
  ) {
    it(`is ${title}`, () => assertEquals(chosenBuilder(having, () => asked), chosen));
  }

  it("is nothing else", () => {
    assertThrows(() => chosenBuilder(engine, () => "yes"), MlcliError, 'but is "yes"');
  });
});

suite("what is sent to a builder", () => {
  const userns = {
    SecurityOptions: ["name=userns"],
    DockerRootDir: "/var/lib/docker/231072.231073",
  };
  const docker = { isPodman: false, inStudio: false, info: () => Promise.resolve(userns) };
  const none = () => Promise.reject(new Error("asked for nothing"));
  for (
    const [title, engine, builder, owner] of [
      ["the namespace's root, for BuildKit", docker, "buildkit", { uid: 231072, gid: 231073 }],
      ["root, for the classic builder", { ...docker, info: none }, "classic", undefined],
      ["root, on Podman", { ...docker, isPodman: true, info: none }, "buildkit", undefined],
      ["root, in Studio", { ...docker, inStudio: true, info: none }, "buildkit", undefined],
      [
        "root, where there is no user namespace",
        { ...docker, info: () => Promise.resolve({ DockerRootDir: "/data/1.2" }) },
        "buildkit",
        undefined,
      ],
    ] as const
  ) {
    it(`belongs to ${title}`, async () => {
      assertEquals(await ownerOfContext(engine, builder), owner);
    });
  }

  it("is refused where nobody says who the namespace's root is", async () => {
    const info = () => Promise.resolve({ ...userns, DockerRootDir: "/var/lib/docker" });
    await assertRejects(
      () => ownerOfContext({ ...docker, info }, "buildkit"),
      MlcliError,
      "The Docker Engine did not report the root user of its user namespace",
    );
  });
});
