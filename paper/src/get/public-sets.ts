/** A public file and what is known about it. */
export interface RemoteFile {
  readonly name: string;
  /** Where it lies; the first that answers is used. */
  readonly addresses: readonly string[];
  /** Size in bytes and SHA-256 of the file, where they are known for certain. */
  readonly size?: number;
  readonly sha256?: string;
  /** An archive of PNG pictures: unpacked into a folder of its name, and proven by its pictures. */
  readonly pictures?: { readonly folder: string; readonly count: number; readonly digest: string };
}

export interface Dataset {
  readonly about: string;
  readonly files: readonly RemoteFile[];
  /** What to do with it once it is there. */
  readonly hint: string;
}

const MNIST = [
  'https://storage.googleapis.com/cvdf-datasets/mnist',
  'https://ossci-datasets.s3.amazonaws.com/mnist',
];

function mnist(name: string, size: number, sha256: string): RemoteFile {
  return { name, size, sha256, addresses: MNIST.map((base) => `${base}/${name}`) };
}

/** The data sets of the paper's experiments. */
export const DATASETS = {
  mnist: {
    about: 'MNIST, handwritten digits: 60,000 and 10,000 grey pictures of 28 x 28',
    files: [
      mnist(
        'train-images-idx3-ubyte.gz',
        9_912_422,
        '440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609',
      ),
      mnist(
        'train-labels-idx1-ubyte.gz',
        28_881,
        '3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c',
      ),
      mnist(
        't10k-images-idx3-ubyte.gz',
        1_648_877,
        '8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6',
      ),
      mnist(
        't10k-labels-idx1-ubyte.gz',
        4542,
        'f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6',
      ),
    ],
    hint: 'pcae train FOLDER/train-images-idx3-ubyte.gz -H 100 -o mnist.safetensors',
  },
  caltech101: {
    about: 'Caltech-101 Silhouettes, 28 x 28 bits, split 1 (Marlin): 4,100, 2,264 and 2,307',
    files: [
      {
        name: 'caltech101_silhouettes_28_split1.mat',
        addresses: ['https://people.cs.umass.edu/~marlin/data/caltech101_silhouettes_28_split1.mat'],
        sha256: 'eb6735e8d84b1850fabc5590124aab1755e90c9fd28123585324398405e1e42a',
      },
    ],
    hint: 'pcae train FOLDER/caltech101_silhouettes_28_split1.mat --variable train_data -H 100 -o model.safetensors',
  },
  notmnist: {
    about: 'notMNIST small (Bulatov): 18,724 grey pictures of letters A to J, 28 x 28',
    files: [
      {
        name: 'notMNIST_small.tar.gz',
        addresses: [
          'https://commondatastorage.googleapis.com/books1000/notMNIST_small.tar.gz',
          'http://yaroslavvb.com/upload/notMNIST/notMNIST_small.tar.gz',
        ],
        size: 8_458_043,
        pictures: {
          folder: 'notMNIST_small',
          count: 18_724,
          digest: 'fc8ddf6cfb40589ecc9a035860b1a57c4e6a416d7501f35981206925098bc17b',
        },
      },
    ],
    hint: 'pcae train FOLDER/notMNIST_small -H 100 -o model.safetensors',
  },
  omniglot: {
    about: 'Omniglot 28 x 28 after Burda et al.: variables data and testdata, one picture a column',
    files: [
      {
        name: 'chardata.mat',
        addresses: ['https://github.com/yburda/iwae/raw/master/datasets/OMNIGLOT/chardata.mat'],
      },
    ],
    hint: 'the pictures are the columns of the variables data and testdata: turn them into rows before learning',
  },
} as const satisfies Record<string, Dataset>;
