/** Text to tree. A file that does not parse gives a diagnostic with its position, never an exception. */
import type { Program } from '@oxc-project/types';

import { walk } from './ast';
import type { ModuleKind } from './analysis-model';
import { CODES, diagnostic } from './codes';
import type { Diagnostic } from './model';
import { findTooDeep } from './nesting';
import { oxcParser } from './peers';
import type { Positions } from './positions';

export type ParseOutcome =
  | { readonly program: Program; readonly diagnostics: readonly [] }
  | { readonly program: null; readonly diagnostics: readonly Diagnostic[] };

type Language = 'js' | 'jsx' | 'ts' | 'tsx' | 'dts';

function languageOf(file: string): Language {
  const name = file.toLowerCase();
  if (/\.d\.[cm]?ts$/.test(name)) return 'dts';
  if (name.endsWith('.tsx')) return 'tsx';
  if (/\.[cm]?js$/.test(name) || name.endsWith('.jsx')) return 'jsx';
  return 'ts';
}

export function parse(file: string, source: string, positions: Positions): ParseOutcome {
  const language = languageOf(file);
  const failed = (found: Diagnostic): ParseOutcome => ({ program: null, diagnostics: [found] });

  const deep = findTooDeep(source, language === 'tsx' || language === 'jsx');
  if (deep !== null) {
    return failed(diagnostic(CODES.tooDeep, [], positions.range(deep.offset, deep.offset + 1)));
  }
  // JavaScript is read as a module first, as bundlers do; `with` and other sloppy code as a script.
  const kinds = language === 'jsx' ? (['module', 'commonjs'] as const) : (['module'] as const);
  let diagnostics: readonly Diagnostic[] = [];
  for (const sourceType of kinds) {
    const result = oxcParser().parseSync(file, source, {
      lang: language,
      astType: 'ts',
      range: true,
      sourceType,
    });
    const errors = result.errors.filter((error) => String(error.severity) === 'Error');
    if (errors.length === 0) return { program: result.program, diagnostics: [] };
    if (diagnostics.length > 0) continue;
    diagnostics = errors.map((error) => {
      const label = error.labels[0] ?? { start: 0, end: 0 };
      const help = error.helpMessage === null ? '' : ` ${error.helpMessage}`;
      return diagnostic(
        CODES.doesNotParse,
        [`${error.message}.${help}`],
        positions.range(label.start, label.end),
      );
    });
  }
  return { program: null, diagnostics };
}

export interface ModuleFacts {
  readonly kind: ModuleKind;
  readonly insertionPoint: number;
  readonly identifiers: ReadonlySet<string>;
}

export function moduleFacts(program: Program, source: string): ModuleFacts {
  const identifiers = new Set<string>();
  let esm = false;
  let commonJs = false;
  walk(program, (node, parent) => {
    switch (node.type) {
      case 'Identifier':
      case 'JSXIdentifier':
      case 'PrivateIdentifier':
        identifiers.add(node.name);
        break;
      case 'ImportDeclaration':
      case 'ExportNamedDeclaration':
      case 'ExportDefaultDeclaration':
      case 'ExportAllDeclaration':
        if (parent === program) esm = true;
        break;
      case 'TSExportAssignment':
        commonJs = true;
        break;
      case 'TSImportEqualsDeclaration':
        if (node.moduleReference.type === 'TSExternalModuleReference') commonJs = true;
        break;
      case 'CallExpression':
        if (node.callee.type === 'Identifier' && node.callee.name === 'require') commonJs = true;
        break;
      case 'MetaProperty':
        if (node.meta.name === 'import') esm = true;
        break;
    }
  });
  let insertionPoint = source.charCodeAt(0) === 0xfeff ? 1 : 0;
  if (program.hashbang !== null && program.hashbang !== undefined) {
    insertionPoint = program.hashbang.end;
  }
  for (const statement of program.body) {
    if (statement.type !== 'ExpressionStatement' || typeof statement.directive !== 'string') break;
    insertionPoint = statement.end;
  }
  return { kind: esm ? 'module' : commonJs ? 'commonjs' : 'script', insertionPoint, identifiers };
}
