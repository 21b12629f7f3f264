import { assertEquals, assertThrows } from "@std/assert";
import { MlcliError } from "../../../runtime/errors.ts";
import { chosenBuilder } from "../../../runtime/image/builder.ts";
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
    assertThrows(() => chosenBuilder(engine, () => "yes"), MlcliError, 'and it is "yes"');
  });
});
