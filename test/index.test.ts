import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Every value that the package offers, by sub-path: a new one is added here on purpose, or not at all. */
const MAIN =
  'FormatError PCAE Stack calibrate codeLength costWeighted crossEntropy customLoss digits evaluateHidden exactGuarantee fit fitDecoder fitStack ' +
  'fitTransform folds hamming holdOut impute l1Path load localMask ' +
  'partialFit pathH sample squared strongestFeatures strongestMask';
const VALUES: Readonly<Record<string, string>> = {
  '.': MAIN,
  './baselines':
    'OneLayerAutoencoder PAPER fitAutoencoder fitLogisticColumns fitPca guessByNearest guessLogistic paperEncode pcaLoss',
  './bits':
    'codesAsRows codesAsText codesFromFaiss codesFromText drawCodes expectedLoss faissBytes likelihoodConstants likelihoodTables likelihoodTemperature linearTables nearest openScores openSearch ' +
    'packCodes reorderCodes unpackCodes within',
  './compress':
    'breakdown chooseUnits compressRows decompressBlocks decompressRows estimateSize openCompressor withoutCodes',
  './engine':
    'createGpuEngine createWasmEngine defaultEngine findGpu paysOnGpu referenceEngine setDefaultEngine suitsGpu widthOf',
  './figures':
    'bitConfusionFigure codeHistogramFigure formatLoss formatNumber hSweepFigure hiddenUnitFigure lossCurveFigure map2dFigure ' +
    'modelReport reconstructionFigure report sparsityFigure',
  './formats':
    'FORMATS blobBytes checkFinite encodeRows gunzip memoryBytes openBytes optionsOfFlags readSafetensors schemaFlags ' +
    'writeSafetensors writtenFormat',
  './math':
    'algorithm1 bitLoss boxOfDrifts certifiedGap cholesky choleskySolve chiSquareQuantile chosenUnits chosenWeights ' +
    'correlations costWeighted crossEntropy customLoss dot driftBox driftEllipsoid dualBound ellipsoidOfDrifts encode encodeAll ' +
    'encodingGradient exactWorstCase exampleLoss featureDistortion frankWolfeGap gaussians groupWeights ' +
    'hallucinatedCorrelations hallucinatedData hamming lossByName matrix meanLoss minimaxValue ' +
    'noiseInCorrelations objective optimalWeights pooledWeights reconstruct relaxedWeights residuals ' +
    'robustBound robustWeights row scaledDrifts selectColumns slack slackGradient squared sumOfDrifts times timesTranspose ' +
    'totalDistortion transposeTimes worstCaseBound worstOfBit',
  './node':
    `${MAIN} SearchIndex atomicFile checkpointFile codeModel createEngine createGpuEngine enableRelaxedSimd fitVectors loadModel openScores openSearch openSearchable ` +
    'openSource saveModel withTemperature writeAtomic',
  './onnx': 'exportDecoder exportEncoder',
  './rows':
    'asRows asSource categoryOf collect corrupt entry memorySource normaliseGroups permutation readRows rowBytes sliceRows ' +
    'takeRows',
  './vectors': 'VectorCodes fitVectors loadVectorCodes saveVectorCodes',
};

const root = resolve(import.meta.dirname, '..');
const { exports: subPaths } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  exports: Record<string, string | { types: string; default: string }>;
};

describe('the package', () => {
  it('has these sub-paths', () => {
    expect(Object.keys(subPaths)).toEqual([...Object.keys(VALUES), './package.json']);
  });

  it('has a small front door', () => {
    expect(VALUES['.'].split(' ').length).toBeLessThanOrEqual(30);
  });

  for (const [subPath, values] of Object.entries(VALUES)) {
    it(`offers these values as ${subPath.replace('.', 'pc-ae')}`, async () => {
      const entry = subPaths[subPath];
      if (typeof entry === 'string') throw new Error(`${subPath} has no types`);
      const name = /^\.\/dist\/(\w+)\.js$/.exec(entry.default)?.[1];
      expect(entry.types).toBe(`./dist/${name}.d.ts`);
      const found = Object.keys(await import(join(root, 'src', `${name}.ts`)));
      expect(found.sort()).toEqual(values.split(' ').sort());
    });
  }
});
