/**
 * The calls of a function: sites with their verdicts, calls of annotated functions, and calls that nobody covers, each
 * with the reason why.
 */
import type { CallExpression, Node } from '@oxc-project/types';

import { isFunctionNode, isTypeOnly, staticMemberName, unwrap, walk, type Expression } from './ast';
import { CODES, reason } from './codes';
import { PURE_MATH } from './core-types';
import type { TypeKey } from './api';
import type { FunctionInfo } from './functions';
import type { SiteReading } from './sites';
import type { Reason } from './model';
import { rootOf, type BoundaryInputs, type Reading, type Use } from './reading';
import { isWithin, laterWrites } from './scope';
import { similarPath } from './similar';

const READBACKS = new Set([
  'array',
  'arraySync',
  'bytes',
  'data',
  'dataSync',
  'item',
  'print',
  'toJSON',
  'toString',
  'valueOf',
]);

/** How the rest of the function is read. */
export interface Visitor {
  visit(expression: Expression, use: Use): void;
  /** Refuses an operand that is not a number or boolean. */
  scalar(expression: Expression): void;
  properties(node: Expression & { type: 'ObjectExpression' }, use: Use): void;
}

export class Calls {
  readonly #r: Reading;
  readonly #in: BoundaryInputs;
  readonly #visitor: Visitor;

  constructor(reading: Reading, visitor: Visitor) {
    this.#r = reading;
    this.#in = reading.inputs;
    this.#visitor = visitor;
  }

  call(node: CallExpression): void {
    const { inference, bindings } = this.#in;
    const callee = unwrap(node.callee);
    if (callee.type === 'Identifier' && callee.name === 'eval' && bindings.isGlobal(callee)) {
      this.#r.dynamicScope = true;
      this.#r.add(CODES.dynamicScope, ['eval'], node);
      this.arguments(node.arguments);
      return;
    }
    const site = inference.siteOfCall(node);
    if (site !== null) {
      this.#site(node, site);
      return;
    }
    if (
      callee.type === 'MemberExpression' &&
      isSymbolDispose(callee) &&
      inference.isTensor(callee.object)
    ) {
      this.#r.add(CODES.dispose, [this.#r.text(node)], node);
      this.#visitor.visit(callee.object, 'operand');
      return;
    }
    const target = inference.callTarget(node);
    const text = this.#r.text(node.callee);
    switch (target.kind) {
      case 'function':
        this.#functionCall(node, target.info);
        return;
      case 'math':
        if (target.method === 'random') this.#r.add(CODES.random, [], node);
        else if (PURE_MATH.has(target.method)) {
          this.#mathArguments(node);
          return;
        } else {
          this.#r.add(
            CODES.unknownCall,
            [text, 'Math has no such function of numbers', 'Compute it with operators.'],
            node,
          );
        }
        break;
      case 'package':
        this.#r.add(
          CODES.unknownCall,
          [text, `no plugin covers '${target.name.module}'`, 'Call a covered function instead.'],
          node,
        );
        break;
      default: {
        // `new Date().getTime()`: what is wrong with the object is said once, there.
        const root = rootOf(callee);
        const before = this.#r.reasons.length;
        const inObject =
          callee.type === 'MemberExpression' &&
          root.type !== 'Identifier' &&
          root.type !== 'Literal' &&
          root.type !== 'CallExpression';
        if (inObject) this.calleeObject(callee);
        if (this.#r.reasons.length === before) this.#unknownCall(node, callee, text);
        if (!inObject) this.calleeObject(callee);
        this.arguments(node.arguments);
        return;
      }
    }
    this.calleeObject(callee);
    this.arguments(node.arguments);
  }

  arguments(args: CallExpression['arguments']): void {
    for (const argument of args) {
      if (argument.type === 'SpreadElement') this.#visitor.visit(argument.argument, 'operand');
      else this.#visitor.visit(argument, 'operand');
    }
  }

  #mathArguments(node: CallExpression): void {
    for (const argument of node.arguments) {
      if (argument.type === 'SpreadElement') {
        this.#r.add(CODES.spreadArgument, [this.#r.text(node.callee)], argument);
        this.#visitor.visit(argument.argument, 'operand');
        continue;
      }
      this.#visitor.visit(argument, 'value');
      if (this.#in.inference.isTensor(argument)) {
        this.#r.add(
          CODES.notScalar,
          [this.#r.text(argument), this.#r.typeText(argument)],
          argument,
        );
      } else this.#visitor.scalar(argument);
    }
  }

  #functionCall(node: CallExpression, info: FunctionInfo): void {
    const text = this.#r.text(node.callee);
    if (info.placement.kind !== 'candidate' || !info.annotated) {
      this.#r.add(
        CODES.unknownCall,
        [
          text,
          'it is a function of this file without tensor annotations',
          `Annotate '${info.name}' at module level.`,
        ],
        node,
      );
      this.arguments(node.arguments);
      return;
    }
    this.#r.edges.push({ node, callee: info });
    const { inference, registry } = this.#in;
    const value = (type: TypeKey | null): string =>
      type === null ? 'a value of unknown type' : registry.spell(type);
    for (const [i, argument] of node.arguments.entries()) {
      if (argument.type === 'SpreadElement') {
        this.#r.add(CODES.spreadArgument, [text], argument);
        this.#visitor.visit(argument.argument, 'operand');
        continue;
      }
      const parameter = info.parameters[i];
      const found = inference.typeOf(argument);
      if (parameter === undefined) {
        if (!info.parameters.some(({ oddity }) => oddity !== null)) {
          const count = info.parameters.length;
          this.#r.add(
            CODES.argumentType,
            [text, `takes ${count} argument${count === 1 ? '' : 's'}, and is given more`],
            argument,
          );
        }
      } else if (
        parameter.type !== found &&
        (registry.isTensor(parameter.type) || registry.isTensor(found))
      ) {
        this.#r.add(
          CODES.argumentType,
          [
            text,
            `takes ${value(parameter.type)} for '${parameter.name}', and is given ${value(found)}`,
          ],
          argument,
          found === null ? this.#r.because(argument) : null,
        );
      }
      this.#visitor.visit(argument, 'operand');
    }
    for (const parameter of info.parameters.slice(node.arguments.length)) {
      const spread = node.arguments.some((argument) => argument.type === 'SpreadElement');
      if (parameter.oddity === null && !spread) {
        this.#r.add(
          CODES.argumentType,
          [text, `needs ${value(parameter.type)} for '${parameter.name}', and is given nothing`],
          node,
        );
      }
    }
  }

  #unknownCall(node: CallExpression, callee: Expression, text: string): void {
    const { inference, bindings } = this.#in;
    const global = (object: string): string | null => inference.isGlobalMember(callee, object);
    const isClock =
      (callee.type === 'Identifier' && callee.name === 'Date' && bindings.isGlobal(callee)) ||
      global('Date') === 'now' ||
      global('performance') === 'now' ||
      global('process') === 'hrtime' ||
      global('process') === 'uptime';
    if (isClock) {
      this.#r.add(CODES.clock, [text], node);
      return;
    }
    if (callee.type === 'Super') {
      this.#r.add(CODES.thisValue, ['super'], node);
      return;
    }
    if (callee.type === 'MemberExpression') {
      // A method that reads values or frees, on something that may well be a tensor.
      const name = callee.computed ? null : (callee.property as { name: string }).name;
      const root = rootOf(callee);
      const isGlobal = root.type === 'Identifier' && bindings.isGlobal(root);
      if (inference.typeOf(callee.object) === null && !isGlobal) {
        if (name === 'dispose') {
          this.#r.add(CODES.dispose, [this.#r.text(node)], node, this.#r.because(callee.object));
          return;
        }
        if (name === 'dataSync' || name === 'arraySync') {
          this.#r.add(CODES.readback, [this.#r.text(node)], node, this.#r.because(callee.object));
          return;
        }
      }
    }
    if (isFunctionNode(callee)) {
      this.#r.add(
        CODES.unknownCall,
        [text, 'it calls a function where it is written', 'Write the body out.'],
        node,
      );
      return;
    }
    const { why, suggestion } = this.#whyUnknown(node, callee);
    this.#r.add(
      CODES.unknownCall,
      [text, why, suggestion],
      node,
      callee.type === 'MemberExpression' ? this.#r.because(callee.object) : null,
    );
  }

  #whyUnknown(node: CallExpression, callee: Expression): { why: string; suggestion: string } {
    const { bindings, registry, names } = this.#in;
    const covered = 'Call a function that a plugin covers, or move the call out of the function.';
    const root = rootOf(callee);
    if (root.type !== 'Identifier')
      return { why: 'it is not known what it calls', suggestion: covered };
    const variable = bindings.variableOf(root);
    const isOptional = node.optional || hasOptionalLink(callee);
    if (isOptional) {
      return { why: 'optional chaining may skip it', suggestion: "Write '.' instead of '?.'." };
    }
    if (variable === null || variable.defs.length === 0) {
      const path = this.#r.text(callee);
      const home = registry.packages.find((module) =>
        registry.symbolsOf(module).paths.includes(path),
      );
      return home === undefined
        ? { why: `this file does not declare '${root.name}'`, suggestion: covered }
        : {
            why: `this file does not declare '${root.name}'`,
            suggestion: `Import it: import { ${root.name} } from '${home}'.`,
          };
    }
    if (laterWrites(variable).length > 0 || variable.defs.length > 1) {
      return {
        why: `'${root.name}' is assigned more than once`,
        suggestion: 'Bind it once, with import or const.',
      };
    }
    const definition = variable.defs[0]!;
    const parent = definition.parent as unknown as Node | null | undefined;
    const kind = String(definition.type);
    if (kind === 'ImportBinding') {
      return names.resolveVariable(variable) === null
        ? { why: `'${root.name}' is imported as a type`, suggestion: 'Import it as a value.' }
        : { why: 'it is not a path of fixed names', suggestion: 'Write the names out.' };
    }
    if (parent?.type === 'VariableDeclaration' && parent.kind !== 'const') {
      return {
        why: `'${root.name}' is declared with ${parent.kind}`,
        suggestion: 'Bind it with const.',
      };
    }
    if (kind === 'Parameter') {
      return { why: `'${root.name}' is a parameter`, suggestion: covered };
    }
    return {
      why: isWithin(variable.scope, this.#r.info.scope)
        ? `'${root.name}' is local to the function`
        : `'${root.name}' is declared in this file`,
      suggestion: covered,
    };
  }

  #site(node: CallExpression, site: SiteReading): void {
    const before = this.#r.reasons.length;
    if (site.receiver !== null) this.#visitor.visit(site.receiver, 'operand');
    if (site.receiver === null) this.#aliasCallee(node);
    for (const argument of node.arguments) {
      if (argument.type === 'SpreadElement') this.#visitor.visit(argument.argument, 'operand');
      else if (unwrap(argument) !== (site.options === null ? null : unwrap(site.options))) {
        this.#visitor.visit(argument, 'operand');
      }
    }
    if (site.options !== null) {
      const options = unwrap(site.options);
      if (options.type === 'ObjectExpression') this.#visitor.properties(options, 'operand');
    }
    const ofOperands = this.#r.reasons.slice(before);
    const unclaimed =
      site.verdict.verdict === 'claimed' ? null : this.#unclaimed(node, site, ofOperands);
    this.#r.sites.push({ node, reading: site, reason: unclaimed, offered: true });
  }

  /** `require('tfe-node').tf.add(x)`: the callee itself runs a call. */
  #aliasCallee(node: CallExpression): void {
    const root = rootOf(node.callee);
    if (root.type === 'CallExpression' || root.type === 'AwaitExpression') {
      this.#r.add(
        CODES.unknownCall,
        [this.#r.text(root), 'it loads a module', 'Load it once, at the top of the file.'],
        root,
      );
    }
  }

  rejected(node: Node, site: SiteReading): Reason {
    const { verdict } = site;
    const diagnostic = verdict.verdict === 'rejected' ? verdict.diagnostic : null;
    const made: Reason = {
      code: diagnostic?.code ?? '',
      message: diagnostic?.message ?? '',
      suggestion: diagnostic?.suggestion ?? '',
      range: this.#in.positions.range(node.start, node.end),
      // A plugin rejects what it sees; what it does not see (an unknown type) it does not cover.
      becauseOf: null,
    };
    this.#r.reasons.push(made);
    return made;
  }

  #unclaimed(node: CallExpression, site: SiteReading, ofOperands: readonly Reason[]): Reason {
    if (site.verdict.verdict === 'rejected') return this.rejected(node, site);
    const { positions, registry } = this.#in;
    const text = this.#r.text(node.callee);
    if (site.refusal?.kind === 'spread') return this.#r.add(CODES.spreadArgument, [text], node);
    if (site.refusal?.kind === 'patched') {
      const { patch } = site.refusal;
      return this.#r.add(
        CODES.patched,
        [text, patch.path.join('.'), String(positions.at(patch.node.start).line)],
        node,
      );
    }
    if (site.receiver !== null) {
      if (site.target === 'dispose') {
        return this.#r.add(CODES.dispose, [this.#r.text(node)], node);
      }
      if (READBACKS.has(site.target)) {
        return this.#r.add(CODES.readback, [this.#r.text(node)], node);
      }
      return this.#r.add(
        CODES.unknownCall,
        [text, `no plugin covers the method '${site.target}'`, 'Call the function of that name.'],
        node,
      );
    }
    const { paths, complete } = registry.symbolsOf(site.module);
    const similar = similarPath(site.target, paths);
    if (complete && !paths.includes(site.target)) {
      return this.#r.add(CODES.unknownOp, [site.target, site.module, similar ?? ''], node);
    }
    const unknown = site.operands.filter((_, i) => site.operandTypes[i] === null);
    const causes = unknown.map((operand) => this.#in.inference.causeOf(operand));
    const [first] = unknown;
    if (paths.includes(site.target) && first !== undefined) {
      const noted = causes.find((cause) => cause !== null && cause.note !== null);
      const why = noted?.note ?? `the type of '${this.#r.text(first)}' is not known`;
      // An operand that is refused itself (a property read, an unknown call) is the cause.
      const refused = unknown.find((operand) =>
        ofOperands.some(
          ({ becauseOf, range }) =>
            becauseOf === null && range.start >= operand.start && range.end <= operand.end,
        ),
      );
      const value = refused ?? (noted?.declared === true ? noted.node : undefined);
      const because: Reason['becauseOf'] =
        this.#r.because(...unknown) ??
        (value === undefined
          ? null
          : {
              kind: 'value',
              name: value.type === 'Identifier' ? value.name : this.#r.text(value),
            });
      const suggestion =
        because === null
          ? `Annotate it with one of: ${registry.vocabulary}.`
          : `It follows from '${because.name}'; look there first.`;
      return this.#r.add(CODES.unknownCall, [text, why, suggestion], node, because);
    }
    const suggestion =
      similar !== null && !paths.includes(site.target)
        ? `Did you mean '${similar}'?`
        : 'Nothing has to be done: it runs as written.';
    return this.#r.add(
      CODES.unknownCall,
      [text, `no plugin claims '${site.target}' of '${site.module}'`, suggestion],
      node,
    );
  }

  /** The object of a refused member: its calls are sites, its names have been refused with it. */
  calleeObject(expression: Expression): void {
    const node = unwrap(expression);
    if (node.type === 'Identifier' || node.type === 'ThisExpression') return;
    if (node.type === 'Super') return;
    if (node.type === 'MemberExpression') {
      this.calleeObject(node.object);
      if (node.computed) this.#visitor.visit(node.property, 'value');
      return;
    }
    if (node.type === 'ChainExpression') {
      this.calleeObject(node.expression);
      return;
    }
    this.#visitor.visit(node, 'operand');
  }

  closure(node: Node, what: string): void {
    this.#r.addAt(CODES.closure, [what], node.start, Math.min(node.end, headEnd(node)));
    this.setAside(node, 'in a function inside the function');
  }

  /** Lists the covered calls below `node` without offering them. */
  setAside(node: Node, where: string): void {
    walk(node, (child) => {
      if (isTypeOnly(child)) return false;
      if (child.type === 'CallExpression') {
        const site = this.#in.inference.siteOfCall(child);
        if (site !== null) {
          const text = this.#r.text(child.callee);
          this.#r.sites.push({
            node: child,
            reading: site,
            reason: reason(
              CODES.notOffered,
              [text, where],
              this.#in.positions.range(child.start, child.end),
            ),
            offered: false,
          });
        }
        const callee = unwrap(child.callee);
        if (
          callee.type === 'Identifier' &&
          callee.name === 'eval' &&
          this.#in.bindings.isGlobal(callee)
        ) {
          this.#r.dynamicScope = true;
          this.#r.add(CODES.dynamicScope, ['eval'], child);
        }
      }
      return undefined;
    });
  }
}

function hasOptionalLink(expression: Expression): boolean {
  let node = unwrap(expression);
  while (node.type === 'MemberExpression') {
    if (node.optional) return true;
    node = unwrap(node.object);
  }
  return false;
}

function isSymbolDispose(node: Expression & { type: 'MemberExpression' }): boolean {
  if (!node.computed) return false;
  const key = unwrap(node.property);
  return (
    key.type === 'MemberExpression' &&
    key.object.type === 'Identifier' &&
    key.object.name === 'Symbol' &&
    (staticMemberName(key) === 'dispose' || staticMemberName(key) === 'asyncDispose')
  );
}

/** The end of the part of a function or class that names it. */
function headEnd(node: Node): number {
  const { body } = node as { body?: Node | null };
  return body === null || body === undefined ? node.end : Math.max(body.start, node.start + 1);
}
