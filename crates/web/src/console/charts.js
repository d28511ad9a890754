// Draws the charts of a user's data, with at most one point for each pixel of the plot.
"use strict";
(() => {
  const DAY = 86400;
  const STAGES = ["deep", "light", "rem", "awake"];
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  const number = (value) => (value === null ? "–" : value.toLocaleString("en", { maximumFractionDigits: 1 }));
  const hours = (seconds) => {
    const minutes = Math.round(seconds / 60);
    return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  };

  // Labels of a time axis, for steps of at least so many seconds: a label, and a second line at the start of a year or
  // day.
  const days = ["\n{D} {MMM} {YYYY}", null, "\n{D} {MMM}", null, null, null, 1];
  const TIMES = [
    [365 * DAY, "{YYYY}", null, null, null, null, null, null, 1],
    [28 * DAY, "{MMM}", "\n{YYYY}", null, null, null, null, null, 1],
    [DAY, "{D} {MMM}", "\n{YYYY}", null, null, null, null, null, 1],
    [60, "{HH}:{mm}", ...days],
    [1, "{HH}:{mm}:{ss}", ...days],
  ];

  class Chart {
    constructor(section) {
      this.section = section;
      this.name = section.dataset.chart;
      this.plot = section.querySelector("[data-plot]");
      this.summary = section.querySelector("[data-summary]");
      this.table = section.querySelector("[data-table]");
      this.provider = section.querySelector("select");
      this.from = Number(section.dataset.from);
      this.to = Number(section.dataset.to);
      this.request = 0;
      section.querySelector(".controls").hidden = false;
      this.provider.addEventListener("change", () => this.show(this.to - this.from, this.newest()));
      for (const button of section.querySelectorAll("[data-days]")) {
        button.addEventListener("click", () => this.span(button.dataset.days));
      }
      for (const button of section.querySelectorAll("[data-move]")) {
        const width = () => (this.to - this.from) * Number(button.dataset.move);
        button.addEventListener("click", () => this.load(this.from + width(), this.to + width()));
      }
      new ResizeObserver(() => this.resize()).observe(this.plot);
      dark.addEventListener("change", () => this.draw());
      this.load(this.from, this.to);
    }

    newest() {
      return Number(this.provider.selectedOptions[0].dataset.newest);
    }

    show(span, to) {
      this.load(to - span, to);
    }

    span(days) {
      const option = this.provider.selectedOptions[0].dataset;
      if (days === "all") this.load(Number(option.oldest), Number(option.newest));
      else this.show(Number(days) * DAY, Math.min(this.to, this.newest()));
    }

    url(page, chart) {
      const query = new URLSearchParams({
        chart: chart ?? this.name,
        provider: this.provider.value,
        from: Math.floor(this.from),
        to: Math.ceil(this.to),
      });
      if (page === "series") query.set("points", Math.max(50, Math.floor(this.plot.clientWidth)));
      return `${this.section.dataset.path}/${page}?${query}`;
    }

    async load(from, to) {
      // The shortest span is ten minutes.
      const middle = (from + to) / 2;
      const half = Math.max(300, (to - from) / 2);
      this.from = middle - half;
      this.to = middle + half;
      this.table.href = this.url("table");
      const request = ++this.request;
      try {
        const asked = [this.url("series")];
        // Sleep is drawn behind the heart rate if the span is short enough to tell stages apart.
        if (this.name === "heartrate" && this.to - this.from <= 8 * DAY) asked.push(this.url("series", "sleep"));
        const [points, sleep] = await Promise.all(asked.map(fetched));
        if (request !== this.request) return;
        this.points = points;
        this.sleep = sleep;
        this.draw();
        this.summary.textContent = this.text();
      } catch (error) {
        if (request === this.request) this.summary.textContent = `This chart cannot be shown: ${error.message}`;
      }
    }

    text() {
      const points = this.points;
      if (this.name === "sleep") {
        if (points.nights === 0) return "There is no sleep in this span.";
        const mean = points.total.map((length) => length / points.nights);
        const asleep = hours(mean[0] + mean[1] + mean[2]);
        const stages = STAGES.map((stage, index) => `${stage} ${hours(mean[index])}`);
        return `${points.nights === 1 ? "Slept once" : `Slept ${points.nights} times, on average`}: asleep ${asleep} (${stages.join(", ")}).`;
      }
      if (points.count === 0) return "There are no samples in this span.";
      const unit = points.unit ?? "";
      if ("addsUp" in this.section.dataset) return `${number(points.total)} in all, of ${number(points.count)} samples.`;
      let text = `${number(points.count)} samples: lowest ${number(points.min)}, mean ${number(points.total)}, highest ${number(points.max)} ${unit}.`;
      if (points.range) {
        const [below, within, above] = points.range.map((part) => Math.round((100 * part) / points.count));
        text += ` Below ${points.target[0]} ${unit}: ${below} %; within: ${within} %; above ${points.target[1]} ${unit}: ${above} %.`;
      }
      return text;
    }

    resize() {
      const width = this.plot.clientWidth;
      if (this.u && width > 0 && width !== this.u.width) this.u.setSize({ width, height: this.height() });
    }

    height() {
      return this.name === "sleep" ? 180 : 240;
    }

    draw() {
      if (!this.points) return;
      this.u?.destroy();
      this.plot.replaceChildren();
      const { options, data } = this.name === "sleep" ? this.sleepPlot() : this.samplePlot();
      this.u = new uPlot(options, data, this.plot);
    }

    options(series, more) {
      const axis = { stroke: colour("quiet"), grid: { stroke: colour("grid"), width: 1 }, ticks: { stroke: colour("grid"), width: 1 } };
      return {
        width: this.plot.clientWidth,
        height: this.height(),
        tzDate: (time) => uPlot.tzDate(new Date(time * 1e3), this.section.dataset.zone),
        scales: { x: { time: true, range: () => [this.from, this.to] }, ...more.scales },
        axes: [{ ...axis, values: TIMES }, { ...axis, size: 60, ...more.axis }],
        padding: [null, null, null, 16],
        cursor: { drag: { x: true, y: false, setScale: false } },
        legend: { live: true },
        series: [{ value: (u, time) => (time === null ? "–" : this.time(time)) }, ...series],
        bands: more.bands,
        hooks: {
          ...more.hooks,
          setSelect: [
            (u) => {
              if (u.select.width < 5) return;
              const [from, to] = [u.select.left, u.select.left + u.select.width].map((pixel) => u.posToVal(pixel, "x"));
              u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
              this.load(from, to);
            },
          ],
        },
      };
    }

    time(second) {
      const options = { timeZone: this.section.dataset.zone, dateStyle: "medium", timeStyle: "short", hourCycle: "h23" };
      return new Date(second * 1e3).toLocaleString("en-GB", options);
    }

    samplePlot() {
      const points = this.points;
      const value = (u, value) => (value === null ? "–" : `${number(value)} ${points.unit ?? ""}`);
      const line = colour("line-1");
      if ("addsUp" in this.section.dataset) {
        const series = [{ label: "Sum", stroke: line, fill: line, value, paths: uPlot.paths.bars({ size: [0.8, 200], align: 1 }), points: { show: false }, width: 0 }];
        return { options: this.options(series, { scales: { y: { range: (u, low, high) => [0, (high || 1) * 1.05] } } }), data: [points.time, points.value] };
      }
      const few = points.time.length < 60;
      const series = [
        { label: "Mean", stroke: line, width: 1.5, value, points: { show: few, size: 5 } },
        { label: "Lowest", stroke: "transparent", value, points: { show: false } },
        { label: "Highest", stroke: "transparent", value, points: { show: false } },
      ];
      const bands = [{ series: [3, 2], fill: colour("band") }];
      const hooks = {
        drawClear: [
          (u) => {
            if (this.sleep) this.drawStages(u, this.sleep.stages ?? []);
            if (points.target) this.drawTarget(u, points.target);
          },
        ],
      };
      const scales = points.target ? { y: { range: (u, low, high) => [Math.min(low ?? points.target[0], points.target[0]) * 0.9, Math.max(high ?? points.target[1], points.target[1]) * 1.1] } } : {};
      return { options: this.options(series, { bands, hooks, scales }), data: [points.time, points.value, points.low, points.high] };
    }

    // The target range, across the plot.
    drawTarget(u, [low, high]) {
      const [bottom, top] = [low, high].map((value) => u.valToPos(value, "y", true));
      u.ctx.save();
      u.ctx.fillStyle = colour("target");
      u.ctx.fillRect(u.bbox.left, top, u.bbox.width, bottom - top);
      u.ctx.restore();
    }

    // Stages of sleep behind something else.
    drawStages(u, stages) {
      u.ctx.save();
      u.ctx.beginPath();
      u.ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
      u.ctx.clip();
      u.ctx.globalAlpha = 0.35;
      for (const [start, end, stage] of stages) {
        const [left, right] = [start, end].map((time) => u.valToPos(time, "x", true));
        u.ctx.fillStyle = colour(`stage-${STAGES[stage]}`);
        u.ctx.fillRect(left, u.bbox.top, right - left, u.bbox.height);
      }
      u.ctx.restore();
    }

    sleepPlot() {
      const { stages, by_night: nights } = this.points;
      const detailed = Boolean(stages);
      const draw = (u) => {
        u.ctx.save();
        u.ctx.beginPath();
        u.ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
        u.ctx.clip();
        if (detailed) this.drawHypnogram(u, stages);
        else this.drawNights(u, nights);
        u.ctx.restore();
      };
      const top = detailed ? 4 : Math.max(1, ...nights.map(([, , lengths]) => lengths.reduce((sum, length) => sum + length, 0) / 3600)) * 1.05;
      const axis = detailed
        ? { splits: () => [0.5, 1.5, 2.5, 3.5], values: () => STAGES, size: 60, grid: { show: false } }
        : { values: (u, splits) => splits.map((split) => `${split} h`) };
      const more = { axis, hooks: { draw: [draw] }, scales: { y: { range: () => [0, top] } } };
      const options = this.options([{ show: true, label: "Sleep", stroke: "transparent", points: { show: false } }], more);
      options.legend = { show: false };
      options.cursor.points = { show: false };
      options.cursor.y = false;
      return { options, data: [[this.from, this.to], [null, null]] };
    }

    // A row for each stage; a line where one follows another.
    drawHypnogram(u, stages) {
      let before = null;
      for (const [start, end, stage] of stages) {
        const [left, right] = [start, end].map((time) => u.valToPos(time, "x", true));
        const [bottom, top] = [stage + 0.15, stage + 0.85].map((value) => u.valToPos(value, "y", true));
        u.ctx.fillStyle = colour(`stage-${STAGES[stage]}`);
        u.ctx.fillRect(left, top, Math.max(1, right - left), bottom - top);
        if (before && before.end === start) {
          const [from, to] = [before.stage + 0.5, stage + 0.5].map((value) => u.valToPos(value, "y", true));
          u.ctx.fillStyle = colour("quiet");
          u.ctx.fillRect(left, Math.min(from, to), 1, Math.abs(to - from));
        }
        before = { end, stage };
      }
    }

    // A bar for each night, with the stages one upon another.
    drawNights(u, nights) {
      for (const [index, [start, end, lengths]] of nights.entries()) {
        const next = nights[index + 1]?.[0] ?? start + DAY;
        const left = u.valToPos(start, "x", true);
        const width = Math.max(1, (u.valToPos(Math.max(end, Math.min(next, start + DAY)), "x", true) - left) * 0.8);
        let below = 0;
        for (const [stage, length] of lengths.entries()) {
          const [bottom, top] = [below, below + length / 3600].map((value) => u.valToPos(value, "y", true));
          u.ctx.fillStyle = colour(`stage-${STAGES[stage]}`);
          u.ctx.fillRect(left, top, width, bottom - top);
          below += length / 3600;
        }
      }
    }
  }

  const fetched = async (url) => {
    const response = await fetch(url, { headers: { accept: "application/json", "x-console-script": "charts" } });
    if (response.status === 401) throw new Error("you are signed out. Load the page again.");
    if (response.status === 422) throw new Error("there are too many samples in this span. Choose a shorter one.");
    if (!response.ok) throw new Error(`the service responded ${response.status}.`);
    return response.json();
  };

  for (const section of document.querySelectorAll("[data-chart]")) new Chart(section);
})();
