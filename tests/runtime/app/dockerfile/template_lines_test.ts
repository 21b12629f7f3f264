import { assertEquals } from "@std/assert";
import { instructionsOf } from "../../../../runtime/app/dockerfile/instructions.ts";
import { COMMON_LINE } from "../../../../runtime/app/dockerfile/template_lines.ts";
import { readTemplate } from "../../../../runtime/image/template_files.ts";
import { it, suite } from "../../../helpers/suite.ts";

suite("whether a Dockerfile copies what the roles share", () => {
  const rows: readonly (readonly [string, boolean])[] = [
    [COMMON_LINE.line, true],
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
    [`# ${COMMON_LINE.line}`, false],
    [`RUN echo ${COMMON_LINE.line}`, false],
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
      assertEquals(COMMON_LINE.isDone(instructionsOf(dockerfile), "flats"), expected);
    });
  }

  it("the template does", async () => {
    const template = await readTemplate("Dockerfile");
    assertEquals(template.includes(`\n${COMMON_LINE.line}\n`), true);
    assertEquals(COMMON_LINE.isDone(instructionsOf(template), "flats"), true);
  });
});
