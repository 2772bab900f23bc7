// Universal Dependencies for people: what the tags and relations are called.

export const TAGS = {
  ADJ: ["adjective", "形容词"], ADP: ["adposition", "介词"], ADV: ["adverb", "副词"], AUX: ["auxiliary", "助动词"],
  CCONJ: ["coordinating conjunction", "并列连词"], DET: ["determiner", "限定词"], INTJ: ["interjection", "叹词"],
  NOUN: ["noun", "名词"], NUM: ["numeral", "数词"], PART: ["particle", "助词"], PRON: ["pronoun", "代词"],
  PROPN: ["proper noun", "专有名词"], PUNCT: ["punctuation", "标点"], SCONJ: ["subordinating conjunction", "从属连词"],
  SYM: ["symbol", "符号"], VERB: ["verb", "动词"], X: ["other", "其他"],
};

export const RELATIONS = {
  acl: ["clause that modifies a noun", "修饰名词的从句"], advcl: ["adverbial clause", "状语从句"],
  advmod: ["adverbial modifier", "状语"], amod: ["adjectival modifier", "形容词定语"], appos: ["apposition", "同位语"],
  aux: ["auxiliary", "助动词"], case: ["case marker", "格标记"], cc: ["coordinating conjunction", "并列连词"],
  ccomp: ["clausal complement", "从句补语"], clf: ["classifier", "量词"], compound: ["compound", "复合词"],
  conj: ["conjunct", "并列成分"], cop: ["copula", "系词"], csubj: ["clausal subject", "从句主语"],
  dep: ["unspecified dependency", "未定关系"], det: ["determiner", "限定词"], discourse: ["discourse element", "话语成分"],
  dislocated: ["dislocated element", "移位成分"], expl: ["expletive", "形式成分"],
  fixed: ["fixed expression", "固定搭配"], flat: ["flat expression", "扁平结构"], goeswith: ["goes with", "误拆的词"],
  iobj: ["indirect object", "间接宾语"], list: ["list", "列表"], mark: ["marker", "从句标记"],
  nmod: ["nominal modifier", "名词性定语"], nsubj: ["nominal subject", "名词性主语"],
  nummod: ["numeric modifier", "数量定语"], obj: ["object", "宾语"], obl: ["oblique nominal", "旁格成分"],
  orphan: ["orphan", "省略残留"], parataxis: ["parataxis", "并置"], punct: ["punctuation", "标点"],
  reparandum: ["overridden disfluency", "口误"], root: ["root", "根"], vocative: ["vocative", "呼语"],
  xcomp: ["open clausal complement", "开放补语"],
};

const CLASSES = {
  noun: ["NOUN", "PROPN", "PRON", "NUM"],
  verb: ["VERB", "AUX"],
  modifier: ["ADJ", "ADV"],
  function: ["ADP", "CCONJ", "DET", "PART", "SCONJ"],
};

export function tagClass(tag) {
  for (const [name, tags] of Object.entries(CLASSES)) if (tags.includes(tag)) return name;
  return "other";
}

export function explainTag(tag, language) {
  return TAGS[tag]?.[language === "zh" ? 1 : 0] ?? "";
}

export function explainRelation(label, language) {
  return RELATIONS[label.split(":")[0]]?.[language === "zh" ? 1 : 0] ?? "";
}
