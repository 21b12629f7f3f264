import { assertEquals, assertStringIncludes } from "@std/assert";
import { makeApp } from "../helpers/app.ts";
import { tableRows } from "../helpers/doc_table.ts";
import { removeImage, sklearnImage, withoutApp } from "../helpers/engine.ts";
import { deployed } from "../helpers/server.ts";
import { afterAll, beforeAll, it, suite } from "../helpers/suite.ts";

const IMAGE = `mlcli-test-npy-${crypto.randomUUID().slice(0, 8)}`;

const JSON_TYPE = "application/json";
const CSV = "text/csv";
const NPY = "application/x-npy";
const NPZ = "application/x-npz";

/** Serving code without input_fn and output_fn. */
const DOUBLE = `
def model_fn(model_dir): return 2
def predict_fn(data, model):
    if not isinstance(data, dict): return data * model
    return {name: array * model for name, array in data.items()}
`;

const FUNCTIONS = new URL("../../docs/reference/functions.md", import.meta.url);

/** Returns what a JSON body says in Python, and of any other body what was read of it. */
const SAID = `
import dataclasses, datetime, decimal, enum, uuid
import numpy as np, pandas as pd

@dataclasses.dataclass
class Point:
    x: int

class Colour(enum.Enum):
    RED = "red"

def model_fn(model_dir): return 1
def predict_fn(data, model):
    if isinstance(data, str): return eval(data)
    if isinstance(data, list): return {"read": repr(data)}
    return {"read": "%s %s" % (str(data.dtype).strip("<|"), data.shape)}
`;

/** Predictions of public bug reports, and what JSON has of them or the end of the error. */
const REPORTED: readonly { prediction: string; json: string }[] = [
  // https://github.com/ijl/orjson/issues/249
  { prediction: 'dict(times=np.datetime64("NaT"))', json: '{"times": null}' },
  // https://github.com/ijl/orjson/issues/175
  {
    prediction: 'pd.DataFrame({"t": pd.to_datetime([None])}).loc[0].to_dict()',
    json: '{"t": null}',
  },
  // https://github.com/plotly/plotly.py/issues/5039
  { prediction: "pd.NA", json: '{"predictions": [null]}' },
  // https://github.com/holoviz/panel/issues/8106
  {
    prediction: 'pd.DataFrame({"d": [datetime.date(2026, 1, 2), pd.NaT]})',
    json: '{"predictions": [{"d": "2026-01-02"}, {"d": null}]}',
  },
  // https://github.com/pandas-dev/pandas/issues/29074
  {
    prediction: 'pd.concat([pd.DataFrame({"id": [1]}), pd.DataFrame({"id": [2]})], axis=1)',
    json: "column names that are equal in JSON: 'id', 'id'\"}",
  },
  // https://github.com/pandas-dev/pandas/issues/13817
  {
    prediction: 'pd.DataFrame({"a": [1, 2], "c": [0.5, 0.4]})',
    json: '{"predictions": [{"a": 1, "c": 0.5}, {"a": 2, "c": 0.4}]}',
  },
  // https://github.com/pandas-dev/pandas/issues/55403
  {
    prediction: "pd.DataFrame([[7]], dtype=np.longdouble)",
    json: '{"predictions": [{"0": 7.0}]}',
  },
  // https://github.com/numpy/numpy/issues/8546
  {
    prediction: 'np.datetime64("1985-08-13", "ns")',
    json: '{"predictions": ["1985-08-13T00:00:00"]}',
  },
  // https://github.com/pandas-dev/pandas/issues/28256
  {
    prediction: 'pd.DataFrame([[pd.Timedelta("1D")]]).astype(object)',
    json: '{"predictions": [{"0": "P1D"}]}',
  },
];

/** A little-endian array of doubles, as numpy.save writes it: NEP 1, version 1.0. */
function npy(values: readonly number[]): Uint8Array<ArrayBuffer> {
  const facts = `{'descr': '<f8', 'fortran_order': False, 'shape': (${values.length},), }`;
  const header = `${facts.padEnd(128 - 10 - 1)}\n`;
  const bytes = new Uint8Array(128 + 8 * values.length);
  bytes.set([0x93, ...new TextEncoder().encode("NUMPY"), 1, 0, header.length, 0]);
  bytes.set(new TextEncoder().encode(header), 10);
  const view = new DataView(bytes.buffer);
  values.forEach((value, index) => view.setFloat64(128 + 8 * index, value, true));
  return bytes;
}

/** Asks the server on that port: status, type and body. */
async function askOn(
  port: string,
  body: Uint8Array<ArrayBuffer> | string,
  accept: string,
  type = NPY,
): Promise<readonly [number, string | null, Uint8Array<ArrayBuffer>]> {
  const response = await fetch(`http://127.0.0.1:${port}/invocations`, {
    method: "POST",
    headers: { "Content-Type": type, Accept: accept },
    body,
    signal: AbortSignal.timeout(30_000),
  });
  return [response.status, response.headers.get("Content-Type"), await response.bytes()];
}

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

suite("application/x-npy and -npz, with numpy in the image", () => {
  beforeAll(async () => {
    await using app = await makeApp({
      configuration: { image_name: IMAGE, base_image: sklearnImage() },
      files: { "../../requirements.txt": "pandas>=1.5\n" },
    });
    for (const args of [["init", app.name], ["build"]]) {
      const { code, stderr } = await app.run(args);
      assertEquals(code, 0, stderr);
    }
    await withoutApp(IMAGE);
  });
  afterAll(() => removeImage(IMAGE));

  it("need no code of the app; a damaged body is refused with 400", async () => {
    await using app = await makeApp({
      configuration: { image_name: IMAGE },
      files: { "prediction/serve": DOUBLE, "local_test/test_dir/model/model.txt": "" },
    });
    const port = await deployed(app);
    const ask = (body: Uint8Array<ArrayBuffer>, accept: string, type = NPY) =>
      askOn(port, body, accept, type);
    try {
      assertEquals(await ask(npy([1.5, 2]), NPY), [200, NPY, npy([3, 4])]);
      const [status, type, body] = await ask(npy([1.5, 2]), "*/*");
      assertEquals([status, type, text(body)], [
        200,
        "application/json",
        '{"predictions": [3.0, 4.0]}',
      ]);
      for (const broken of [npy([1, 2]).slice(0, -4), npy([]).slice(0, 20), new Uint8Array([1])]) {
        const [refused, , error] = await ask(broken, NPY);
        assertEquals(refused, 400);
        assertStringIncludes(text(error), "The body is not valid NPY: ");
      }

      const [, archiveType, archive] = await ask(npy([1.5, 2]), NPZ);
      assertEquals([archiveType, text(archive.slice(0, 2))], [NPZ, "PK"]);
      const doubled = await ask(new Uint8Array(archive), "*/*", NPZ);
      assertEquals([doubled[0], text(doubled[2])], [200, '{"predictions": [6.0, 8.0]}']);
      const again = await ask(
        new Uint8Array((await ask(new Uint8Array(archive), NPZ, NPZ))[2]),
        NPY,
        NPZ,
      );
      assertEquals(again, [200, NPY, npy([12, 16])]);
      for (const broken of [archive.slice(0, -1), npy([1])]) {
        const [refused, , error] = await ask(new Uint8Array(broken), "*/*", NPZ);
        assertEquals(refused, 400);
        assertStringIncludes(text(error), "The body is not valid NPZ: ");
      }
    } finally {
      await app.run(["local", "stop", "--port", port]);
    }
  });

  it("are read and written beside JSON and CSV as functions.md has it", async () => {
    // Of a body what is read of it, or of a value its form in each type.
    const rows = tableRows((await Deno.readTextFile(FUNCTIONS)).replaceAll("\r", ""))
      .filter(([first, ...said]) => first!.startsWith("`") && said.length !== 2)
      .map((row) => row.map((cell) => cell.replace(/^`(.*)`$/, "$1").replaceAll("\\n", "\n")));
    await using app = await makeApp({
      configuration: { image_name: IMAGE },
      files: { "prediction/serve": SAID, "local_test/test_dir/model/model.txt": "" },
    });
    const port = await deployed(app);
    /** What the server reads of a body; the status where that is not 200. */
    const readOf = async (body: Uint8Array<ArrayBuffer> | string, type: string) => {
      const [status, , read] = await askOn(port, body, JSON_TYPE, type);
      return status === 200 ? JSON.parse(text(read)).read : String(status);
    };
    try {
      assertEquals(rows.length, 61);
      for (const [first = "", ...said] of rows) {
        const answers = said.length === 1
          ? [await readOf(first, CSV)]
          : await Promise.all([JSON_TYPE, CSV, NPY].map(async (accept) => {
            const [status, , body] = await askOn(port, JSON.stringify(first), accept, JSON_TYPE);
            if (status !== 200) return String(status);
            return accept === NPY ? await readOf(body, NPY) : text(body);
          }));
        assertEquals([first, ...answers], [first, ...said]);
      }
      for (const { prediction, json } of REPORTED) {
        const [, , body] = await askOn(port, JSON.stringify(prediction), JSON_TYPE, JSON_TYPE);
        const end = text(body).slice(-json.length);
        assertEquals({ prediction, json: end }, { prediction, json });
      }
    } finally {
      await app.run(["local", "stop", "--port", port]);
    }
  });
});
