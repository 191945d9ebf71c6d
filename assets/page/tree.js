// The module tree of a table: from the depths of its rows, or from the paths of layers.

/**
 * A place in the tree. A group has no row of its own, but sums; in a table that is a tree already
 * it has both.
 * @typedef {{name: string, path: string, row: number, depth: number, children: Node[],
 *            cells: Cell[]}} Node
 */

function treeNode(name, path, row, depth, cells) {
  return {name, path, row, depth, children: [], cells};
}

/** Sums of the additive columns; a sum of what is not known in numbers is not known either. */
function addUp(table, node) {
  if (node.children.length === 0 || node.cells) return;
  for (const child of node.children) addUp(table, child);
  node.cells = table.columns.map((column, at) => {
    if (!column.additive) return column.unit === "text" ? "" : null;
    let sum = 0;
    for (const child of node.children) {
      const number = partOf(child.cells[at]);
      if (number === null) return null;
      sum += number;
    }
    return sum;
  });
  const layer = table.index("layer");
  if (layer >= 0) node.cells[layer] = node.path;
}

function treeOfDepths(table) {
  const root = treeNode("", "", -1, -1, null);
  const open = [root];
  table.rows.forEach((cells, row) => {
    const depth = table.depths[row];
    while (open.length > 1 && open[open.length - 1].depth >= depth) open.pop();
    const parent = open[open.length - 1];
    const own = table.nameOf(row);
    // Layers between the modules of a block belong to the block.
    const path = own.startsWith("(") && parent.depth > 0 ? `${parent.path}.${own}` : own;
    const name = path.startsWith(parent.path + ".") ? path.slice(parent.path.length + 1) : path;
    const node = treeNode(name, path, row, depth, cells);
    parent.children.push(node);
    open.push(node);
  });
  return root;
}

function treeOfPaths(table) {
  const root = treeNode("", "", -1, -1, null);
  const groups = new Map();
  const groupOf = (words) => {
    if (words.length === 0) return root;
    const path = words.join(".");
    if (!groups.has(path)) {
      const parent = groupOf(words.slice(0, -1));
      const node = treeNode(words[words.length - 1], path, -1, words.length - 1, null);
      parent.children.push(node);
      groups.set(path, node);
    }
    return groups.get(path);
  };
  table.rows.forEach((cells, row) => {
    const path = table.nameOf(row);
    const words = path.split(".");
    const parent = groupOf(words.slice(0, Math.min(words.length - 1, 12)));
    parent.children.push(treeNode(words[words.length - 1], path, row, words.length - 1, cells));
  });
  return root;
}

/** The root, which is not a place itself. */
function treeOf(table) {
  if (!table.tree) {
    table.tree = table.isTree ? treeOfDepths(table) : treeOfPaths(table);
    addUp(table, table.tree);
  }
  return table.tree;
}

/** Rows that no other row holds: the layers, in running order. */
function leavesOf(table) {
  if (!table.isTree) return table.rows.map((cells, row) => row);
  const leaves = [];
  const visit = (node) => {
    if (node.children.length === 0 && node.row >= 0) leaves.push(node.row);
    node.children.forEach(visit);
  };
  visit(treeOf(table));
  return leaves;
}

/** Where the layers are in the module tree, in the order of leavesOf. */
function pathsOf(table) {
  if (!table.isTree) return table.rows.map((cells, row) => table.nameOf(row));
  const paths = [];
  const visit = (node) => {
    if (node.children.length === 0 && node.row >= 0) paths.push(node.path);
    node.children.forEach(visit);
  };
  visit(treeOf(table));
  return paths;
}
