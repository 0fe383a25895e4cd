/** Schema checks for the pin and the manifests. Bundled into the published files; see scripts/build.mjs. */
export {
  array,
  integer,
  literal,
  minValue,
  number,
  object,
  optional,
  picklist,
  pipe,
  record,
  regex,
  safeParse,
  strictObject,
  string,
} from 'valibot';
export type { GenericSchema } from 'valibot';
