import { assertEquals } from "@std/assert";
import { withoutOptionalMounts } from "../../../../runtime/app/dockerfile/optional_mounts.ts";
import { it, suite } from "../../../helpers/suite.ts";

const NETWORK = "--mount=type=bind,source=.mlcli-build,target=/run/mlcli-build";

suite("withoutOptionalMounts", () => {
  for (
    const [title, dockerfile, expected] of [
      ["a cache", "RUN --mount=type=cache,target=/c pip install x", "RUN  pip install x"],
      ["a cache named otherwise", "RUN --mount=target=/c,type=cache x", "RUN  x"],
      [
        "what mlcli hands over",
        `FROM a\nRUN ${NETWORK} /opt/mlcli/install`,
        "FROM a\nRUN  /opt/mlcli/install",
      ],
      [
        "options in several lines, which stay",
        `run --mount=type=cache,target=/c \\\r\n # why\n  ${NETWORK} \\\n  x --mount=type=cache y\nUSER me`,
        "run  \\\r\n # why\n   \\\n  x --mount=type=cache y\nUSER me",
      ],
      [
        "the same option twice",
        "RUN --mount=type=cache,target=/c --mount=type=cache,target=/c x",
        "RUN   x",
      ],
      // Without these, the step does something else.
      ["no cache of another image", "RUN --mount=type=cache,from=a,target=/c x", undefined],
      ["no other directory", "RUN --mount=type=bind,source=data,target=/d x", undefined],
      ["no secret", "RUN --mount=type=secret,id=k x", undefined],
      ["no network", "RUN --network=none x", undefined],
      ["no other instruction", "LABEL --mount=type=cache,target=/c x", undefined],
    ] as const
  ) {
    it(`takes out ${title}`, () => {
      assertEquals(withoutOptionalMounts(dockerfile), expected ?? dockerfile);
    });
  }
});
