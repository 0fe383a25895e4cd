/** The ConfigProto encoder against the bytes of Python's protobuf (scripts/oracle/config_proto.py). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { encodeConfigProto, type ConfigProto } from '../../lib/config/config-proto';

const cases = JSON.parse(
  readFileSync(join(__dirname, '../fixtures/oracle/config-proto.json'), 'utf8'),
) as readonly { readonly options: ConfigProto; readonly hex: string }[];

test.each(cases.map(({ options, hex }) => [JSON.stringify(options), options, hex] as const))(
  '%s is what protobuf writes',
  (_, options, hex) => {
    expect(Buffer.from(encodeConfigProto(options)).toString('hex')).toBe(hex);
  },
);
