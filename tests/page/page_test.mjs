// Pages in a real Chromium: node page_test.mjs STRATA MODELS [PART OF A TEST'S NAME]
import {rmSync} from "node:fs";

import {chartTests} from "./chart_tests.mjs";
import {Browser} from "./chromium.mjs";
import {graphTests} from "./graph_tests.mjs";
import {layoutTests} from "./layout_tests.mjs";
import {folder} from "./pages.mjs";
import {tableTests} from "./table_tests.mjs";
import {wholeTests} from "./whole_tests.mjs";

const browser = await Browser.start();
let failed = 0;
for (const [name, test] of Object.entries({...tableTests, ...chartTests, ...graphTests, ...layoutTests, ...wholeTests})) {
  if (process.argv[4] && !name.includes(process.argv[4])) continue;
  try {
    await test(browser);
    console.log(`ok      ${name}`);
  } catch (error) {
    ++failed;
    console.log(`FAILED  ${name}\n${error.stack}`);
  }
}
await browser.stop();
rmSync(folder, {recursive: true});
process.exit(failed === 0 ? 0 : 1);
