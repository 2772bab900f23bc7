// A page of traces: each sentence with the bar that steps through its decisions. The records are part of the page.

import { isRightToLeft } from "./layout.js";
import { Stepper } from "./stepper.js";
import { drawTree } from "./tree.js";

const NO_PINS = new Map();
const UNCHANGED = new Set();

class TracedSentence {
  constructor(record, element) {
    this.record = record;
    this.element = element;
    this.rtl = isRightToLeft(record.forms);
    element.dir = this.rtl ? "rtl" : "ltr";
    this.canvas = element.querySelector(".canvas");
    this.stepper = new Stepper(this, element.querySelector(".steps"));
    this.draw();
  }

  draw() {
    const { forms, tags, ranges } = this.record;
    const view = { forms, tags, ...this.stepper.tree, scores: null, ranges, pins: NO_PINS, changed: UNCHANGED, rtl: this.rtl, shows: this.stepper.shows() };
    this.canvas.replaceChildren(drawTree(view, innerWidth < 640 ? "down" : "across", this.canvas.clientWidth));
  }
}

const records = JSON.parse(document.getElementById("records").textContent);
const traced = [...document.querySelectorAll(".sentence")].map((element, k) => new TracedSentence(records[k], element));
addEventListener("resize", () => traced.forEach((sentence) => sentence.draw()));
