// Runs in_pyodide.py in the very Python that the site ships: node compile.mjs <pyodide> <folder with job.json>
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [pyodide, folder] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(join(pyodide, "pyodide.mjs")));
const python = await loadPyodide();
python.FS.mkdirTree("/job");
python.FS.mount(python.FS.filesystems.NODEFS, { root: folder }, "/job");
python.runPython(readFileSync(new URL("in_pyodide.py", import.meta.url), "utf8"));
