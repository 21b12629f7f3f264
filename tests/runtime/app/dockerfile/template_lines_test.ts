import { assertEquals } from "@std/assert";
import { instructionsOf } from "../../../../runtime/app/dockerfile/instructions.ts";
import {
  COMMON_LINE,
  copiesCommon,
  withoutOptionalMounts,
} from "../../../../runtime/app/dockerfile/template_lines.ts";
import { readTemplate } from "../../../../runtime/image/scaffold.ts";
import { it, suite } from "../../../helpers/suite.ts";

suite("whether a Dockerfile copies what the roles share", () => {
  const rows: readonly (readonly [string, boolean])[] = [
    [COMMON_LINE, true],
    ["COPY $APP/mlcli_base/common /opt/program/common", true],
    ["ADD ./flats/mlcli_base/common/ /opt/program/common/", true],
    ["COPY /flats/mlcli_base/common/ /opt/program/common/", true],
    ['COPY ["${APP}/mlcli_base/common/", "/opt/program/common/"]', true],
    ["COPY --chown=1000 ${APP}/mlcli_base/common/ \\\n  /opt/program/common/", true],
    ["COPY ${APP}/mlcli_base/common/features.py /opt/program/common/", true],
    ["COPY ${APP}/mlcli_base/common/a.py /opt/program/common/a.py", true],
    ["COPY ${APP}/mlcli_base/ /opt/program/", true],
    ["COPY ${APP}/ /opt/program/", false],
    // Relative to a directory, or into a place, that only the engine knows.
    ["COPY ${APP}/mlcli_base/common/ common/", true],
    ["COPY ${APP}/mlcli_base/common/ ${PLACE}/", true],
    ["COPY ${APP}/mlcli_base/comm?n/ /opt/program/common/", true],
    ["COPY ${CODE}/common/ /opt/program/common/", true],

    ["", false],
    [`# ${COMMON_LINE}`, false],
    [`RUN echo ${COMMON_LINE}`, false],
    ["COPY --from=base ${APP}/mlcli_base/common/ /opt/program/common/", false],
    ["COPY ${APP}/mlcli_base/common/ /opt/elsewhere/", false],
    ["COPY ${APP}/mlcli_base/training/ /opt/program/training/", false],
    ["COPY ${APP}/mlcli_base/commons/ /opt/program/common/", false],
    ["COPY . /context", false],
    ["COPY other/mlcli_base/common/ /opt/program/common/", false],
    ["COPY ${APP}/mlcli_base/${X}/ /opt/program/training/", false],
  ];
  for (const [dockerfile, expected] of rows) {
    it(`${expected ? "it does" : "it does not"}: ${dockerfile}`, () => {
      assertEquals(copiesCommon(instructionsOf(dockerfile), "flats"), expected);
    });
  }

  it("the template does", async () => {
    const template = await readTemplate("Dockerfile");
    assertEquals(template.includes(`\n${COMMON_LINE}\n`), true);
    assertEquals(copiesCommon(instructionsOf(template), "flats"), true);
  });
});

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
