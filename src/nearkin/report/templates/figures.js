// Draws the report's figures as SVG: the part of plotly's figure description that nearkin.report.plots uses.
// Scatter, bar, heatmap and box traces; linear, log and category axes; legends, colour bars, hover labels.
const Figures = (() => {
  "use strict";
  const TYPES = { f8: Float64Array, f4: Float32Array, i4: Int32Array, u4: Uint32Array, i2: Int16Array,
    u2: Uint16Array, i1: Int8Array, u1: Uint8Array };
  const VIRIDIS = ["#440154", "#46327e", "#365c8d", "#277f8e", "#1fa187", "#4ac16d", "#a0da39", "#fde725"];
  const TEXT_HEIGHT = 15;

  // Arrays of numbers come as base64 with a type and perhaps a shape.
  const unpack = (item) => {
    if (Array.isArray(item)) return item.map(unpack);
    if (!item || typeof item !== "object") return item;
    if (item.bdata !== undefined) {
      const bytes = Uint8Array.from(atob(item.bdata), (c) => c.charCodeAt(0));
      const flat = Array.from(new TYPES[item.dtype](bytes.buffer));
      if (!item.shape) return flat;
      const columns = Number(String(item.shape).split(",")[1]);
      return Array.from({ length: flat.length / columns }, (_, i) => flat.slice(i * columns, (i + 1) * columns));
    }
    return Object.fromEntries(Object.entries(item).map(([key, value]) => [key, unpack(value)]));
  };

  const escape = (text) => String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
  // The few tags that captions use; everything else in them is text.
  const rich = (text) => escape(text).replace(/&#60;(\/?)(b|i|br|sub)&#62;/g, "<$1$2>");
  const plain = (text) => escape(String(text).replace(/<\/?(b|i|sub)>/g, ""));
  const ruler = document.createElement("canvas").getContext("2d");
  const widthOf = (text, size = 12) => {
    ruler.font = `${size}px ${getComputedStyle(document.body).fontFamily}`;
    return ruler.measureText(text).width;
  };

  const format = (value, how) => {
    if (typeof value !== "number" || !how) return value;
    const [, digits, kind] = /\.(\d+)([fg])/.exec(how) ?? [];
    if (kind === "f") return value.toFixed(Number(digits));
    return kind === "g" ? String(Number(value.toPrecision(Number(digits)))) : value;
  };
  const hoverText = (template, point) => {
    const filled = template.replace(/%\{([a-z]+)(?:\[(\d+)\])?(?::([^}]*))?\}/g, (_, key, index, how) =>
      format(index === undefined ? point[key] : point[key][Number(index)], how));
    return filled.replace(/<extra>(.*?)<\/extra>/, (_, name) => (name ? `<br>${name}` : ""));
  };

  const colourAt = (scale, share) => {
    if (scale === "viridis") return VIRIDIS[Math.min(7, Math.max(0, Math.round(7 * share)))];
    const alpha = (stop) => Number(/([\d.]+)\)$/.exec(stop[1])[1]);
    const next = Math.max(1, scale.findIndex((stop) => stop[0] >= share));
    const [low, high] = [scale[next - 1], scale[next]];
    const part = (share - low[0]) / (high[0] - low[0] || 1);
    const mixed = alpha(low) + part * (alpha(high) - alpha(low));
    return high[1].replace(/[\d.]+\)$/, `${mixed.toFixed(3)})`);
  };

  // ---- axes
  const niceStep = (span, wanted) => {
    const raw = span / Math.max(1, wanted), power = 10 ** Math.floor(Math.log10(raw));
    return power * [1, 2, 5, 10].find((factor) => factor * power >= raw * 0.999);
  };
  const tidy = (value) => String(Number(value.toPrecision(10)));

  const makeAxis = (layout, letter, traces, barsHere, length) => {
    const values = traces.flatMap((trace) => trace[letter] ?? []);
    const kind = layout.type ?? (values.some((v) => typeof v === "string") ? "category" : "linear");
    const axis = { layout, kind, letter };
    if (kind === "category") {
      axis.names = [...new Set(values.filter((v) => v !== null))];
      const order = new Map(axis.names.map((name, i) => [name, i]));
      axis.number = (v) => order.get(v);
      axis.range = [-0.5, axis.names.length - 0.5];
    } else {
      axis.number = kind === "log" ? (v) => Math.log10(v) : Number;
      axis.range = layout.range ? [...layout.range] : numericRange(traces, letter, barsHere, axis);
    }
    if (layout.autorange === "reversed") axis.range.reverse();
    axis.length = length;
    axis.ticks = ticksOf(axis);
    return axis;
  };
  const numericRange = (traces, letter, barsHere, axis) => {
    let found = [];
    traces.forEach((trace) => {
      const own = (trace[letter] ?? []).filter((v) => v !== null).map(axis.number);
      const error = trace[`error_${letter}`];
      found.push(...own);
      if (error?.array) own.forEach((v, i) => found.push(v + error.array[i], v - (error.arrayminus ?? error.array)[i]));
    });
    found = found.filter(Number.isFinite);
    if (barsHere) found.push(0);
    if (!found.length) return [0, 1];
    let [low, high] = [Math.min(...found), Math.max(...found)];
    if (low === high) [low, high] = [low - 0.5, high + 0.5];
    const pad = (high - low) * 0.06;
    const zero = barsHere || axis.layout.rangemode === "tozero";
    return [zero && low >= 0 ? 0 : low - pad, zero && high <= 0 ? 0 : high + pad];
  };
  const ticksOf = (axis) => {
    const { layout, kind, range } = axis, suffix = layout.ticksuffix ?? "";
    if (layout.showticklabels === false) return [];
    if (layout.tickvals) return layout.tickvals.map((v, i) => ({ at: axis.number(v), text: String(layout.ticktext?.[i] ?? v) }));
    if (kind === "category") return axis.names.map((name, i) => ({ at: i, text: name + suffix.trim() }));
    const [low, high] = [Math.min(...range), Math.max(...range)];
    const ticks = [];
    if (kind === "log") {
      const between = high - low < 1.5 ? [1, 2, 5] : [1];
      for (let e = Math.floor(low); e <= high; e += 1) {
        between.forEach((f) => { const at = e + Math.log10(f); if (at >= low && at <= high) ticks.push({ at, text: tidy(f * 10 ** e) }); });
      }
      return ticks;
    }
    const step = niceStep(high - low, Math.max(3, axis.length / (axis.letter === "x" ? 90 : 55)));
    for (let i = Math.ceil(low / step); i * step <= high * (1 + 1e-12) + 1e-12; i += 1) ticks.push({ at: i * step, text: tidy(i * step) });
    return ticks;
  };

  // ---- marks
  const polygon = (x, y, r, n, turn = 0, inner = 1) => Array.from({ length: inner === 1 ? n : 2 * n }, (_, i) => {
    const angle = turn - Math.PI / 2 + (2 * Math.PI * i) / (inner === 1 ? n : 2 * n);
    const radius = i % 2 && inner !== 1 ? r * inner : r;
    return `${(x + radius * Math.cos(angle)).toFixed(1)},${(y + radius * Math.sin(angle)).toFixed(1)}`;
  }).join(" ");
  const symbolPath = (symbol, x, y, size, style) => {
    const r = size / 2, at = (shape) => `<polygon class="point" points="${shape}" ${style}/>`;
    switch (symbol.replace("-open", "")) {
      case "square": return `<rect class="point" x="${(x - r * 0.9).toFixed(1)}" y="${(y - r * 0.9).toFixed(1)}" width="${1.8 * r}" height="${1.8 * r}" ${style}/>`;
      case "diamond": return at(polygon(x, y, r * 1.2, 4));
      case "triangle-up": return at(polygon(x, y, r * 1.2, 3));
      case "triangle-down": return at(polygon(x, y, r * 1.2, 3, Math.PI));
      case "pentagon": return at(polygon(x, y, r * 1.1, 5));
      case "hexagon": return at(polygon(x, y, r * 1.1, 6));
      case "star": return at(polygon(x, y, r * 1.3, 5, 0, 0.45));
      case "line-ns": return `<path class="point" d="M${x.toFixed(1)} ${y - r}v${size}" ${style}/>`;
      case "x-thin": return `<path class="point" d="M${x - r * 0.7} ${y - r * 0.7}l${1.4 * r} ${1.4 * r}m0 ${-1.4 * r}l${-1.4 * r} ${1.4 * r}" ${style}/>`;
      default: return `<circle class="point" cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${r}" ${style}/>`;
    }
  };
  const markerStyle = (marker, colour) => {
    const symbol = marker.symbol ?? "circle", line = marker.line ?? {};
    const stroked = symbol.includes("open") || symbol.includes("thin");
    const stroke = stroked ? `fill:none;stroke:${line.color ?? colour};stroke-width:${line.width || 1.5}`
      : `fill:${colour}${line.width ? `;stroke:${line.color};stroke-width:${line.width}` : ""}`;
    return `style="${stroke};opacity:${marker.opacity ?? 1}"`;
  };
  const dashes = { dot: "2 4", dash: "7 5" };

  const scatter = (trace, frame, hits, shades) => {
    const { px, py } = frame, marker = trace.marker ?? {}, mode = trace.mode ?? "lines+markers";
    const x = trace.x ?? [], y = trace.y ?? [], out = [];
    const at = x.map((v, i) => (v === null || y[i] === null ? null : [px(v), py(y[i])]));
    if (mode.includes("lines")) {
      const path = at.map((p, i) => (p ? `${i && at[i - 1] ? "L" : "M"}${p[0].toFixed(1)} ${p[1].toFixed(1)}` : "")).join("");
      const line = trace.line ?? {};
      out.push(`<path d="${path}" style="fill:none;stroke:${line.color};stroke-width:${line.width ?? 2};opacity:${trace.opacity ?? 1}"
        ${line.dash && dashes[line.dash] ? `stroke-dasharray="${dashes[line.dash]}"` : ""}/>`);
    }
    const error = trace.error_x;
    if (error?.array) at.forEach((p, i) => {
      const [low, high] = [px(x[i] - (error.arrayminus ?? error.array)[i]), px(x[i] + error.array[i])];
      out.push(`<path d="M${low} ${p[1]}H${high}" style="stroke:${error.color};stroke-width:${error.thickness}"/>`);
    });
    at.forEach((p, i) => {
      if (!p) return;
      const own = marker.color, colour = Array.isArray(own) ? (typeof own[i] === "number" ? shades(own[i]) : own[i]) : own;
      if (mode.includes("markers")) out.push(symbolPath(marker.symbol ?? "circle", p[0], p[1], marker.size ?? 6, markerStyle(marker, colour)));
      if (mode.includes("text")) out.push(placedText(trace, i, p, frame));
      if (trace.hovertemplate && trace.hoverinfo !== "skip") {
        hits.push({ x: p[0], y: p[1], custom: trace.customdata?.[i], html: rich(hoverText(trace.hovertemplate,
          { x: x[i], y: y[i], text: trace.text?.[i], customdata: trace.customdata?.[i] })) });
      }
    });
    return out.join("");
  };
  const placedText = (trace, i, [x, y], frame) => {
    const [vertical, horizontal] = (trace.textposition ?? "top center").split(" "), text = String(trace.text[i]);
    const half = widthOf(text, 12) / 2;
    let middle = x + { left: -half - 9, right: half + 9, center: 0 }[horizontal];
    middle = Math.min(Math.max(middle, frame.left + half), frame.left + frame.width - half + 30);
    const dy = { top: -11, bottom: 21, middle: 4 }[vertical];
    return `<text x="${middle.toFixed(1)}" y="${(y + dy).toFixed(1)}" text-anchor="middle" style="fill:${trace.textfont?.color}">${plain(text)}</text>`;
  };

  const bars = (traces, layout, frame, hits) => {
    const { px, py } = frame, stacked = layout.barmode === "stack", out = [];
    const upright = traces[0].orientation !== "h";
    const unit = Math.abs(upright ? px.scale : py.scale), room = unit * (1 - (layout.bargap ?? 0.2));
    const thick = stacked ? room : room / traces.length, ends = new Map();
    traces.forEach((trace, number) => {
      const labels = upright ? trace.x : trace.y, lengths = upright ? trace.y : trace.x;
      labels.forEach((label, i) => {
        const start = stacked ? ends.get(label) ?? 0 : 0, end = start + (lengths[i] ?? 0);
        ends.set(label, end);
        const centre = (upright ? px : py)(label), side = centre - room / 2 + (stacked ? 0 : number * thick);
        const [a, b] = [(upright ? py : px)(start), (upright ? py : px)(end)];
        const [x, y, w, h] = upright ? [side, Math.min(a, b), thick, Math.abs(a - b)] : [Math.min(a, b), side, Math.abs(a - b), thick];
        const colour = Array.isArray(trace.marker.color) ? trace.marker.color[i] : trace.marker.color;
        out.push(`<rect class="point" x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${w.toFixed(1)}" height="${h.toFixed(1)}" rx="1.5" style="fill:${colour};opacity:${trace.marker.opacity ?? 1}"/>`);
        const text = hoverText(trace.hovertemplate, { x: trace.x[i], y: trace.y[i] });
        hits.push({ box: upright ? [x, frame.top, w, frame.height] : [frame.left, y, frame.width, h], inner: [x, y, w, h],
          html: rich(upright ? `<b>${label}</b><br>${text}` : text) });
      });
    });
    return out.join("");
  };

  const heat = (trace, frame, hits) => {
    const { px, py } = frame, w = Math.abs(px.scale), h = Math.abs(py.scale), gap = Math.min(trace.xgap ?? 0, w / 6), out = [];
    trace.z.forEach((line, i) => line.forEach((z, j) => {
      const x = px(trace.x[j]) - w / 2, y = py(trace.y[i]) - h / 2;
      const share = (z - trace.zmin) / (trace.zmax - trace.zmin);
      out.push(`<rect class="point" x="${(x + gap / 2).toFixed(1)}" y="${(y + gap / 2).toFixed(1)}" width="${(w - gap).toFixed(1)}" height="${(h - gap).toFixed(1)}"
        style="fill:${colourAt(trace.colorscale, Math.min(1, Math.max(0, share)))};stroke:var(--grid);stroke-width:.5"/>`);
      if (trace.text && trace.texttemplate) out.push(`<text x="${(x + w / 2).toFixed(1)}" y="${(y + h / 2 + 4).toFixed(1)}" text-anchor="middle"
        style="fill:${share > 0.6 ? "#fff" : "var(--ink)"}">${plain(trace.text[i][j])}</text>`);
      hits.push({ box: [x, y, w, h], html: rich(hoverText(trace.hovertemplate, { x: trace.x[j], y: trace.y[i], z, customdata: trace.customdata?.[i]?.[j] })) });
    }));
    return out.join("");
  };

  const box = (trace, frame, hits) => {
    const { px, py } = frame, sorted = [...trace.x].sort((a, b) => a - b), colour = trace.line.color;
    if (!sorted.length) return "";
    const quantile = (q) => { const at = q * (sorted.length - 1), low = Math.floor(at); return sorted[low] + (at - low) * ((sorted[low + 1] ?? sorted[low]) - sorted[low]); };
    const [low, middle, high] = [0.25, 0.5, 0.75].map((q) => px(quantile(q))), y = py(trace.y[0]);
    const [first, last] = [px(sorted[0]), px(sorted[sorted.length - 1])], h = 26;
    const lines = `<path d="M${first} ${y}H${low}M${high} ${y}H${last}M${low} ${y - h / 2}H${high}V${y + h / 2}H${low}ZM${middle} ${y - h / 2}v${h}"
      style="fill:none;stroke:${colour};stroke-width:1.5"/>`;
    return lines + trace.x.map((v, i) => {
      const p = [px(v), y + (((i * 7) % 11) / 11 - 0.5) * 14];
      hits.push({ x: p[0], y: p[1], html: rich(hoverText(trace.hovertemplate, { x: v, text: trace.text?.[i] })) });
      return symbolPath("circle", p[0], p[1], 6, markerStyle(trace.marker, trace.marker.color));
    }).join("");
  };

  // ---- the frame of one pair of axes
  const frameOf = (traces, layout, suffix, place) => {
    const xl = layout[`xaxis${suffix}`] ?? {}, yl = layout[`yaxis${suffix}`] ?? {};
    const barTraces = traces.filter((t) => t.type === "bar"), sideways = barTraces[0]?.orientation === "h";
    const ya = makeAxis(yl, "y", traces, barTraces.length && !sideways, place.height);
    const labelled = yl.showticklabels !== false;
    const limit = place.width * 0.42;
    ya.ticks.forEach((tick) => { tick.shown = shorten(tick.text, limit); });
    const left = (labelled ? Math.max(0, ...ya.ticks.map((t) => widthOf(t.shown, 12))) + 10 : 2) + (yl.title?.text ? 22 : 0);
    const width = place.width - left - 12;
    const xa = makeAxis(xl, "x", traces, barTraces.length && sideways, width);
    const widest = Math.max(0, ...xa.ticks.map((t) => widthOf(t.text, 12)));
    const turned = xa.ticks.length > 1 && (xl.tickangle || widest + 8 > width / xa.ticks.length) && xa.kind === "category" && widest > 24;
    xa.ticks.forEach((tick) => { tick.shown = shorten(tick.text, turned ? 130 : width); });
    const labels = xl.showticklabels === false ? 4 : turned ? Math.min(130, widest) * 0.72 + 16 : TEXT_HEIGHT + 8;
    const height = place.height - labels - (xl.title?.text ? 24 : 0) - 4;
    const frame = { left: place.left + left, top: place.top, width, height, xa, ya, turned, labels };
    const scale = (axis, start, size) => {
      const [low, high] = axis.range, factor = size / (high - low);
      const at = (v) => start + (axis.number(v) - low) * factor;
      at.scale = factor;
      at.raw = (v) => start + (v - low) * factor;
      return at;
    };
    frame.px = scale(xa, frame.left, width);
    frame.py = scale(ya, frame.top + height, -height);
    return frame;
  };
  const shorten = (text, limit) => {
    if (widthOf(text) <= limit) return text;
    let kept = text.length;
    while (kept > 1 && widthOf(`${text.slice(0, kept)}…`) > limit) kept -= 1;
    return `${text.slice(0, kept)}…`;
  };
  const axesSvg = (frame) => {
    const { xa, ya, px, py, left, top, width, height } = frame, out = [], bottom = top + height;
    if (xa.layout.visible === false) return `<rect x="${left}" y="${top}" width="${width}" height="${height}" rx="8" style="fill:none;stroke:var(--grid)"/>`;
    const line = (d) => out.push(`<path d="${d}" style="stroke:var(--grid);stroke-width:1"/>`);
    if (xa.layout.showgrid !== false) xa.ticks.forEach((t) => line(`M${px.raw(t.at).toFixed(1)} ${top}v${height}`));
    if (ya.layout.showgrid !== false) ya.ticks.forEach((t) => line(`M${left} ${py.raw(t.at).toFixed(1)}h${width}`));
    line(`M${left} ${bottom}h${width}`);
    const every = Math.ceil(xa.ticks.length * 14 / Math.max(1, width));
    xa.ticks.forEach((t, i) => {
      if (i % every) return;
      const x = px.raw(t.at).toFixed(1), colour = xa.layout.tickfont?.color ?? "var(--muted)";
      out.push(frame.turned
        ? `<text class="xtick" x="${x}" y="${bottom + 12}" text-anchor="end" transform="rotate(-42 ${x} ${bottom + 12})" style="fill:${colour}">${plain(t.shown)}</text>`
        : `<text class="xtick" x="${x}" y="${bottom + 18}" text-anchor="middle" style="fill:${colour}">${plain(t.shown)}</text>`);
    });
    const thin = Math.ceil(ya.ticks.length * 13 / Math.max(1, height));
    ya.ticks.forEach((t, i) => i % thin || out.push(`<text class="ytick" x="${left - 8}" y="${(py.raw(t.at) + 4).toFixed(1)}" text-anchor="end" style="fill:${ya.layout.tickfont?.color ?? "var(--muted)"}">${plain(t.shown)}</text>`));
    const title = (layout) => plain(layout.title?.text ?? "");
    if (title(xa.layout)) out.push(`<text x="${left + width / 2}" y="${bottom + frame.labels + 18}" text-anchor="middle" class="title">${title(xa.layout)}</text>`);
    if (title(ya.layout)) out.push(`<text transform="translate(${frame.origin + 13} ${top + height / 2}) rotate(-90)" text-anchor="middle" class="title">${title(ya.layout)}</text>`);
    return out.join("");
  };

  const legendHtml = (data, layout) => {
    if (layout.showlegend === false) return "";
    const shown = data.map((trace, i) => ({ trace, i })).filter(({ trace }) =>
      trace.name && trace.showlegend !== false && trace.type !== "heatmap" && (trace.showlegend || data.length > 1) &&
      data.some((other) => other.name === trace.name && other.x?.length));
    if (!shown.length) return "";
    shown.sort((a, b) => (a.trace.legendrank ?? 1000) - (b.trace.legendrank ?? 1000) || a.i - b.i);
    const items = shown.map(({ trace }) => {
      const marker = trace.marker ?? {}, colour = Array.isArray(marker.color) ? marker.color[0] : marker.color ?? trace.line?.color;
      const symbol = trace.type === "bar" ? "square" : marker.symbol ?? "circle";
      const swatch = symbolPath(symbol, 7, 7, 9, markerStyle({ ...marker, symbol, opacity: 1 }, colour));
      return `<span class="entry" data-group="${escape(trace.legendgroup ?? trace.name)}"><svg width="14" height="14" aria-hidden="true">${swatch}</svg>${plain(trace.name)}</span>`;
    });
    return `<div class="legend">${items.join("")}</div>`;
  };
  const barHtml = (coloraxis, low, high) => {
    const title = coloraxis.colorbar?.title?.text ?? "";
    return `<div class="legend"><span class="entry">${escape(title)}: ${tidy(Number(low.toPrecision(3)))}</span><span class="ramp"
      style="background:linear-gradient(90deg,${VIRIDIS.join(",")})"></span><span class="entry">${tidy(Number(high.toPrecision(3)))}</span></div>`;
  };

  // Draw into the element; afterwards `element.drawing` has the places of the points and a layer for lines.
  const draw = (element, figure) => {
    const { data, layout } = figure, width = Math.max(240, element.clientWidth), height = layout.height ?? 400;
    const numbers = data.flatMap((t) => (t.marker?.coloraxis && Array.isArray(t.marker.color) ? t.marker.color : []));
    const [low, high] = numbers.length ? [Math.min(...numbers), Math.max(...numbers)] : [0, 1];
    const shades = (v) => colourAt("viridis", (v - low) / (high - low || 1));
    const suffixes = [...new Set(data.map((trace) => (trace.xaxis ?? "x").slice(1)))];
    const hits = [], parts = [];
    let first = null;
    (suffixes.length ? suffixes : [""]).forEach((suffix) => {
      const traces = data.filter((trace) => (trace.xaxis ?? "x").slice(1) === suffix);
      const [x0, x1] = layout[`xaxis${suffix}`]?.domain ?? [0, 1], [y0, y1] = layout[`yaxis${suffix}`]?.domain ?? [0, 1];
      const whole = suffixes.length < 2, head = whole ? 8 : 22;
      const place = { left: x0 * width, top: (1 - y1) * height + head, width: (x1 - x0) * width, height: (y1 - y0) * height - head };
      const frame = frameOf(traces, layout, suffix, place);
      frame.origin = place.left;
      first = first ?? frame;
      parts.push(axesSvg(frame));
      (layout.shapes ?? []).filter((shape) => (shape.xref ?? "x") === `x${suffix}`).forEach((shape) => {
        const x = frame.px.raw(frame.xa.number(shape.x0));
        parts.push(`<path d="M${x.toFixed(1)} ${frame.top}v${frame.height}" style="stroke:${shape.line.color};stroke-width:${shape.line.width}" stroke-dasharray="${dashes[shape.line.dash] ?? ""}"/>`);
      });
      const barTraces = traces.filter((trace) => trace.type === "bar");
      if (barTraces.length) parts.push(bars(barTraces, layout, frame, hits));
      traces.forEach((trace) => {
        const group = `<g data-group="${escape(trace.legendgroup ?? trace.name ?? "")}">`;
        if (trace.type === "heatmap") parts.push(group + heat(trace, frame, hits) + "</g>");
        else if (trace.type === "box") parts.push(group + box(trace, frame, hits) + "</g>");
        else if (trace.type !== "bar") parts.push(group + scatter(trace, frame, hits, shades) + "</g>");
      });
    });
    (layout.annotations ?? []).forEach((note) => parts.push(`<text x="${note.x * width}" y="${(1 - note.y) * height + 14}" text-anchor="middle" class="title">${plain(note.text)}</text>`));
    const legend = numbers.length ? barHtml(layout.coloraxis ?? {}, low, high) : legendHtml(data, layout);
    element.innerHTML = `${legend}<div class="stage"><svg class="main-svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img"
      aria-label="${escape(element.closest("figure")?.querySelector("figcaption")?.textContent ?? "figure")}">${parts.join("")}<g class="lines"></g></svg><div class="tip" hidden></div></div>`;
    element.drawing = { frame: first, hits };
    listen(element, hits, width);
  };

  const listen = (element, hits, width) => {
    const stage = element.querySelector(".stage"), tip = element.querySelector(".tip"), svg = element.querySelector("svg.main-svg");
    const inside = ([x, y, w, h], px, py) => px >= x && px < x + w && py >= y && py < y + h;
    const find = (px, py) => {
      let best = null, nearest = 18 * 18;
      hits.forEach((hit) => {
        if (hit.box) { if (inside(hit.box, px, py) && (!best || (hit.inner && inside(hit.inner, px, py)))) best = hit; return; }
        const d = (hit.x - px) ** 2 + (hit.y - py) ** 2;
        if (d < nearest) { nearest = d; best = hit; }
      });
      return best;
    };
    const move = (event) => {
      const bounds = svg.getBoundingClientRect(), scale = width / bounds.width;
      const [px, py] = [(event.clientX - bounds.x) * scale, (event.clientY - bounds.y) * scale];
      const hit = find(px, py);
      tip.hidden = !hit;
      if (!hit) return;
      tip.innerHTML = hit.html;
      const room = stage.clientWidth - tip.offsetWidth;
      const x = (hit.x ?? px) / scale, y = (hit.y ?? py) / scale;
      tip.style.left = `${Math.max(0, Math.min(room, x + (x > room / 2 + tip.offsetWidth / 2 ? -tip.offsetWidth - 14 : 14)))}px`;
      tip.style.top = `${Math.max(0, y - tip.offsetHeight - 8)}px`;
      if (hit.custom !== undefined) element.dispatchEvent(new CustomEvent("point", { detail: hit.custom }));
    };
    stage.addEventListener("pointermove", move);
    stage.addEventListener("pointerdown", move);
    stage.addEventListener("pointerleave", () => { tip.hidden = true; });
    // Pointing at a legend entry brings its points out.
    element.querySelectorAll(".entry[data-group]").forEach((entry) => {
      const dim = (on) => svg.querySelectorAll("g[data-group]").forEach((group) => {
        group.style.opacity = on && group.dataset.group !== entry.dataset.group ? 0.08 : "";
      });
      entry.addEventListener("pointerenter", () => dim(true));
      entry.addEventListener("pointerleave", () => dim(false));
    });
  };

  // Lines over a drawn figure, from one place to others in its own units.
  const connect = (element, from, groups) => {
    const { px, py } = element.drawing.frame, start = `${px(from[0]).toFixed(1)} ${py(from[1]).toFixed(1)}`;
    element.querySelector("g.lines").innerHTML = groups.map(({ to, colour, dash }) => to.map(([x, y]) =>
      `<path d="M${start}L${px(x).toFixed(1)} ${py(y).toFixed(1)}" style="stroke:${colour};stroke-width:2" ${dash ? `stroke-dasharray="${dash}"` : ""}/>` +
      `<circle cx="${px(x).toFixed(1)}" cy="${py(y).toFixed(1)}" r="6.5" style="fill:none;stroke:${colour};stroke-width:2.2"/>`).join("")).join("");
  };

  return { unpack, draw, connect };
})();
