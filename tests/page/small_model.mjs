// ONNX models of a few kinds of nodes, written field by field (onnx.proto).

function varint(number) {
  const bytes = [];
  for (let left = BigInt(number); ; left >>= 7n) {
    if (left < 128n) return Buffer.from([...bytes, Number(left)]);
    bytes.push(Number(left & 127n) | 128);
  }
}

const number = (field, value) => Buffer.concat([varint(field << 3), varint(value)]);
const bytes = (field, value) => {
  const data = Buffer.from(value);
  return Buffer.concat([varint((field << 3) | 2), varint(data.length), data]);
};
const message = (field, ...parts) => bytes(field, Buffer.concat(parts));

const kFloat = 1;

function value(field, name, sizes) {
  const shape = message(2, ...sizes.map((size) => message(1, number(1, size))));
  return message(field, bytes(1, name), message(2, message(1, number(1, kFloat), shape)));
}

function weight(name, sizes) {
  const count = sizes.reduce((all, one) => all * one, 1);
  return message(5, ...sizes.map((size) => number(1, size)), number(2, kFloat), bytes(8, name),
                 bytes(9, Buffer.alloc(4 * count)));
}

function node(op, name, inputs, output) {
  return message(1, ...inputs.map((one) => bytes(1, one)), bytes(2, output), bytes(3, name),
                 bytes(4, op));
}

function model(name, parts) {
  return Buffer.concat([number(1, 8), message(7, ...parts, bytes(2, name)),
                        message(8, bytes(1, ""), number(2, 17))]);
}

/** One node after the other; every second one is a convolution 8 → 8 of 1×1 if `weights`. */
export function chain(names, weights) {
  const sizes = [1, 8, 16, 16], parts = [];
  names.forEach((name, i) => {
    const input = i === 0 ? "input" : `t${i - 1}`, output = i + 1 === names.length ? "output" : `t${i}`;
    if (weights && i % 2 === 0) {
      parts.push(node("Conv", name, [input, `w${i}`], output), weight(`w${i}`, [8, 8, 1, 1]));
    } else {
      parts.push(node("Relu", name, [input], output));
    }
  });
  return model("chain", [...parts, value(11, "input", sizes), value(12, "output", sizes)]);
}
