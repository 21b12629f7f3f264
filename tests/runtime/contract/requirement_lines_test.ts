import { assertEquals } from "@std/assert";
import {
  decodeRequirements,
  type RequirementLine,
  requirementLines,
} from "../../../runtime/contract/requirement_lines.ts";
import { it, suite } from "../../helpers/suite.ts";

/** What a line names: a requirement, and a reference as `KIND PATH`. */
function meaning({ requirement, reference }: RequirementLine): string {
  const path = reference === undefined ? "" : `${reference.kind} ${reference.path}`;
  return [requirement ?? "", path].filter((part) => part !== "").join(" -> ");
}

suite("requirementLines", () => {
  const rows: readonly (readonly [line: string, expected: string])[] = [
    // Other files.
    ["-r requirements/base.txt", "requirements requirements/base.txt"],
    ["-rbase.txt", "requirements base.txt"],
    ["-r\tbase.txt", "requirements base.txt"],
    ["--requirement=x", "requirements x"],
    ["-c constraints.txt", "constraints constraints.txt"],
    ["--constraint 'my constraints.txt'", "constraints my constraints.txt"],
    ['-c "a \\"b\\".txt"', 'constraints a "b".txt'],
    ["-c a\\ b.txt", "constraints a b.txt"],
    ["-r", ""],
    ["-r a.txt -r b.txt -c c.txt --find-links w", "requirements a.txt"],
    ["-r https://example.org/x.txt", "--requirement https://example.org/x.txt"],
    ["-c /etc/pip/x.txt", "--constraint /etc/pip/x.txt"],
    ["-r ${WHERE}/x.txt", "--requirement ${WHERE}/x.txt"],
    // Packages.
    ["six", "six"],
    ['six>=1,<2 ; python_version < "3.9"  # old', 'six>=1,<2 ; python_version < "3.9"'],
    ["six==1 --hash=sha256:00 --hash sha256:01", "six==1"],
    ["six --config-settings a=b -C c=d", "six"],
    ["six -r other.txt", "six"],
    ["lib", "lib"],
    ["./lib", "./lib -> package ./lib"],
    [
      "./lib[extra] ; python_version > '3'",
      "./lib[extra] ; python_version > '3' -> package ./lib",
    ],
    [".", ". -> package ."],
    [".[dev]", ".[dev] -> package ."],
    ["../lib", "../lib -> package ../lib"],
    ["libs/own", "libs/own -> package libs/own"],
    ["x-1-py3-none-any.whl", "x-1-py3-none-any.whl -> package x-1-py3-none-any.whl"],
    // https://github.com/replicate/cog/issues/1945
    ["mylibpackage.zip", "mylibpackage.zip -> package mylibpackage.zip"],
    ["./x-1.tar.gz", "./x-1.tar.gz -> package ./x-1.tar.gz"],
    ["/opt/x-1.tar.gz", "/opt/x-1.tar.gz"],
    ["./${WHERE}/x.whl", "./${WHERE}/x.whl"],
    ["${PWD}/lib", "${PWD}/lib -> package ./lib"],
    ["file:lib", "file:lib -> package lib"],
    // https://github.com/pypa/pip/issues/312
    [
      "file:./3rdparty/south/south-latest",
      "file:./3rdparty/south/south-latest -> package ./3rdparty/south/south-latest",
    ],
    ["file:///opt/lib", "file:///opt/lib"],
    ["file://localhost/opt/lib", "file://localhost/opt/lib"],
    ["file://host/lib", "file://host/lib"],
    ["x @ file:lib", "x @ file:lib -> package lib"],
    [
      "x[a,b]@file:./lib ; python_version > '3'",
      "x[a,b]@file:./lib ; python_version > '3' -> package ./lib",
    ],
    ["x @ file://${PWD}/lib", "x @ file://${PWD}/lib -> package ./lib"],
    ["x @ file:///${PWD}/lib#egg=x", "x @ file:///${PWD}/lib#egg=x -> package ./lib"],
    // https://github.com/pareto-xyz/tutela-app/issues/68: what pip freeze says of conda's packages.
    ["brotlipy @ file:///opt/conda/work", "brotlipy @ file:///opt/conda/work"],
    ["x @ file:lib;python_version > '3'", "x @ file:lib;python_version > '3' -> package lib"],
    ["x @ https://example.org/a/x.whl", "x @ https://example.org/a/x.whl"],
    ["x @ git+https://example.org/x@main", "x @ git+https://example.org/x@main"],
    ["git+https://example.org/x.git@v1#egg=x", "git+https://example.org/x.git@v1#egg=x"],
    ["https://example.org/x-1.tar.gz", "https://example.org/x-1.tar.gz"],
    // Editable ones.
    ["-e ./lib", "-e ./lib -> package ./lib"],
    ["-elib", "-e lib -> package lib"],
    ["--editable lib[extra]", "-e lib[extra] -> package lib"],
    ["-e . -r x.txt", "-e . -> package ."],
    // https://github.com/pypa/pip/pull/4208
    [
      "-e file:./develtech/features/rst/websupport#egg=sphinxcontrib-websupport",
      "-e file:./develtech/features/rst/websupport#egg=sphinxcontrib-websupport -> package " +
      "./develtech/features/rst/websupport",
    ],
    ["-e file:lib?egg=FSPkg", "-e file:lib?egg=FSPkg -> package lib"],
    ["-e 'x @ file:lib'", "-e x @ file:lib -> package lib"],
    ["-e git+https://example.org/x#egg=x", "-e git+https://example.org/x#egg=x"],
    ["-e /opt/lib", "-e /opt/lib"],
    // Where packages come from.
    // https://github.com/astral-sh/uv/issues/21016
    ["--find-links=./private_wheels/", "find ./private_wheels/"],
    ["-f wheels -f more", "find wheels"],
    ["--find-links https://example.org/wheels", ""],
    ["--index-url https://example.org/simple --extra-index-url ${PRIVATE}/simple", ""],
    ["--no-index --pre --prefer-binary --require-hashes", ""],
    ["--no-binary :all: --find-links wheels", "find wheels"],
  ];
  for (const [line, expected] of rows) {
    it(line, () => assertEquals(requirementLines(line).map(meaning).join(), expected));
  }

  it("joins continued lines, and counts lines as pip does", () => {
    const text = [
      ...["# comment", "", "  six \\", "  --hash=a \\", "  --hash=b  # c", "a#b"],
      // A comment ends a continuation, and is not continued itself.
      ...["numpy \\", "# why \\", "scipy", "pandas\r-r x\r./lib", "last \\"],
    ].join("\r\n");
    assertEquals(requirementLines(text).map(({ line, text }) => `${line} ${text}`), [
      ...["3 six   --hash=a   --hash=b", "6 a#b", "7 numpy", "9 scipy"],
      ...["10 pandas", "11 -r x", "12 ./lib", "13 last"],
    ]);
  });
});

suite("decodeRequirements", () => {
  const bytesOf = (text: string, size: 1 | 2, isLittle = true): number[] =>
    Array.from(text).flatMap((character) => {
      const bytes = [0, 8].slice(0, size).map((shift) => character.codePointAt(0)! >> shift & 0xff);
      return isLittle ? bytes : bytes.reverse();
    });
  const utf8 = (text: string): number[] => [...new TextEncoder().encode(text)];
  const rows: readonly (readonly [title: string, bytes: readonly number[], text: string])[] = [
    ["ASCII", utf8("six\n"), "six\n"],
    ["UTF-8", utf8("# für\nsix"), "# für\nsix"],
    // https://github.com/aquasecurity/trivy/issues/5361
    ["UTF-8 with a mark", utf8("\ufeffsix"), "six"],
    ["a second mark, which stays", utf8("\ufeff\ufeffsix"), "\ufeffsix"],
    // https://github.com/pypa/pip/issues/733, and
    // https://github.com/serverless/serverless-python-requirements/issues/442: of PowerShell.
    ["UTF-16", bytesOf("\ufeffDjango==1.4.2\r\n", 2), "Django==1.4.2\r\n"],
    ["big-endian UTF-16", bytesOf("\ufeffsix", 2, false), "six"],
    [
      "a named encoding",
      bytesOf("# -*- coding: latin-1 -*-\n# für", 1),
      "# -*- coding: latin-1 -*-\n# für",
    ],
    [
      "one in the second line",
      bytesOf("\n# vim: set fileencoding=cp1252\n# ü", 1),
      "\n# vim: set fileencoding=cp1252\n# ü",
    ],
    ["none in the third line", utf8("\n\n# coding: latin-1\n# ü"), "\n\n# coding: latin-1\n# ü"],
    ["an unknown encoding", bytesOf("# coding: klingon\nü", 1), "# coding: klingon\nü"],
    // https://github.com/allenai/deep_qa/pull/375
    ["other bytes", bytesOf("# a\xa0b\nsix", 1), "# a\xa0b\nsix"],
    ["nothing", [], ""],
  ];
  for (const [title, bytes, text] of rows) {
    it(title, () => assertEquals(decodeRequirements(new Uint8Array(bytes)), text));
  }
});
