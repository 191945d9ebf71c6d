// Places boxes in ranks, top to bottom, and routes the lines between them: a layered layout
// (Sugiyama, Tagawa, Toda) of the inside of one module.

const kRankGap = 26;   // between ranks, in which lines run
const kBoxGap = 18;    // between neighbours of a rank
const kLineGap = 9;    // the same for lines that pass
const kSweeps = 8;     // over the order
const kPlacings = 9;   // over the places; the last goes down, so that chains are straight

/**
 * The items of a layout: boxes, and the points at which lines pass through a rank. A value is one line
 * that branches where it is read, so that a rank has at most one point for each source.
 * @typedef {{box: number, rank: number, x: number, width: number, height: number,
 *            up: Array<{item: object, shift: number, weight: number}>, down: Array<object>}} Item
 */
function layoutItem(box, rank, size) {
  return {box, rank, x: 0, width: size.width, height: size.height, in: size.in, out: size.out, up: [], down: []};
}

/** The longest way from the top; a box that reads nothing stands just above its first reader. */
function ranksOf(count, links, first) {
  const rank = new Array(count).fill(first), reads = new Array(count).fill(false);
  const sorted = links.slice().sort((a, b) => a.from - b.from);  // boxes are in running order
  for (const {from, to} of sorted) {
    rank[to] = Math.max(rank[to], rank[from] + 1);
    reads[to] = true;
  }
  const lowest = new Array(count).fill(Infinity);
  for (const {from, to} of sorted) lowest[from] = Math.min(lowest[from], rank[to] - 1);
  return rank.map((own, i) => reads[i] || lowest[i] === Infinity ? own : Math.max(own, lowest[i]));
}

/** Joins two items that stand in neighbouring ranks. */
function joinItems(above, below) {
  const passes = (above.box < 0) + (below.box < 0), weight = passes === 2 ? 8 : passes === 1 ? 2 : 1;
  const shift = above.out - below.in;  // of the middle of `below` for a straight line
  above.down.push({item: below, shift: -shift, weight});
  below.up.push({item: above, shift, weight});
}

/** Where a line from `source` passes each rank, made as far down as it is needed. */
function pointAbove(source, rank, passing, ranks) {
  let last = source;
  for (let at = source.rank + 1; at < rank; ++at) {
    const known = passing.get(at);
    if (known) {
      last = known;
      continue;
    }
    const point = layoutItem(-1, at, {width: 2, height: 0, in: 0, out: 0});
    passing.set(at, point);
    ranks[at].push(point);
    joinItems(last, point);
    last = point;
  }
  return last;
}

/** Every item moves to the mean place of its neighbours in the rank before. */
function orderRanks(ranks) {
  const place = () => ranks.forEach((rank) => rank.forEach((item, i) => { item.at = i; }));
  place();
  for (let sweep = 0; sweep < kSweeps; ++sweep) {
    const down = sweep % 2 === 0;
    for (const rank of down ? ranks : ranks.slice().reverse()) {
      for (const item of rank) {
        const near = down ? item.up : item.down;
        item.mean = near.length === 0 ? item.at : near.reduce((sum, one) => sum + one.item.at, 0) / near.length;
      }
      rank.sort((a, b) => a.mean - b.mean || a.at - b.at);
      rank.forEach((item, i) => { item.at = i; });
    }
  }
}

function gapBetween(a, b) {
  return (a.width + b.width) / 2 + (a.box < 0 && b.box < 0 ? kLineGap : kBoxGap);
}

/** The nearest places to the wanted ones that keep order and distance: neighbours that want to pass
 *  one another become one group (pool adjacent violators). */
function settleRank(rank, wanted, weights) {
  const groups = [];
  let offset = 0;
  rank.forEach((item, i) => {
    if (i > 0) offset += gapBetween(rank[i - 1], item);
    item.offset = offset;
    let group = {sum: weights[i] * (wanted[i] - offset), weight: weights[i], count: 1};
    while (groups.length > 0) {
      const last = groups[groups.length - 1];
      if (last.sum / last.weight <= group.sum / group.weight) break;
      groups.pop();
      group = {sum: last.sum + group.sum, weight: last.weight + group.weight, count: last.count + group.count};
    }
    groups.push(group);
  });
  let i = 0;
  for (const group of groups)
    for (let n = 0; n < group.count; ++n, ++i) rank[i].x = group.sum / group.weight + rank[i].offset;
}

function placeAcross(ranks) {
  for (const rank of ranks) settleRank(rank, rank.map(() => 0), rank.map(() => 1));
  for (let sweep = 0; sweep < kPlacings; ++sweep) {
    const down = sweep % 2 === 0;
    for (const rank of down ? ranks : ranks.slice().reverse()) {
      const near = rank.map((item) => down ? item.up : item.down);
      const weights = near.map((list) => list.reduce((sum, one) => sum + one.weight, 0) || 0.1);
      settleRank(rank, rank.map((item, i) => near[i].length === 0 ? item.x
        : near[i].reduce((sum, one) => sum + one.weight * (one.item.x + one.shift), 0) / weights[i]), weights);
    }
  }
}

/** From the lower edge of one item to the upper edge of one in the next rank. */
function lineBetween(above, below, tops, heights) {
  const bottom = tops[above.rank] + heights[above.rank], top = tops[below.rank];
  const x = above.x + above.out, to = below.x + below.in, half = (bottom + top) / 2;
  const start = above.box < 0 ? tops[above.rank] : above.y + above.height;
  const end = below.box < 0 ? top + heights[below.rank] : below.y;
  const bend = Math.abs(x - to) < 0.5 ? `V${top}`
    : `V${bottom}C${x.toFixed(1)} ${half} ${to.toFixed(1)} ${half} ${to.toFixed(1)} ${top}`;
  return `M${x.toFixed(1)} ${start.toFixed(1)}${bend}V${end.toFixed(1)}`;
}

/**
 * `sizes` are those of boxes in running order: {width, height, in, out}, the last two where lines enter
 * and leave, from the middle. `links` are pairs {from, to} of boxes; `ins` and `outs` are those with a
 * line to the world, and `ends` are the sizes of the two places where such lines end.
 */
function layered(sizes, links, ins, outs, ends) {
  const back = links.filter(({from, to}) => from > to);
  const ahead = [...links.filter(({from, to}) => from < to), ...back.map(({from, to}) => ({from: to, to: from}))];
  const rank = ranksOf(sizes.length, ahead, ins.length > 0 ? 1 : 0);
  const deepest = rank.reduce((most, one) => Math.max(most, one), 0);
  const ranks = Array.from({length: deepest + (outs.length > 0 ? 2 : 1)}, () => []);
  const items = sizes.map((size, i) => layoutItem(i, rank[i], size));
  for (const item of items) ranks[item.rank].push(item);
  const enter = layoutItem(sizes.length, 0, ends[0]), leave = layoutItem(sizes.length + 1, deepest + 1, ends[1]);
  if (ins.length > 0) ranks[0].push(enter);
  if (outs.length > 0) ranks[deepest + 1].push(leave);
  const joins = [...ins.map((to) => [enter, items[to]]), ...ahead.map(({from, to}) => [items[from], items[to]]),
                 ...outs.map((from) => [items[from], leave])].sort((a, b) => a[1].rank - b[1].rank);
  const passing = new Map();  // by source: its points
  for (const [from, to] of joins) {
    if (!passing.has(from)) passing.set(from, new Map());
    joinItems(pointAbove(from, to.rank, passing.get(from), ranks), to);
  }
  orderRanks(ranks);
  placeAcross(ranks);
  const tops = [], heights = ranks.map((row) => row.reduce((most, item) => Math.max(most, item.height), 0));
  heights.reduce((top, height, i) => { tops[i] = top; return top + height + kRankGap; }, 0);
  const all = ranks.flat();
  const left = all.reduce((least, item) => Math.min(least, item.x - item.width / 2), Infinity);
  for (const item of all) {
    item.x -= left;
    item.y = tops[item.rank] + (heights[item.rank] - item.height) / 2;
  }
  const isBack = new Set(back.map(({from, to}) => `${to} ${from}`));
  const lines = [], returns = [], tips = [];
  for (const above of all)
    for (const {item: below} of above.down) {
      (isBack.has(`${above.box} ${below.box}`) ? returns : lines).push(lineBetween(above, below, tops, heights));
      if (below.box >= 0 && below.box < sizes.length) tips.push({box: below.box, x: below.x + below.in, y: below.y});
    }
  return {width: all.reduce((most, item) => Math.max(most, item.x + item.width / 2), 0),
          height: tops[tops.length - 1] + heights[heights.length - 1],
          places: items.map(({x, y, width}) => ({x: x - width / 2, y})), lines: lines.join(""),
          returns: returns.join(""), tips, enter, leave};
}
