import { assertEquals } from "@std/assert";
import {
  distributionOf,
  missingModule,
  missingModuleHint,
  requirementNames,
} from "../../../runtime/contract/missing_modules.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("missingModule", () => {
  const rows: readonly (readonly [line: string, module: string | undefined])[] = [
    ["ModuleNotFoundError: No module named 'sklearn'", "sklearn"],
    ["algo-1 | ModuleNotFoundError: No module named 'größe.a'", "größe.a"],
    ["ImportError: cannot import name 'x' from 'y'", undefined],
    ["ModuleNotFoundError: No module named '\x1b[2J'", undefined],
    ["MyModuleNotFoundError: No module named 'a'", undefined],
  ];
  for (const [line, module] of rows) {
    it(JSON.stringify(line), () => assertEquals(missingModule(line), module));
  }
});

suite("distributionOf", () => {
  it("knows those with another name, and takes the module's for others", () => {
    assertEquals(
      ["sklearn.linear_model", "cv2", "PIL", "yaml", "bs4", "dateutil", "pandas", "constructor"]
        .map(distributionOf),
      [
        ...["scikit-learn", "opencv-python-headless", "Pillow", "PyYAML", "beautifulsoup4"],
        ...["python-dateutil", "pandas", "constructor"],
      ],
    );
  });
});

suite("requirementNames", () => {
  const rows: readonly (readonly [line: string, names: readonly string[]])[] = [
    ["Scikit_Learn[alldeps]>=1.4; python_version > '3.8'", ["scikit-learn", "3-8"]],
    ["  pandas  # scikit-learn comes later", ["pandas"]],
    ["# scikit-learn", []],
    ["-r other.txt", []],
    ['  "scikit-learn>=1", "pandas",', ["scikit-learn", "pandas"]],
    ['name = "scikit-learn"', ["scikit-learn"]],
    ['dependencies = ["scikit-learn", "numpy"]', ["dependencies", "scikit-learn", "numpy"]],
  ];
  for (const [line, names] of rows) {
    it(line, () => assertEquals([...requirementNames(line)], [...names]));
  }
});

suite("missingModuleHint", () => {
  const asked = {
    module: "sklearn",
    file: "requirements.txt",
    text: "pandas\n",
    isLock: false,
    isBuilt: true,
  };
  const rows: readonly (readonly [name: string, more: Partial<typeof asked>, hint: string])[] = [
    ["not asked for", {}, "Add scikit-learn to requirements.txt, then mlcli build."],
    [
      "asked for",
      { text: "pandas\nscikit-learn==1.4\n" },
      "scikit-learn is in requirements.txt, but not in the image: mlcli build.",
    ],
    [
      "not asked for in a project of uv",
      { file: "pyproject.toml", text: 'dependencies = [\n  "pandas"]', isLock: true },
      "Add scikit-learn to pyproject.toml and its lock (uv add scikit-learn), then mlcli build.",
    ],
    [
      "asked for in a project of uv",
      { file: "pyproject.toml", text: 'dependencies = ["scikit-learn>=1"]', isLock: true },
      "scikit-learn is in pyproject.toml, but not in the image: mlcli build.",
    ],
    ["somebody else's image", { isBuilt: false }, "Install scikit-learn in the image."],
    [
      "a part of what is there",
      { module: "sklearn.cross_validation" },
      "The scikit-learn in the image has no sklearn.cross_validation. Another version may: set it " +
      "in requirements.txt, then mlcli build.",
    ],
    [
      "a part of Python",
      { module: "_sqlite3" },
      "The image's Python has no _sqlite3: take another base image.",
    ],
  ];
  for (const [name, more, hint] of rows) {
    it(name, () => assertEquals(missingModuleHint({ ...asked, ...more }), hint));
  }
});
