// Texts to begin with: as people write them, and with spaces between all words for models that do not segment.

const ENGLISH = [
  ["Mary reads the old book.", "Mary reads the old book ."],
  ["She told him that the train had already left.", "She told him that the train had already left ."],
  ["Don't you think we should've taken the old road?", "Do n't you think we should 've taken the old road ?"],
];
const CHINESE = [
  ["中国对外开放稳步前行。", "中国 对外 开放 稳步 前行 。"],
  ["他昨天买了三本书。", "他 昨天 买 了 三 本 书 。"],
  ["我們都很喜歡這座城市的夜景。", "我們 都 很 喜歡 這 座 城市 的 夜景 。"],
];

export function examplesFor(model, language) {
  const which = model.segments ? 0 : 1;
  const name = model.name.toLowerCase();
  const both = language === "zh" ? [CHINESE[0], CHINESE[1], ENGLISH[0]] : [ENGLISH[0], ENGLISH[1], CHINESE[0]];
  const chosen = /^zh|chin/.test(name) ? CHINESE : /^en/.test(name) ? ENGLISH : both;
  return chosen.map((pair) => pair[which]);
}
