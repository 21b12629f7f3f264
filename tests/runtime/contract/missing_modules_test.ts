import { assertEquals } from "@std/assert";
import {
  DISTRIBUTIONS,
  missingModule,
  missingModuleHint,
  requirementNames,
  STANDARD,
} from "../../../runtime/contract/missing_modules.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("missingModule", () => {
  const rows: readonly (readonly [line: string, module: string | undefined])[] = [
    ["ModuleNotFoundError: No module named 'sklearn'", "sklearn"],
    ["algo-1 | ModuleNotFoundError: No module named 'größe.a'", "größe.a"],
    ["ImportError: cannot import name 'x' from 'y'", undefined],
    ["ModuleNotFoundError: No module named '\x1b[2J'", undefined],
    ["ModuleNotFoundError: No module named '.torch'", undefined],
    ["MyModuleNotFoundError: No module named 'a'", undefined],
  ];
  for (const [line, module] of rows) {
    it(JSON.stringify(line), () => assertEquals(missingModule(line), module));
  }
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
  const own = (module: string) => `If it is your own module, put it in common/${module}.py.`;
  const meant = (module: string, name: string) => `Did you mean ${name}? ${own(module)}`;
  const unknown = (module: string) =>
    `${
      own(module)
    } If it belongs to a package, its documentation says what to add to the requirements.`;
  const spelt = (above: string, module: string) =>
    `${above} exists, but has no module ${module}. Check the spelling and the version.`;
  const base = (module: string) =>
    `The image's Python has no module ${module}. Use another base image.`;
  const names = ["features", "scikit-learn", "pyyaml", "tsfresh", "typing-extensions"];
  const rows: readonly (readonly [module: string, hint: string])[] = [
    ...[["sklearn", "scikit-learn"], ["cv2", "opencv-python-headless"], ["PIL", "Pillow"]],
    ...[["yaml", "PyYAML"], ["bs4", "beautifulsoup4"], ["dateutil", "python-dateutil"]],
    ...[["pandas", "pandas"], ["distutils", "setuptools"]],
    ["sklearn.cross_validation", "another version of scikit-learn"],
    ["google.cloud.storage", "google-cloud-storage"],
    ["google.cloud.storage.blobs", "another version of google-cloud-storage"],
    ["google.cloud", spelt("google", "google.cloud")],
    ["google.cloud.stroage", spelt("google.cloud", "google.cloud.stroage")],
    ["features.clean.x", spelt("features.clean", "features.clean.x")],
    ["concurrent.future", spelt("concurrent", "concurrent.future")],
    ["jobblib", meant("jobblib", "joblib")],
    ["sklaern", meant("sklaern", "sklearn")],
    ["scikit_learn", meant("scikit_learn", "sklearn")],
    ["pyyaml", meant("pyyaml", "yaml")],
    ["pil", unknown("pil")],
    ["\u0455klearn", meant("\u0455klearn", "sklearn")],
    ["pathlb", meant("pathlb", "pathlib")],
    ["featurse", meant("featurse", "features")],
    ["tsfersh", meant("tsfersh", "tsfresh")],
    ["typing_extension", meant("typing_extension", "typing_extensions")],
    ["tomllib", base("tomllib")],
    ["_sqlite3", base("_sqlite3")],
    // Nobody means the module that is missing, nor one of few letters.
    ["tsfresh", unknown("tsfresh")],
    ["ops", unknown("ops")],
    ["google", unknown("google")],
    ["constructor", unknown("constructor")],
  ] as const;
  for (const [module, hint] of rows) {
    it(`${module}: ${hint}`, () => {
      assertEquals(
        missingModuleHint(
          { module, names, own: `common/${module}.py` },
          (requirement, isPart) => isPart ? `another version of ${requirement}` : requirement,
        ),
        hint,
      );
    });
  }
});

suite("the well-known modules", () => {
  const rows: readonly (readonly [module: string, distribution: string | undefined])[] = [
    ["pandas", "pandas"],
    ["sklearn", "scikit-learn"],
    ["google.protobuf", "protobuf"],
    ["zmq", "pyzmq"],
    // The index has packages of these names.
    ...["google", "features", "utils"].map((name) => [name, undefined] as const),
    ["constructor", undefined],
  ];
  for (const [module, distribution] of rows) {
    it(`"${module}" is of ${distribution}`, () => {
      assertEquals(DISTRIBUTIONS.get(module), distribution);
    });
  }

  it("are Python's own or a distribution's, and have names as an index has them", () => {
    const names = [...DISTRIBUTIONS].flat();
    assertEquals(names.filter((name) => !/^[\w.]+(-[\w.]+)*$/.test(name)), []);
    assertEquals([...DISTRIBUTIONS.keys()].filter((name) => STANDARD.has(name)), []);
    assertEquals(["os", "zoneinfo", ""].map((name) => STANDARD.has(name)), [true, true, false]);
  });
});
