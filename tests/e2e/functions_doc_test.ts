import { assertEquals } from "@std/assert";
import { makeApp } from "../helpers/app.ts";
import { tableRows } from "../helpers/doc_table.ts";
import { sklearnImage } from "../helpers/engine.ts";
import { deployed } from "../helpers/server.ts";
import { it, suite } from "../helpers/suite.ts";

const PAGE = "docs/reference/functions.md";

/** Answers JSON with what it says in Python, and any other body with what was read of it. */
const SERVE = `
import dataclasses, datetime, decimal
import numpy as np, pandas as pd

@dataclasses.dataclass
class Point:
    x: int

def model_fn(model_dir): pass

def predict_fn(data, model):
    if isinstance(data, str): return eval(data)
    if isinstance(data, list): return {"read": repr(data)}
    return {"read": "%s %s" % (str(data.dtype).strip("<|"), data.shape)}
`;

const [JSON_TYPE, CSV, NPY] = ["application/json", "text/csv", "application/x-npy"];

/** A cell as the text that it stands for. */
const plain = (cell: string): string => cell.replace(/^\`(.*)\`$/, "$1").replaceAll("\\n", "\n");

suite(PAGE, () => {
  it("says what a server reads and writes without input_fn and output_fn", async () => {
    const page = await Deno.readTextFile(new URL(`../../${PAGE}`, import.meta.url));
    const rowsOf = (title: string): readonly (readonly string[])[] => {
      const section = page.replaceAll("\r", "").split("\n## ")
        .find((one) => one.startsWith(`${title}\n`))!;
      return tableRows(section).map((row) => row.map(plain));
    };
    await using app = await makeApp({
      configuration: { base_image: sklearnImage() },
      files: {
        "prediction/serve": SERVE,
        "local_test/test_dir/model/model.txt": "",
        "../../requirements.txt": "scikit-learn>=1.2\npandas>=1.5\n",
      },
    });
    for (const args of [["init", app.name], ["build"]]) {
      const { code, stderr } = await app.run(args);
      assertEquals(code, 0, stderr);
    }
    const port = await deployed(app);
    /** The answer's body, or its status where it is not 200. */
    const ask = async (
      body: string | Uint8Array<ArrayBuffer>,
      type: string,
      accept: string,
    ): Promise<Uint8Array<ArrayBuffer> | string> => {
      const answer = await fetch(`http://127.0.0.1:${port}/invocations`, {
        method: "POST",
        headers: { "Content-Type": type, Accept: accept },
        body,
        signal: AbortSignal.timeout(30_000),
      });
      const bytes = await answer.bytes();
      return answer.status === 200 ? bytes : String(answer.status);
    };
    const text = (answer: Uint8Array | string): string =>
      typeof answer === "string" ? answer : new TextDecoder().decode(answer);
    /** What the server reads of a body. */
    const read = async (body: string | Uint8Array<ArrayBuffer>, type: string): Promise<string> => {
      const answer = text(await ask(body, type, JSON_TYPE));
      return answer.startsWith("{") ? JSON.parse(answer).read : answer;
    };
    try {
      const bodies = rowsOf("What is read without an input_fn");
      for (const [body = "", wanted] of bodies) {
        assertEquals([body, await read(body, CSV)], [body, wanted]);
      }
      const values = rowsOf("What is written without an output_fn");
      for (const [value = "", ...wanted] of values) {
        const said = JSON.stringify(value);
        const [json, csv, npy] = [
          await ask(said, JSON_TYPE, JSON_TYPE),
          await ask(said, JSON_TYPE, CSV),
          await ask(said, JSON_TYPE, NPY),
        ];
        const array = typeof npy === "string" ? npy : await read(npy, NPY);
        assertEquals([value, text(json), text(csv), array], [value, ...wanted]);
      }
      assertEquals([bodies.length, values.length], [12, 29]);
    } finally {
      await app.run(["local", "stop", "--port", port]);
    }
  });
});
