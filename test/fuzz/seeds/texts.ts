import { text } from './seed.ts';

/** Tables in text. */
export const textSeeds = [
  text('csv', 'a.csv', 'a,b,c\n0,1,1\n1,0,0\n1,1,0\n'),
  text('csv', 'b.tsv', 'id\tx\ty\nrow 1\t0.5\t0.25\nrow 2\t\t1\n'),
  text('csv', 'c.csv', '"name","a ""b""","c\nd"\n"x",yes,no\n"y",no,yes\n'),
  text('csv', 'd.csv', 'milk,bread\nbread\neggs,milk,tea\n'),
  text('csv', 'e.csv', '0 1 1 0\n1 1 0 0\n0 0 0 1\n'),
  text('csv', 'f.csv', 'colour,size\nred,S\ngreen,M\nred,L\n'),
  text('csv', 'g.csv', 'row,item\n1,apple\n1,pear\n2,apple\n'),
  text('libsvm', 'a.libsvm', '1 1:1 3:1\n-1 2:1 # note\n1 1:0.5 4:1\n'),
  text('libsvm', 'b.svm', '1,3 qid:4 1:1 2:1\n2 7:1\n'),
  text('mtx', 'a.mtx', '%%MatrixMarket matrix coordinate pattern general\n% words\n2 3 3\n1 2\n2 1\n2 3\n'),
  text('mtx', 'b.mtx', '%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 0.5\n2 1 1\n3 2 1\n'),
  text('mtx', 'c.mtx', '%%MatrixMarket matrix array integer general\n2 3\n0\n1\n1\n0\n1\n1\n'),
  text('fps', 'a.fps', '#FPS1\n#num_bits=10\n#type=test\n0502\tCHEBI:1\nff03\tCHEBI:2\textra\r\n8000\n'),
  text('jsonl', 'a.jsonl', '{"a":1,"b":0,"c":null}\n{"a":0,"b":1,"c":true}\n'),
  text('jsonl', 'b.jsonl', '[0,1,1]\n[1,0,0]\n'),
  text('jsonl', 'c.jsonl', '{"id":"x","items":["tea","milk"]}\n{"id":"y","items":[]}\n'),
];
