import { assertEquals, assertMatch } from "@std/assert";
import type { ImageStart } from "../../../runtime/contract/entry_point.ts";
import {
  brokenRules,
  type FileInImage,
  filesToLookAt,
  LOOKED_AT,
} from "../../../runtime/contract/image_rules.ts";
import { it, suite } from "../../helpers/suite.ts";

type Files = Readonly<Record<string, string | FileInImage>>;

/** A text is that of a program. */
function broken(image: ImageStart, files: Files = {}, hidden: readonly string[] = []): string[] {
  const all = Object.entries(files).map(([path, file]) =>
    [path, typeof file === "string" ? { isExecutable: true, start: file } : file] as const
  );
  return brokenRules("x:1", image, { files: new Map(all), hidden })
    .map(({ message, hint }) => `${message} // ${hint}`);
}

const PYTHON = "#!/usr/bin/env python3\n";
const plain = (start: string) => ({ isExecutable: false, start });
const ON_PATH = { Env: ["PATH=/opt/program:/usr/bin:/bin"], WorkingDir: "/opt/program" };
const NOT_ON_PATH = { WorkingDir: "/opt/program" };
/** Of AWS's example scikit_bring_your_own. */
const BRING_YOUR_OWN = { "/opt/program/train": PYTHON, "/opt/program/serve": PYTHON };
const BASH = { Entrypoint: ["bash", "-m", "/start.sh"] };

suite("an image keeps SageMaker's rules", () => {
  const rows: readonly (readonly [title: string, image: ImageStart, files?: Files])[] = [
    ["with train and serve in PATH, and no entry point", ON_PATH, BRING_YOUR_OWN],
    ["with train alone", ON_PATH, { "/opt/program/train": PYTHON }],
    ["with serve alone", ON_PATH, { "/opt/program/serve": PYTHON }],
    ["with a program that is no script", ON_PATH, { "/bin/train": "\x7fELF\r\n" }],
    [
      "where a file that is not executable comes before a program",
      ON_PATH,
      { "/opt/program/train": plain(PYTHON), "/usr/bin/train": PYTHON },
    ],
    ["with an entry point", { Entrypoint: ["python", "/train.py"] }, { "/usr/bin/python": "ELF" }],
    ["with an entry point that is not found", { Entrypoint: ["/gone"] }],
    ["as root by a number", { ...ON_PATH, User: "0:0" }, BRING_YOUR_OWN],
    ["with a script that execs", BASH, { "/start.sh": plain('echo\nexec python /x.py "$@"\n') }],
    ["that execs in a branch", BASH, { "/start.sh": plain("if x; then exec python x; fi") }],
    ["that handles SIGTERM itself", BASH, {
      "/start.sh": plain("trap stop TERM\npython x &\nwait"),
    }],
    ["that is too long to be read whole", BASH, { "/start.sh": plain("#".padEnd(LOOKED_AT)) }],
    ["with a script of Python", { Entrypoint: ["/start"] }, { "/start": PYTHON }],
    [
      "of AWS's framework images",
      { Entrypoint: ["bash", "-m", "start_with_right_hostname.sh"] },
      { "/usr/local/bin/start_with_right_hostname.sh": 'if [[ "$1" = "train" ]]; then train; fi' },
    ],
    [
      "that passes its words on to a program that is there",
      { Entrypoint: ["/entry.sh"], ...ON_PATH },
      { "/entry.sh": '#!/bin/sh\nexec "$@"\n', ...BRING_YOUR_OWN },
    ],
    [
      "that chooses by the word itself",
      { Entrypoint: ["/entry.sh"] },
      { "/entry.sh": '#!/bin/sh\n[ "$1" = train ] && exec python x\nexec "$@"\n' },
    ],
  ];
  for (const [title, image, files] of rows) {
    it(title, () => assertEquals(broken(image, files), []));
  }
});

suite("an image breaks SageMaker's rules", () => {
  const rows: readonly (readonly [
    title: string,
    image: ImageStart,
    files: Files,
    ...expected: readonly RegExp[],
  ])[] = [
    [
      "with an entry point in shell form",
      { Entrypoint: ["/bin/sh", "-c", "python /x.py"] },
      {},
      /^The ENTRYPOINT of x:1 is a shell: it drops the arguments train and serve .*SIGTERM/,
    ],
    [
      "with bash -m and no exec",
      BASH,
      { "/start.sh": plain("# exec python\nexec 2>&1\npython /x.py\n") },
      /^\/start\.sh, the ENTRYPOINT of x:1, is a shell script without exec: .*SIGTERM.* \/\/ .*: exec /,
    ],
    [
      "with a script for a shell and no exec",
      { Entrypoint: ["/start.sh"] },
      { "/start.sh": "#!/usr/bin/env bash\npython x\n" },
      /^\/start\.sh, .* without exec/,
    ],
    [
      "with neither train nor serve",
      ON_PATH,
      {},
      /^SageMaker cannot start x:1: it has no ENTRYPOINT for .*, and no programs with these names in its PATH \/\/ .* training with --entry-point, work without them\.$/,
    ],
    ["with an init alone", { Entrypoint: ["tini", "--"] }, {}, /no programs with these names/],
    [
      "with an entry point that passes its words on to nothing",
      { Entrypoint: ["/entry.sh"] },
      { "/entry.sh": '#!/bin/sh\nexec "$@"\n' },
      /no programs with these names/,
    ],
    [
      "with train beside PATH",
      NOT_ON_PATH,
      { ...BRING_YOUR_OWN },
      /^mlcli train requires the program train in the PATH of x:1, but the program is at \/opt\/program\/train \/\/ .*: ENV PATH="\/opt\/program:\$\{PATH\}"$/,
      /^mlcli deploy requires the program serve in the PATH of x:1, but the program is at \/opt\/program\/serve/,
    ],
    [
      "with train that is not executable",
      ON_PATH,
      { "/opt/program/train": plain(PYTHON), "/opt/program/serve": PYTHON },
      /^SageMaker cannot start \/opt\/program\/train of x:1: .* not executable \/\/ .*: RUN chmod \+x \/opt\/program\/train$/,
    ],
    [
      "with an entry point that is not executable",
      { Entrypoint: ["/start"] },
      { "/start": plain(PYTHON) },
      /^SageMaker cannot start \/start of x:1: the file is not executable/,
    ],
    [
      "with line ends of Windows in train",
      ON_PATH,
      { "/opt/program/train": "#!/bin/sh\r\nx\r\n" },
      /^\/opt\/program\/train of x:1 has Windows line endings \(CRLF\), so .* \/\/ .*: RUN sed -i 's\/\\r\$\/\/' \/opt\/program\/train$/,
    ],
    [
      "with line ends of Windows in a script that a shell is given",
      BASH,
      { "/start.sh": plain("set -e\r\nexec python x\r\n") },
      /^\/start\.sh of x:1 has Windows line endings/,
    ],
    [
      "with line ends of Windows in the entry point, said once",
      { Entrypoint: ["/opt/program/train"], ...ON_PATH },
      { "/opt/program/train": "#!/usr/bin/env python3\r\n" },
      /^\/opt\/program\/train of x:1 has Windows line endings/,
    ],
    [
      "as another user than root",
      { ...ON_PATH, User: "app\u001b[2J" },
      BRING_YOUR_OWN,
      /^x:1 runs as user app\?\[2J, but .* in \/opt\/ml belong to root, so a training job might fail to save its model \/\/ .*USER root$/,
    ],
  ];
  for (const [title, image, files, ...expected] of rows) {
    it(title, () => {
      const found = broken(image, files);
      assertEquals(found.length, expected.length, found.join("\n"));
      for (const [index, words] of expected.entries()) assertMatch(found[index]!, words);
    });
  }

  it("with files where SageMaker mounts", () => {
    assertMatch(
      broken(ON_PATH, BRING_YOUR_OWN, ["/opt/ml/model/weights.bin"]).join(),
      /^SageMaker mounts a directory over \/opt\/ml\/model\/weights\.bin of x:1, so the code cannot read this file/,
    );
  });
});

suite("what of an image is looked at", () => {
  it("is where train, serve and the entry point may lie", () => {
    const image = { Entrypoint: ["/start.sh"], Env: ["PATH=/bin:/opt"], WorkingDir: "/opt" };
    assertEquals(filesToLookAt(image), [
      "/bin/train",
      "/opt/train",
      "/bin/serve",
      "/opt/serve",
      "/start.sh",
    ]);
  });
});
