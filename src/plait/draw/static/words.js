// What the page says, in English and in Chinese, and the switch between them.

const ENGLISH = {
  "skip": "Skip to the text",
  "tagline": "Words, tags and trees, woven together.",
  "text.label": "Text to analyse",
  "text.placeholder": "Type or paste text …",
  "model": "Model",
  "model.auto": "by script",
  "examples": "Examples",
  "language": "Language: 中文",
  "theme": "Colours: {0}",
  "theme.auto": "as the system",
  "theme.light": "light",
  "theme.dark": "dark",
  "layout": "Layout",
  "layout.auto": "Auto",
  "layout.across": "Across",
  "layout.down": "Down",
  "working": "working …",
  "took": "{0} ms",
  "count": "{0} · {1}",
  "sentence.one": "1 sentence",
  "sentence.many": "{0} sentences",
  "word.one": "1 word",
  "word.many": "{0} words",
  "more": "Show {0} more",
  "note.spaces": "This model takes words between spaces and one sentence a line.",
  "note.tags": "This model gives tags but no trees.",
  "error.offline": "The server does not answer. Is plait serve still running?",
  "error.timeout": "This takes too long for one request. Try a shorter text.",
  "error.too_large": "The text is too long for one request.",
  "error.long_sentence": "A sentence is too long for this model. Cut it, or take another model.",
  "hint.mouse": "Click a word or an arc to change it, or drag a word onto its head; the rest is parsed again around your change.",
  "hint.touch": "Tap a word or an arc to change it; the rest is parsed again around your change.",
  "steps": "Steps",
  "undo": "Undo",
  "reset": "Reset",
  "picture": "⤓ SVG",
  "too.long": "{0} words are too many to draw; the words stand below, and the download holds all of it.",
  "first": "Back to the start", "back": "One step back", "on": "Next step", "play": "Play", "pause": "Pause",
  "step": "Step",
  "step.start": "Nothing is decided yet.",
  "step.tag": "{0} becomes {1}",
  "step.attach": "{0} is attached to {1} as {2}",
  "step.attach.bare": "{0} is attached to {1}",
  "step.root": "{0} is left: it is the root",
  "step.shift": "SHIFT: {0} goes on the stack",
  "step.append": "APPEND: {0} is longer than that",
  "step.swap": "SWAP: {0} goes back behind {1}",
  "step.left": "LEFT: {0} is attached to {1} as {2}",
  "step.right": "RIGHT: {0} is attached to {1} as {2}",
  "score": "score {0}",
  "valid": "Valid here, best first ({0} in all):",
  "confidence": "confidence {0}",
  "stack": "stack", "buffer": "to come", "pending": "pending",
  "edit.tag": "Tag", "edit.head": "Head", "edit.label": "Label", "edit.lemma": "Lemma", "edit.feats": "Features",
  "edit.title": "Edit “{0}”",
  "edit.close": "Close",
  "edit.root": "0 · root of the sentence",
  "edit.keep": "What you set is pinned; the rest is found again under it.",
  "edit.local": "This model cannot keep given parts: your edit is applied as it is, and nothing else is parsed again.",
  "pin": "Pin: stays as it is",
  "unpin": "Let the model choose again",
  "changed.none": "Pinned. Nothing else changed.",
  "changed.one": "Pinned. One other word changed: {0}.",
  "changed.many": "Pinned. {0} other words changed: {1}.",
  "unpinned": "Unpinned.",
  "applied": "Changed by hand; this model cannot parse the rest again under it.",
  "choose.head": "Choose the head of “{0}”: arrows, then Enter; 0 makes it the root; Esc gives up.",
  "tip.of": "{0} of {1}",
  "tip.root": "root of the sentence",
  "tip.decided": "decided in step {0} of {1}",
  "tip.pinned": "pinned: {0}",
  "aria.word": "{0}, {1}, {2}",
  "help.title": "How to edit and move",
  "help": [
    ["Enter", "edit the tag, head and label of a word; a click or tap does the same"],
    ["← →", "to the next word; ↑ to the head, ↓ to the first child; where words stand below each other, the other way round"],
    ["H", "choose another head with the arrows; with a mouse, drag a word onto its head"],
    ["Delete", "let the model choose this word's tag, head and label again"],
    ["Ctrl Z", "undo the last edit of the sentence"],
    ["S", "step through the decisions in the order they were made"],
    ["┄", "a dotted arc: the model gives this word a confidence below one half; an orange arc: you have pinned it"],
  ],
};

const CHINESE = {
  "skip": "跳到文本框",
  "tagline": "分词、词性与句法，一气呵成。",
  "text.label": "待分析的文本",
  "text.placeholder": "输入或粘贴文本……",
  "model": "模型",
  "model.auto": "按文字自动选择",
  "examples": "示例",
  "language": "Language: English",
  "theme": "配色：{0}",
  "theme.auto": "跟随系统",
  "theme.light": "浅色",
  "theme.dark": "深色",
  "layout": "版式",
  "layout.auto": "自动",
  "layout.across": "横排",
  "layout.down": "竖排",
  "working": "分析中……",
  "took": "{0} 毫秒",
  "count": "{0} · {1}",
  "sentence.one": "1 句",
  "sentence.many": "{0} 句",
  "word.one": "1 词",
  "word.many": "{0} 词",
  "more": "再显示 {0} 句",
  "note.spaces": "此模型不分词：词之间请加空格，一行一句。",
  "note.tags": "此模型只标词性，不给出句法树。",
  "error.offline": "服务器没有响应。plait serve 还在运行吗？",
  "error.timeout": "一次请求处理不完，请缩短文本。",
  "error.too_large": "文本太长，超出一次请求的上限。",
  "error.long_sentence": "有一个句子太长，此模型无法处理；请断句，或换一个模型。",
  "hint.mouse": "单击词或弧即可修改，也可把词拖到它的中心词上；其余部分会据此重新分析。",
  "hint.touch": "轻触词或弧即可修改；其余部分会据此重新分析。",
  "steps": "逐步",
  "undo": "撤销",
  "reset": "还原",
  "picture": "⤓ SVG",
  "too.long": "共 {0} 词，太长，无法画树；下面列出各词，下载的文件包含全部结果。",
  "first": "回到开头", "back": "后退一步", "on": "前进一步", "play": "播放", "pause": "暂停",
  "step": "步骤",
  "step.start": "尚未作出任何决定。",
  "step.tag": "“{0}”标为 {1}",
  "step.attach": "“{0}”依存于“{1}”，关系为 {2}",
  "step.attach.bare": "“{0}”依存于“{1}”",
  "step.root": "只剩“{0}”：它是句子的根",
  "step.shift": "SHIFT：“{0}”入栈",
  "step.append": "APPEND：“{0}”加长",
  "step.swap": "SWAP：“{0}”退回到“{1}”之后",
  "step.left": "LEFT：“{0}”依存于“{1}”，关系为 {2}",
  "step.right": "RIGHT：“{0}”依存于“{1}”，关系为 {2}",
  "score": "得分 {0}",
  "valid": "此时可选的决定，从优到劣（共 {0} 个）：",
  "confidence": "置信度 {0}",
  "stack": "栈", "buffer": "待处理", "pending": "未归并",
  "edit.tag": "词性", "edit.head": "中心词", "edit.label": "关系", "edit.lemma": "词元", "edit.feats": "形态特征",
  "edit.title": "编辑“{0}”",
  "edit.close": "关闭",
  "edit.root": "0 · 句子的根",
  "edit.keep": "您设定的部分会固定下来，其余部分在此前提下重新分析。",
  "edit.local": "此模型不能在给定部分的前提下分析：修改会照样生效，但其余部分不会重新分析。",
  "pin": "固定：保持不变",
  "unpin": "交还模型决定",
  "changed.none": "已固定，其他词没有变化。",
  "changed.one": "已固定，另有 1 个词随之变化：{0}。",
  "changed.many": "已固定，另有 {0} 个词随之变化：{1}。",
  "unpinned": "已取消固定。",
  "applied": "已手工修改；此模型不能据此重新分析其余部分。",
  "choose.head": "为“{0}”选择中心词：用方向键选择，回车确认；按 0 设为根；Esc 放弃。",
  "tip.of": "“{1}”的 {0}",
  "tip.root": "句子的根",
  "tip.decided": "第 {0} 步决定，共 {1} 步",
  "tip.pinned": "已固定：{0}",
  "aria.word": "{0}，{1}，{2}",
  "help.title": "如何编辑与移动",
  "help": [
    ["Enter", "编辑词性、中心词和关系；单击或轻触亦可"],
    ["← →", "移到相邻的词；↑ 到中心词，↓ 到第一个从属词；竖排时方向互换"],
    ["H", "用方向键另选中心词；用鼠标时，把词拖到它的中心词上"],
    ["Delete", "把这个词的词性、中心词和关系交还模型决定"],
    ["Ctrl Z", "撤销对本句的上一次修改"],
    ["S", "按先后次序逐步查看各个决定"],
    ["┄", "虚线弧：模型对这个词的置信度低于二分之一；橙色弧：已由您固定"],
  ],
};

const LANGUAGES = { en: ENGLISH, zh: CHINESE };

function first() {
  const stored = remembered("plait.language");
  if (stored in LANGUAGES) return stored;
  return (navigator.language || "en").toLowerCase().startsWith("zh") ? "zh" : "en";
}

export function remembered(key) {
  try { return localStorage.getItem(key); } catch { return null; } // private windows may have no storage
}

export function remember(key, value) {
  try { localStorage.setItem(key, value); } catch { /* then it is forgotten */ }
}

export let language = first();

export function say(key, ...values) {
  const text = LANGUAGES[language][key] ?? ENGLISH[key] ?? key;
  return typeof text === "string" ? text.replace(/\{(\d)\}/g, (_, k) => values[k] ?? "") : text;
}

// What went wrong, in the reader's language where the page has words for it, else as the server puts it.
export function sayError(error) {
  const key = `error.${error.code}`;
  return key in ENGLISH ? say(key) : error.message;
}

export function many(what, count) {
  return say(`${what}.${count === 1 ? "one" : "many"}`, count.toLocaleString(language));
}

export function setLanguage(name) {
  language = name in LANGUAGES ? name : "en";
  remember("plait.language", language);
  translate();
}

// Fills every element that names its words in data-i18n.
export function translate() {
  document.documentElement.lang = language === "zh" ? "zh-Hans" : "en";
  for (const element of document.querySelectorAll("[data-i18n]")) element.textContent = say(element.dataset.i18n);
}
