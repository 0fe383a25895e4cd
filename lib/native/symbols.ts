/**
 * The C functions that the addon resolves, and the image that must export each. `symbols.json` is made from the table in
 * native/abi.h; a test keeps the two equal (UPDATE_DOCS=1 rewrites it).
 */
import symbols from './symbols.json';

export type ImageName = 'cc' | 'framework';

export const REQUIRED_SYMBOLS: Readonly<Record<ImageName, readonly string[]>> = symbols;

export const SYMBOL_COUNT = symbols.cc.length + symbols.framework.length;
