// Debian's Chromium without a window, told what to do by the DevTools protocol over a pipe: no
// package is needed, and no port is open.
import {spawn} from "node:child_process";
import {mkdtempSync, rmSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {pathToFileURL} from "node:url";

const kFlags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
                "--disable-component-update", "--disable-sync", "--no-first-run", "--disable-extensions",
                "--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe"];

export class Browser {
  static async start() {
    const browser = new Browser();
    browser.folder = mkdtempSync(join(tmpdir(), "strata-page-"));
    browser.process = spawn("chromium", [...kFlags, `--user-data-dir=${browser.folder}`, "about:blank"],
                            {stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"]});
    browser.waiting = new Map();
    browser.listeners = [];
    browser.last = 0;
    let text = "";
    browser.process.stdio[4].setEncoding("utf8");
    browser.process.stdio[4].on("data", (piece) => {
      text += piece;
      for (let end; (end = text.indexOf("\0")) >= 0; text = text.slice(end + 1))
        browser.receive(JSON.parse(text.slice(0, end)));
    });
    return browser;
  }

  receive(message) {
    if (message.id === undefined) {
      for (const listener of this.listeners) listener(message);
      return;
    }
    const {resolve, reject} = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (message.error) reject(new Error(message.error.message));
    else resolve(message.result);
  }

  send(method, params = {}, sessionId = undefined) {
    const id = ++this.last;
    this.process.stdio[3].write(JSON.stringify({id, method, params, sessionId}) + "\0");
    return new Promise((resolve, reject) => this.waiting.set(id, {resolve, reject}));
  }

  async open(file, {width = 1400, height = 900, dark = false} = {}) {
    const {targetId} = await this.send("Target.createTarget", {url: "about:blank"});
    const {sessionId} = await this.send("Target.attachToTarget", {targetId, flatten: true});
    const page = new Page(this, sessionId, targetId);
    await page.prepare(width, height, dark);
    await page.load(pathToFileURL(file).href);
    return page;
  }

  async stop() {
    const ended = new Promise((resolve) => this.process.once("exit", resolve));
    this.send("Browser.close").catch(() => {});
    await ended;
    rmSync(this.folder, {recursive: true, force: true, maxRetries: 5});
  }
}

export class Page {
  constructor(browser, session, target) {
    Object.assign(this, {browser, session, target});
    this.problems = [];  // errors, warnings and refusals that the page caused
    this.requests = [];
    browser.listeners.push((message) => {
      if (message.sessionId === session) this.see(message.method, message.params);
    });
  }

  see(method, params) {
    if (method === "Runtime.exceptionThrown")
      this.problems.push(params.exceptionDetails.exception?.description ??
                         params.exceptionDetails.text);
    if (method === "Runtime.consoleAPICalled" && ["error", "warning", "assert"].includes(params.type))
      this.problems.push(params.args.map((one) => one.value ?? one.description).join(" "));
    if (method === "Log.entryAdded") this.problems.push(params.entry.text);
    if (method === "Page.javascriptDialogOpening") {
      this.problems.push("a dialog: " + params.message);
      this.send("Page.handleJavaScriptDialog", {accept: false});
    }
    if (method === "Network.requestWillBeSent") this.requests.push(params.request.url);
    if (method === "Page.loadEventFired" && this.loaded) this.loaded();
  }

  send(method, params) {
    return this.browser.send(method, params, this.session);
  }

  async prepare(width, height, dark) {
    for (const domain of ["Page", "Runtime", "Log", "Network"]) await this.send(`${domain}.enable`);
    await this.send("Emulation.setDeviceMetricsOverride",
                    {width, height, deviceScaleFactor: 1, mobile: false});
    await this.colours(dark);
  }

  colours(dark) {
    return this.send("Emulation.setEmulatedMedia",
                     {features: [{name: "prefers-color-scheme", value: dark ? "dark" : "light"}]});
  }

  async load(url) {
    this.url = url;
    const loaded = new Promise((resolve) => { this.loaded = resolve; });
    await this.send("Page.navigate", {url});
    await loaded;
  }

  /** What a function returns in the page. */
  async run(code, ...given) {
    const expression = `(${code.toString()})(...${JSON.stringify(given)})`;
    const {result, exceptionDetails} = await this.send("Runtime.evaluate", {
      expression, returnByValue: true, awaitPromise: true, userGesture: true});
    if (exceptionDetails)
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  async click(selector, nth = 0) {
    const place = await this.run(async (where, index) => {
      const element = document.querySelectorAll(where)[index];
      element.scrollIntoView({block: "center", inline: "nearest"});
      const middle = () => {
        const box = element.getBoundingClientRect();
        return {x: box.x + box.width / 2, y: box.y + box.height / 2};
      };
      let at = middle();
      for (let i = 0; i < 100; ++i) {  // what stands above it may not have been drawn yet
        await new Promise((resolve) => setTimeout(resolve, 30));
        const before = at;
        at = middle();
        if (at.x === before.x && at.y === before.y) break;
      }
      return at;
    }, selector, nth);
    await this.clickAt(place.x, place.y);
  }

  async clickAt(x, y) {
    for (const type of ["mouseMoved", "mousePressed", "mouseReleased"])
      await this.send("Input.dispatchMouseEvent", {type, x, y, button: "left", clickCount: 1});
  }

  async press(key, times = 1) {
    const text = key === "Enter" ? "\r" : key.length === 1 ? key : undefined;
    for (let i = 0; i < times; ++i)
      for (const type of [text ? "keyDown" : "rawKeyDown", "keyUp"])
        await this.send("Input.dispatchKeyEvent", {type, key, code: key, text,
                                                   windowsVirtualKeyCode: kCodes[key] ?? 0});
  }

  type(text) {
    return this.send("Input.insertText", {text});
  }

  async picture({clip, whole = false} = {}) {
    const {data} = await this.send("Page.captureScreenshot",
                                   {format: "png", clip: clip && {...clip, scale: 1},
                                    captureBeyondViewport: whole || clip !== undefined});
    return Buffer.from(data, "base64");
  }

  close() {
    return this.browser.send("Target.closeTarget", {targetId: this.target});
  }
}

const kCodes = {Tab: 9, Enter: 13, Escape: 27, PageUp: 33, PageDown: 34, End: 35, Home: 36,
                ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40};
