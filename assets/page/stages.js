// Stages and blocks of a network, from the paths of its layers.

/** The last word of a path; a number alone says little, so it has the word before it: `layer1.0`. */
function wordName(path) {
  const words = path.split(".");
  return words.slice(/^\d+$/.test(words[words.length - 1]) ? -2 : -1).join(".");
}

/** Neighbours with the same first words: [from, to, name]. */
function runsOf(names, depth) {
  const runs = [];
  names.forEach((name, index) => {
    const prefix = name.split(".").slice(0, depth).join(".");
    const last = runs[runs.length - 1];
    if (last && last.name === prefix) last.to = index + 1;
    else runs.push({from: index, to: index + 1, name: prefix});
  });
  return runs;
}

/**
 * The level at which the network has a few parts of several layers is that of its stages; the one
 * below it has the blocks.
 */
function stagesOf(names) {
  const deepest = Math.min(6, names.reduce((most, name) => Math.max(most, name.split(".").length), 1));
  for (let depth = 1; depth <= deepest; ++depth) {
    const runs = runsOf(names, depth);
    if (runs.filter((run) => run.to - run.from > 1).length >= 3 || depth === deepest)
      return {stages: runs, blocks: runsOf(names, depth + 1)};
  }
  return {stages: [], blocks: []};
}

/** What is around stages that are called by numbers: `features` around `features.0` to `features.18`. */
function outerRuns(stages) {
  const numbered = stages.filter((stage) => /\.\d+$/.test(stage.name));
  if (numbered.length < 4 || 2 * numbered.length < stages.length) return [];
  const runs = [];
  for (const stage of stages) {
    const name = stage.name.includes(".") ? stage.name.slice(0, stage.name.lastIndexOf(".")) : "";
    const last = runs[runs.length - 1];
    if (last && last.name === name) last.to = stage.to;
    else runs.push({from: stage.from, to: stage.to, name});
  }
  return runs.filter((run) => run.name !== "");
}

/** Names of a stage, from the whole path to the number at its end. */
const kNames = [(path) => path, wordName, (path) => path.split(".").pop(),
                (path) => path.split(/[._]/).pop()];
