// Loaded by Playwright's driver before its own code. At each look of an `expect` that does not hold yet, it would draw up
// the page as screen readers see it, for a message that is hardly ever shown: a tenth of what these tests cost. How the
// page was when a test failed is kept by `evidence.py`.
const {prototype} = require("module");
const compile = prototype._compile;
const DRAWN = "ariaSnapshotForExpectFailure(element, options) {";

prototype._compile = function (content, filename, ...more) {
  if (filename.endsWith("coreBundle.js")) {
    prototype._compile = compile;
    if (!content.includes(DRAWN)) throw new Error(`${__filename}: this Playwright has other words for ${DRAWN}`);
    content = content.replace(DRAWN, "$& return;");
  }
  return compile.call(this, content, filename, ...more);
};
