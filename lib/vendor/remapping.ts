/** Source map composition for `tfe-node build`. Bundled into the published files; see scripts/build.mjs. */

// Its CommonJS declarations (2.3.5) do not parse, so the types come from its ESM ones.
type Remapping = (typeof import('@jridgewell/remapping', {
  with: { 'resolution-mode': 'import' },
}))['default'];

// eslint-disable-next-line @typescript-eslint/no-require-imports -- see above
export const remapping = require('@jridgewell/remapping') as Remapping;
