/**
 * The shapes of the two JSON files: the pin that ships with the package and the manifest beside an installed
 * library. Owns the checks; `pin.ts` and `manifest.ts` load this file when they first read one.
 */
import * as v from '../vendor/valibot';

const text = v.pipe(v.string(), v.regex(/\S/u, 'must not be empty'));
const sha256 = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/u, 'must be 64 lower-case hex digits'));
const byteCount = v.pipe(v.number(), v.integer(), v.minValue(1));
/** A bare file name: it is joined to a folder, so it must not be able to leave it. */
const fileName = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9_][A-Za-z0-9_.+-]*$/u, 'must be a bare file name'),
);
const platform = v.picklist(['linux-x86_64', 'linux-aarch64', 'macos-arm64']);
const variant = v.picklist(['cpu', 'cuda']);

const wheel = v.strictObject({ file: fileName, size: byteCount, sha256 });
const member = { name: fileName, path: text, size: byteCount, sha256 };
const library = v.strictObject({ ...member, soname: text });
const source = { project: text, pythonTag: text, pipPlatform: text, wheel };
const artefact = v.strictObject({
  ...source,
  libraries: v.strictObject({ cc: library, framework: library }),
  notices: v.array(v.strictObject(member)),
});

export const pinSchema = v.strictObject({
  schema: v.literal(1),
  tensorflow: text,
  artefacts: v.record(variant, v.record(platform, artefact)),
  refused: v.array(v.strictObject({ platform: text, ...source, reason: text })),
});

export const manifestSchema = v.object({
  schema: v.literal(1),
  tensorflow: text,
  platform,
  variant,
  origin: v.picklist(['install', 'verify']),
  portable: v.optional(v.literal(true)),
  wheelSha256: v.optional(sha256),
  files: v.array(
    v.object({
      name: fileName,
      size: byteCount,
      sha256,
      inode: v.optional(v.pipe(v.string(), v.regex(/^\d+$/u))),
      mtimeMs: v.optional(v.number()),
    }),
  ),
});

/** The value as the schema's type, or one sentence that says where it deviates. */
export function check<T>(
  schema: v.GenericSchema<unknown, T>,
  value: unknown,
): { readonly value: T } | { readonly problem: string } {
  const result = v.safeParse(schema, value);
  if (result.success) return { value: result.output };
  const [issue] = result.issues;
  const where = issue.path?.map(({ key }) => String(key)).join('.') ?? 'the whole';
  return { problem: `${where}: ${issue.message}` };
}
