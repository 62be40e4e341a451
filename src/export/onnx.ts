import type { Bytes } from '../rows/bytes.ts';
import { counted } from '../rows/counted.ts';
import type { Constant, Graph, Node, Port } from './graph.ts';
import { Message } from './protobuf.ts';

/**
 * A graph as the bytes of an ONNX file. Operator set 13 and file version 7 are old enough (2020) for every
 * runtime in use, and nothing newer is needed. Field numbers are those of the published onnx.proto.
 */
export function writeOnnx(graph: Graph, metadata: Readonly<Record<string, string>>): Bytes {
  const model = new Message()
    .integer(1, FILE_VERSION)
    .text(2, 'pc-ae')
    .text(6, graph.about)
    .message(7, graphMessage(graph))
    .message(8, new Message().text(1, '').integer(2, OPERATOR_SET));
  for (const [key, value] of Object.entries(metadata)) {
    model.message(14, new Message().text(1, key).text(2, value));
  }
  if (model.length >= 2 ** 31) {
    throw new RangeError(
      `ONNX: the file would have ${counted(model.length, 'byte')}; the format allows less than 2 GiB: use fewer units`,
    );
  }
  return model.finish();
}

const FILE_VERSION = 7;
const OPERATOR_SET = 13;

function graphMessage(graph: Graph): Message {
  const message = new Message();
  for (const node of graph.nodes) message.message(1, nodeMessage(node));
  message.text(2, graph.name);
  for (const constant of graph.constants) message.message(5, tensorMessage(constant));
  for (const port of graph.inputs) message.message(11, portMessage(port));
  for (const port of graph.outputs) message.message(12, portMessage(port));
  return message;
}

function nodeMessage(node: Node): Message {
  const message = new Message();
  for (const input of node.inputs) message.text(1, input);
  message.text(2, node.output).text(4, node.op);
  for (const [name, value] of Object.entries(node.attributes)) {
    const attribute = new Message().text(1, name);
    if (typeof value === 'number') attribute.integer(3, value).integer(20, INT);
    else {
      for (const each of value) attribute.integer(8, each);
      attribute.integer(20, INTS);
    }
    message.message(5, attribute);
  }
  return message;
}

const INT = 2;
const INTS = 7;

function tensorMessage({ name, dims, data }: Constant): Message {
  const message = new Message();
  for (const size of dims) message.integer(1, size);
  const raw = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return message
    .integer(2, data instanceof Float32Array ? FLOAT : INT64)
    .text(8, name)
    .bytes(9, raw);
}

const FLOAT = 1;
const INT64 = 7;

/** A float matrix of n rows, whatever n is. */
function portMessage({ name, columns, about }: Port): Message {
  const shape = new Message()
    .message(1, new Message().text(2, 'n'))
    .message(1, new Message().integer(1, columns));
  const tensor = new Message().integer(1, FLOAT).message(2, shape);
  return new Message().text(1, name).message(2, new Message().message(1, tensor)).text(3, about);
}
