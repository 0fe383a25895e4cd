/** The pin against the list of published files. The numbers come from the wheels themselves, not from pin.json. */
import { describe, expect, test } from '@jest/globals';
import { artefactFor, defaultPin, filesOf, readPin, variantsFor } from '../../lib/native/pin';
import pinData from '../../lib/native/pin.json';
import { TENSORFLOW_VERSION } from '../../lib/version';

/** Size and SHA-256 of every published wheel, taken with sha256sum from the files of the package index. */
const WHEELS = [
  [
    'cpu',
    'linux-x86_64',
    'tensorflow-cpu',
    'tensorflow_cpu-2.21.0-cp311-cp311-manylinux_2_27_x86_64.whl',
    273829956,
    '2b847d217b02ee7731ed91431daf3250daa0196c3c94614d23be27232e6e5b6c',
  ],
  [
    'cuda',
    'linux-x86_64',
    'tensorflow',
    'tensorflow-2.21.0-cp311-cp311-manylinux_2_27_x86_64.whl',
    572440367,
    '9056fbc9ba04235810b71ae6cbd958a196e8804fb53bbcffbf3e23b56155f124',
  ],
  [
    'cpu',
    'linux-aarch64',
    'tensorflow',
    'tensorflow-2.21.0-cp311-cp311-manylinux_2_27_aarch64.whl',
    281828020,
    '4b24aca16d527a3cf1c37f720c04c484c3d20f4d0fdfa98632ac8b9f3be6eb5c',
  ],
  [
    'cpu',
    'macos-arm64',
    'tensorflow',
    'tensorflow-2.21.0-cp311-cp311-macosx_12_0_arm64.whl',
    223405849,
    '51f46f4806139d01fc7920cc72a4c75876f80649bf40ff083ab6212ceb43ca88',
  ],
] as const;

/** The same of the libraries inside; SONAME by readelf, install name by the LC_ID_DYLIB command. */
const LIBRARIES = [
  [
    'cpu',
    'linux-x86_64',
    'cc',
    'libtensorflow_cc.so.2',
    788086608,
    '6505a4b9657e62100c6bdacb683957a395cb047725042945aaa50e40a71e429e',
    'libtensorflow_cc.so.2',
  ],
  [
    'cpu',
    'linux-x86_64',
    'framework',
    'libtensorflow_framework.so.2',
    65222328,
    'f060b323b26ef80add21b9df9428de3aeaf2843d772c5bb098745f7abff3709b',
    'libtensorflow_framework.so.2',
  ],
  [
    'cuda',
    'linux-x86_64',
    'cc',
    'libtensorflow_cc.so.2',
    1096372272,
    '2889ecc99d7641620f41a4bea538f4dd4b626f75aa3e12623161ae939054191c',
    'libtensorflow_cc.so.2',
  ],
  [
    'cuda',
    'linux-x86_64',
    'framework',
    'libtensorflow_framework.so.2',
    162648808,
    '98847c6f0448308159f6d3ff55e13a9e92978598c7fbb34cde63aadf35c6fe84',
    'libtensorflow_framework.so.2',
  ],
  [
    'cpu',
    'linux-aarch64',
    'cc',
    'libtensorflow_cc.so.2',
    814885544,
    '5f7de6ba6478ed7b83767a6e661e3e6e6931b05c64db14ba98250e52316a007c',
    'libtensorflow_cc.so.2',
  ],
  [
    'cpu',
    'linux-aarch64',
    'framework',
    'libtensorflow_framework.so.2',
    68176664,
    'deade33b9ab90ff468fd1d1f8f6079bec5a3a507cf2d13c3218aa8beec28aeb3',
    'libtensorflow_framework.so.2',
  ],
  [
    'cpu',
    'macos-arm64',
    'cc',
    'libtensorflow_cc.2.dylib',
    691352648,
    '753272d059c7be51f64369aaa8e12ac514ce372e0c4ba66f3cc49ec3b1c33384',
    '@rpath/libtensorflow_cc.2.dylib',
  ],
  [
    'cpu',
    'macos-arm64',
    'framework',
    'libtensorflow_framework.2.dylib',
    49452976,
    'e581d6db9e26f13e49327427e5d304cecbfe45d3467db7700e058857a4fd76bb',
    '@rpath/libtensorflow_framework.2.dylib',
  ],
] as const;

/** Published, but without a library that could be opened. */
const REFUSED = [
  [
    'tensorflow-cpu',
    'tensorflow_cpu-2.21.0-cp311-cp311-win_amd64.whl',
    350834051,
    '6fc992a9c8700e18c178b0525f4e7697e58fce88df0dcb95db4dd3c7ad5f4651',
  ],
  [
    'tensorflow',
    'tensorflow-2.21.0-cp311-cp311-win_amd64.whl',
    350834005,
    '0064a19bdc054a4b7c5e7e21cdf50ce38a114c2bada578b4f5267a37410f6784',
  ],
] as const;

describe('the shipped pin', () => {
  test('pins the version that the package is built for', () => {
    expect(defaultPin().tensorflow).toBe(TENSORFLOW_VERSION);
  });

  test.each(WHEELS)('has the %s wheel of %s', (variant, platform, project, file, size, sha256) => {
    const artefact = artefactFor(platform, variant);
    expect(artefact.project).toBe(project);
    expect(artefact.wheel).toEqual({ file, size, sha256 });
    expect(file).toContain(`-${artefact.pythonTag}-${artefact.pipPlatform}.whl`);
  });

  test.each(LIBRARIES)(
    'has of the %s wheel of %s the %s library',
    (variant, platform, which, name, size, sha256, soname) => {
      expect(artefactFor(platform, variant).libraries[which]).toEqual({
        name,
        path: `tensorflow/${name}`,
        size,
        sha256,
        soname,
      });
    },
  );

  test.each(WHEELS)('keeps the two licence texts of the %s wheel of %s', (...row) => {
    const [variant, platform] = row;
    expect(artefactFor(platform, variant).notices).toEqual([
      {
        name: 'LICENSE',
        path: 'tensorflow/include/LICENSE',
        size: 11361,
        sha256: 'c79a7fea0e3cac04cd43f20e7b648e5a0ff8fa5344e644b0ee09ca1162b62747',
      },
      {
        name: 'THIRD_PARTY_NOTICES.txt',
        path: 'tensorflow/THIRD_PARTY_NOTICES.txt',
        size: 466978,
        sha256: 'b9cc03566b8e0e074f718e64f96f49b6fe070e3f777c41b3d4bb0df7113ea634',
      },
    ]);
    expect(filesOf(artefactFor(platform, variant))).toHaveLength(4);
  });

  test('records the two Windows wheels as refused, with the reason', () => {
    const refused = defaultPin().refused.map(({ project, wheel }) => [
      project,
      wheel.file,
      wheel.size,
      wheel.sha256,
    ]);
    expect(refused).toEqual(REFUSED.map((row) => [...row]));
    for (const { reason } of defaultPin().refused) expect(reason).toMatch(/_pywrap_tensorflow/u);
  });

  test('has nothing else', () => {
    const { artefacts } = defaultPin();
    const cells = Object.entries(artefacts).flatMap(([variant, platforms]) =>
      Object.keys(platforms).map((platform) => `${variant} ${platform}`),
    );
    expect(cells.sort()).toEqual(WHEELS.map(([v, p]) => `${v} ${p}`).sort());
  });
});

describe('artefactFor', () => {
  test.each(['linux-aarch64', 'macos-arm64'] as const)('has no cuda variant for %s', (platform) => {
    expect(variantsFor(platform)).toEqual(['cpu']);
    expect(() => artefactFor(platform, 'cuda')).toThrow(
      expect.objectContaining({
        code: 'TFE_VARIANT_UNAVAILABLE',
        facts: { variant: 'cuda', platform, available: ['cpu'] },
      }),
    );
  });
});

describe('readPin', () => {
  const broken = (change: (pin: typeof pinData) => void): unknown => {
    const pin = structuredClone(pinData);
    change(pin);
    return pin;
  };

  test.each([
    ['no object', null, /the whole/u],
    ['another schema', broken((pin) => (pin.schema = 2)), /schema/u],
    [
      'a hash that is none',
      broken((pin) => (pin.artefacts.cpu['linux-x86_64'].wheel.sha256 = 'abc')),
      /artefacts\.cpu\.linux-x86_64\.wheel\.sha256: must be 64/u,
    ],
    [
      'a file name that is a path',
      broken((pin) => (pin.artefacts.cpu['linux-x86_64'].libraries.cc.name = '../cc.so')),
      /libraries\.cc\.name: must be a bare file name/u,
    ],
    [
      'a size that is none',
      broken((pin) => (pin.artefacts.cpu['linux-x86_64'].libraries.cc.size = -1)),
      /libraries\.cc\.size/u,
    ],
    [
      'an unknown platform',
      broken((pin) => Object.assign(pin.artefacts.cpu, { 'plan9-mips': pin.artefacts.cpu })),
      /plan9-mips/u,
    ],
  ])('refuses %s', (_what, data, problem) => {
    expect(() => readPin(data)).toThrow(
      expect.objectContaining({
        code: 'TFE_PIN_INVALID',
        message: expect.stringMatching(problem),
      }),
    );
  });
});
