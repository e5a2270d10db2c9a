(() => {
  "use strict";
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const quiet = { displaylogo: false, responsive: true, displayModeBar: false };

  let chosen = null;
  const theme = () => chosen ?? (dark.matches ? "dark" : "light");
  const ink = (name) => getComputedStyle(root).getPropertyValue(name).trim();

  // Figures name the page's variables where they follow its theme.
  const resolve = (item) => {
    if (typeof item === "string") {
      const match = /^var\((--[a-z-]+)\)$/.exec(item);
      return match ? ink(match[1]) : item;
    }
    if (Array.isArray(item)) return item.map(resolve);
    if (item && typeof item === "object")
      return Object.fromEntries(Object.entries(item).map(([key, value]) => [key, resolve(value)]));
    return item;
  };

  const plots = [...document.querySelectorAll("figure.plot")].map((element) => ({
    canvas: element.querySelector(".canvas"),
    role: element.dataset.role,
    figure: JSON.parse(element.querySelector("script").textContent),
  }));

  const draw = (plot) => {
    const { data, layout } = resolve(plot.figure);
    return Plotly.react(plot.canvas, data, layout, quiet);
  };
  const paint = () => { root.dataset.theme = theme(); return Promise.all(plots.map(draw)); };

  document.getElementById("theme").addEventListener("click", () => {
    chosen = theme() === "dark" ? "light" : "dark";
    paint();
  });
  dark.addEventListener("change", paint);
  addEventListener("beforeprint", () => {
    root.dataset.theme = "light";
    plots.forEach((plot) => { draw(plot); Plotly.Plots.resize(plot.canvas); });
  });
  addEventListener("afterprint", paint);

  const escape = (text) => String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
  const brief = (value) => typeof value === "number" && !Number.isInteger(value) ? value.toPrecision(4) : value;

  // Pointing at a held-out point shows, in every panel, the neighbours that decide it there.
  const linkPanels = () => {
    const source = document.getElementById("embedding-data");
    if (!source) return;
    const view = JSON.parse(source.textContent);
    const panels = plots.filter((plot) => plot.role === "embedding");
    const box = document.querySelector("[data-role=neighbours]");
    const order = new Map(view.queries.map((point, position) => [point, position]));

    const lines = (panel, point, neighbours) => {
      const x = [], y = [];
      neighbours.forEach((other) => {
        x.push(panel.x[point], panel.x[other], null);
        y.push(panel.y[point], panel.y[other], null);
      });
      return { x: [x], y: [y] };
    };
    const agrees = (point, other) => !view.categorical || view.labels[other] === view.labels[point];

    const listing = (panel, point, position) => {
      const items = panel.neighbours[position].map((other, rank) => {
        const kind = !view.categorical ? "" : agrees(point, other) ? "right" : "wrong";
        const mark = { right: "✓ ", wrong: "✗ " }[kind] ?? "";
        const distance = panel.distances[position][rank].toPrecision(3);
        return `<li class="${kind}">${mark}row ${view.rows[other]} · ${escape(brief(view.labels[other]))} · ${distance}</li>`;
      });
      return `<div><h3>${escape(panel.name)}: predicts ${escape(brief(panel.predicted[position]))}</h3>` +
        `<ul>${items.join("")}</ul></div>`;
    };

    const show = (point) => {
      const position = order.get(point);
      if (position === undefined) return;
      panels.forEach((plot, number) => {
        const panel = view.panels[number];
        const last = plot.figure.data.length - 1;
        const neighbours = panel.neighbours[position];
        Plotly.restyle(plot.canvas, lines(panel, point, neighbours.filter((n) => agrees(point, n))), [last - 1]);
        Plotly.restyle(plot.canvas, lines(panel, point, neighbours.filter((n) => !agrees(point, n))), [last]);
      });
      box.innerHTML = `<p class="hint">Row ${view.rows[point]}, ${escape(view.label_name)} ` +
        `<b>${escape(brief(view.labels[point]))}</b>. Its neighbours, nearest first:</p><div class="lists">` +
        view.panels.map((panel) => listing(panel, point, position)).join("") + "</div>";
    };

    panels.forEach((plot) => {
      plot.canvas.on("plotly_hover", (event) => {
        const point = event.points[0]?.customdata;
        if (point !== undefined) show(Number(point));
      });
    });
  };

  paint().then(() => { linkPanels(); root.dataset.drawn = String(plots.length); });
})();
