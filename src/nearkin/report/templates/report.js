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

  // With plotly in the page it draws; else the page's own figures.js does, for which colours are the page's.
  const withPlotly = {
    draw: (plot) => {
      const { data, layout } = resolve(plot.figure);
      return Plotly.react(plot.canvas, data, layout, quiet);
    },
    connect: (plot, from, groups) => {
      const last = plot.figure.data.length - 1;
      groups.forEach(({ to }, number) => {
        const x = to.flatMap((place) => [from[0], place[0], null]), y = to.flatMap((place) => [from[1], place[1], null]);
        Plotly.restyle(plot.canvas, { x: [x], y: [y] }, [last - 1 + number]);
      });
    },
    listen: (plot, show) => plot.canvas.on("plotly_hover", (event) => {
      const point = event.points[0]?.customdata;
      if (point !== undefined) show(Number(point));
    }),
  };
  const ownDrawing = {
    draw: (plot) => Figures.draw(plot.canvas, plot.figure),
    connect: (plot, from, groups) => Figures.connect(plot.canvas, from, groups),
    listen: (plot, show) => plot.canvas.addEventListener("point", (event) => show(Number(event.detail))),
  };
  const drawer = typeof Plotly === "undefined" ? ownDrawing : withPlotly;

  const plots = [...document.querySelectorAll("figure.plot")].map((element) => {
    const figure = JSON.parse(element.querySelector("script").textContent);
    return {
      canvas: element.querySelector(".canvas"),
      role: element.dataset.role,
      figure: drawer === ownDrawing ? Figures.unpack(figure) : figure,
    };
  });

  const paint = () => {
    root.dataset.theme = theme();
    return Promise.all(plots.map(drawer.draw));
  };
  const repaint = () => paint().then(() => showAgain());
  let showAgain = () => {};

  document.getElementById("theme").addEventListener("click", () => {
    chosen = theme() === "dark" ? "light" : "dark";
    repaint();
  });
  dark.addEventListener("change", repaint);
  addEventListener("beforeprint", () => { root.dataset.theme = "light"; plots.forEach(drawer.draw); });
  addEventListener("afterprint", repaint);
  if (drawer === ownDrawing) {
    let width = innerWidth, waiting = 0;
    addEventListener("resize", () => {
      if (innerWidth === width) return;
      width = innerWidth;
      clearTimeout(waiting);
      waiting = setTimeout(repaint, 80);
    });
  }

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

    const agrees = (point, other) => !view.categorical || view.labels[other] === view.labels[point];

    const listing = (panel, point, position) => {
      const items = panel.neighbours[position].map((other, rank) => {
        const kind = !view.categorical ? "" : agrees(point, other) ? "right" : "wrong";
        const mark = { right: "✓ ", wrong: "✗ " }[kind] ?? "";
        const distance = panel.distances[position][rank].toPrecision(3);
        return `<li class="${kind}">${mark}row ${view.rows[other]} · ${escape(brief(view.labels[other]))} · ${distance}</li>`;
      });
      return `<div><h3>${escape(panel.label)}: predicts ${escape(brief(panel.predicted[position]))}</h3>` +
        `<ul>${items.join("")}</ul></div>`;
    };

    const show = (point) => {
      const position = order.get(point);
      if (position === undefined) return;
      showAgain = () => show(point);
      panels.forEach((plot, number) => {
        const panel = view.panels[number], place = (other) => [panel.x[other], panel.y[other]];
        const neighbours = panel.neighbours[position];
        drawer.connect(plot, place(point), [
          { to: neighbours.filter((other) => agrees(point, other)).map(place), colour: "var(--ink)" },
          { to: neighbours.filter((other) => !agrees(point, other)).map(place), colour: "var(--wrong)", dash: "6 4" },
        ]);
      });
      box.innerHTML = `<p class="hint">Row ${view.rows[point]}, ${escape(view.label_name)} ` +
        `<b>${escape(brief(view.labels[point]))}</b>. Its neighbours, nearest first:</p><div class="lists">` +
        view.panels.map((panel) => listing(panel, point, position)).join("") + "</div>";
    };

    panels.forEach((plot) => drawer.listen(plot, show));
    show(telling(view));
  };

  // A point that the last distance answers better than the first, to begin with.
  const telling = (view) => {
    const [before, after] = [view.panels[0], view.panels[view.panels.length - 1]];
    const miss = (panel, position) => {
      const [found, truth] = [panel.predicted[position], view.labels[view.queries[position]]];
      return view.categorical ? Number(found !== truth) : Math.abs(found - truth);
    };
    const gain = view.queries.map((_, position) => miss(before, position) - miss(after, position));
    return view.queries[gain.indexOf(Math.max(...gain))];
  };

  paint().then(() => { linkPanels(); root.dataset.drawn = String(plots.length); });
})();
