// What the page says, in English and in Chinese, and the switch between them.

const TEXTS = { // [English, Chinese]; {0}, {1} ... are filled in
  "skip": ["Skip to the text", "跳到文本框"],
  "tagline": ["Words, tags and trees, woven together.", "分词、词性与句法，一气呵成。"],
  "text.label": ["Text to analyse", "待分析的文本"],
  "text.placeholder": ["Type or paste text …", "输入或粘贴文本……"],
  "model": ["Model", "模型"],
  "model.auto": ["by script", "按文字自动选择"],
  "examples": ["Examples", "示例"],
  "language": ["Language: 中文", "Language: English"],
  "theme": ["Colours: {0}", "配色：{0}"],
  "theme.auto": ["same as the system", "跟随系统"],
  "theme.light": ["light", "浅色"],
  "theme.dark": ["dark", "深色"],
  "layout": ["Layout", "版式"],
  "layout.auto": ["Auto", "自动"],
  "layout.across": ["Across", "横排"],
  "layout.down": ["Down", "竖排"],
  "working": ["working …", "分析中……"],
  "took": ["{0} ms", "{0} 毫秒"],
  "count": ["{0} · {1}", "{0} · {1}"],
  "sentence.one": ["1 sentence", "1 句"],
  "sentence.many": ["{0} sentences", "{0} 句"],
  "word.one": ["1 word", "1 词"],
  "word.many": ["{0} words", "{0} 词"],
  "more": ["Show {0} more", "再显示 {0} 句"],
  "note.spaces": ["This model expects words separated by spaces, one sentence per line.", "此模型不分词：词之间请加空格，一行一句。"],
  "note.tags": ["This model predicts tags, but no trees.", "此模型只标词性，不给出句法树。"],
  "error.offline": ["The server does not answer. Is plait serve still running?", "服务器没有响应。plait serve 还在运行吗？"],
  "error.timeout": ["The request took too long. Try a shorter text.", "一次请求处理不完，请缩短文本。"],
  "error.too_large": ["The text is too long for one request.", "文本太长，超出一次请求的上限。"],
  "error.long_sentence": ["A sentence is too long for this model. Shorten it, or use another model.", "有一个句子太长，此模型无法处理；请断句，或换一个模型。"],
  "hint.mouse": [
    "Click a word or an arc to change it, or drag a word onto its head; the rest is parsed again around your change.",
    "单击词或弧即可修改，也可把词拖到它的中心词上；其余部分会据此重新分析。",
  ],
  "hint.touch": ["Tap a word or an arc to change it; the rest is parsed again around your change.", "轻触词或弧即可修改；其余部分会据此重新分析。"],
  "steps": ["Steps", "逐步"],
  "undo": ["Undo", "撤销"],
  "reset": ["Reset", "还原"],
  "picture": ["⤓ SVG", "⤓ SVG"],
  "too.long": ["{0} words are too many to draw; they are listed below, and the download contains the whole tree.", "共 {0} 词，太长，无法画树；下面列出各词，下载的文件包含全部结果。"],
  "first": ["Back to the start", "回到开头"],
  "back": ["One step back", "后退一步"],
  "on": ["Next step", "前进一步"],
  "play": ["Play", "播放"],
  "pause": ["Pause", "暂停"],
  "step": ["Step", "步骤"],
  "step.start": ["Nothing is decided yet.", "尚未作出任何决定。"],
  "step.tag": ["{0} becomes {1}", "“{0}”标为 {1}"],
  "step.attach": ["{0} is attached to {1} as {2}", "“{0}”依存于“{1}”，关系为 {2}"],
  "step.attach.bare": ["{0} is attached to {1}", "“{0}”依存于“{1}”"],
  "step.root": ["{0} remains: it is the root", "只剩“{0}”：它是句子的根"],
  "step.shift": ["SHIFT: {0} goes on the stack", "SHIFT：“{0}”入栈"],
  "step.append": ["APPEND: {0} is extended", "APPEND：“{0}”加长"],
  "step.swap": ["SWAP: {0} goes back to the buffer, after {1}", "SWAP：“{0}”退回到“{1}”之后"],
  "step.left": ["LEFT: {0} is attached to {1} as {2}", "LEFT：“{0}”依存于“{1}”，关系为 {2}"],
  "step.right": ["RIGHT: {0} is attached to {1} as {2}", "RIGHT：“{0}”依存于“{1}”，关系为 {2}"],
  "score": ["score {0}", "得分 {0}"],
  "valid": ["Valid here, best first ({0} in all):", "此时可选的决定，从优到劣（共 {0} 个）："],
  "confidence": ["confidence {0}", "置信度 {0}"],
  "stack": ["stack", "栈"],
  "buffer": ["to come", "待处理"],
  "pending": ["pending", "未归并"],
  "edit.tag": ["Tag", "词性"],
  "edit.head": ["Head", "中心词"],
  "edit.label": ["Label", "关系"],
  "edit.lemma": ["Lemma", "词元"],
  "edit.feats": ["Features", "形态特征"],
  "edit.title": ["Edit “{0}”", "编辑“{0}”"],
  "edit.close": ["Close", "关闭"],
  "edit.root": ["0 · root of the sentence", "0 · 句子的根"],
  "edit.keep": ["What you set is pinned; the rest is parsed again around it.", "您设定的部分会固定下来，其余部分在此前提下重新分析。"],
  "edit.local": [
    "This model cannot parse around your change: it is applied as it is, and nothing else is parsed again.",
    "此模型不能在给定部分的前提下分析：修改会照样生效，但其余部分不会重新分析。",
  ],
  "pin": ["Pin: stays as it is", "固定：保持不变"],
  "unpin": ["Let the model choose again", "交还模型决定"],
  "changed.none": ["Pinned. Nothing else changed.", "已固定，其他词没有变化。"],
  "changed.one": ["Pinned. One other word changed: {0}.", "已固定，另有 1 个词随之变化：{0}。"],
  "changed.many": ["Pinned. {0} other words changed: {1}.", "已固定，另有 {0} 个词随之变化：{1}。"],
  "unpinned": ["Unpinned.", "已取消固定。"],
  "applied": ["Changed by hand; this model cannot parse the rest again around it.", "已手工修改；此模型不能据此重新分析其余部分。"],
  "choose.head": ["Choose the head of “{0}”: arrows, then Enter; 0 makes it the root; Esc cancels.", "为“{0}”选择中心词：用方向键选择，回车确认；按 0 设为根；Esc 放弃。"],
  "tip.of": ["{0} of {1}", "“{1}”的 {0}"],
  "tip.root": ["root of the sentence", "句子的根"],
  "tip.decided": ["decided in step {0} of {1}", "第 {0} 步决定，共 {1} 步"],
  "tip.pinned": ["pinned: {0}", "已固定：{0}"],
  "aria.word": ["{0}, {1}, {2}", "{0}，{1}，{2}"],
  "help.title": ["How to edit and move", "如何编辑与移动"],
  "help": [
    [
      ["Enter", "edit the tag, head and label of a word; a click or tap does the same"],
      ["← →", "to the next word; ↑ to the head, ↓ to the first child; in the layout with one word per line, the other way round"],
      ["H", "choose another head with the arrows; with a mouse, drag a word onto its head"],
      ["Delete", "let the model choose this word's tag, head and label again"],
      ["Ctrl Z", "undo the last edit of the sentence"],
      ["S", "step through the decisions in the order they were made"],
      ["┄", "a dotted arc: the model gives this word a confidence below one half; an orange arc: you have pinned it"],
    ],
    [
      ["Enter", "编辑词性、中心词和关系；单击或轻触亦可"],
      ["← →", "移到相邻的词；↑ 到中心词，↓ 到第一个从属词；竖排时方向互换"],
      ["H", "用方向键另选中心词；用鼠标时，把词拖到它的中心词上"],
      ["Delete", "把这个词的词性、中心词和关系交还模型决定"],
      ["Ctrl Z", "撤销对本句的上一次修改"],
      ["S", "按先后次序逐步查看各个决定"],
      ["┄", "虚线弧：模型对这个词的置信度低于二分之一；橙色弧：已由您固定"],
    ],
  ],
};

const LANGUAGES = ["en", "zh"];

function first() {
  const stored = remembered("plait.language");
  if (LANGUAGES.includes(stored)) return stored;
  return (navigator.language || "en").toLowerCase().startsWith("zh") ? "zh" : "en";
}

export function remembered(key) {
  try { return localStorage.getItem(key); } catch { return null; } // private windows may have no storage
}

export function remember(key, value) {
  try { localStorage.setItem(key, value); } catch { /* not remembered, then */ }
}

export let language = first();

export function say(key, ...values) {
  const text = TEXTS[key]?.[LANGUAGES.indexOf(language)] ?? key;
  return typeof text === "string" ? text.replace(/\{(\d)\}/g, (_, k) => values[k] ?? "") : text;
}

// What went wrong, in the reader's language where the page has a text for it, otherwise the server's message.
export function sayError(error) {
  const key = `error.${error.code}`;
  return key in TEXTS ? say(key) : error.message;
}

export function many(what, count) {
  return say(`${what}.${count === 1 ? "one" : "many"}`, count.toLocaleString(language));
}

export function setLanguage(name) {
  language = LANGUAGES.includes(name) ? name : "en";
  remember("plait.language", language);
  translate();
}

// Fills every element that names its words in data-i18n.
export function translate() {
  document.documentElement.lang = language === "zh" ? "zh-Hans" : "en";
  for (const element of document.querySelectorAll("[data-i18n]")) element.textContent = say(element.dataset.i18n);
}
