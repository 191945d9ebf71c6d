// The graph as a file: all that is open, with its colours written out.

const kSvgStyles = ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-weight", "paint-order"];

Object.assign(GraphView.prototype, {
  /** An SVG file that needs no style of the page. */
  svgText() {
    const before = {x: this.x, y: this.y, zoom: this.zoom, width: this.width, height: this.height};
    const width = Math.ceil(this.size.width), height = Math.ceil(this.size.height);
    Object.assign(this, {x: 0, y: 0, zoom: 1, width, height});
    this.render();
    const copy = this.world.cloneNode(true);
    const shown = this.world.querySelectorAll("*");
    copy.querySelectorAll("*").forEach((element, i) => {
      const style = getComputedStyle(shown[i]);
      for (const name of kSvgStyles)
        if (style.getPropertyValue(name) !== "") element.setAttribute(name, style.getPropertyValue(name));
      element.removeAttribute("class");
      element.removeAttribute("data-box");
    });
    const ground = getComputedStyle(document.body).backgroundColor;
    Object.assign(this, before);
    this.render();
    const svg = draw("svg", {viewBox: `0 0 ${width} ${height}`, width, height, "font-family": "DejaVu Sans, sans-serif",
                             "font-size": 12}, draw("rect", {width, height, fill: ground}), copy);
    return new XMLSerializer().serializeToString(svg) + "\n";
  },

  saveSvg() {
    const url = URL.createObjectURL(new Blob([this.svgText()], {type: "image/svg+xml"}));
    make("a", {href: url, download: `${document.title.replace(/[^\w.-]+/g, "_")}.svg`}).click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  },
});
