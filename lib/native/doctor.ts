/**
 * Walks every step of loading and says which one failed. Owns reading the walk; the walk itself (doctor-walk.ts) is a process
 * of its own, so that a step that ends it is an answer.
 */
import { DOCTOR_STEPS, type StepId } from './doctor-steps';
import type { WalkMessage, WalkTask } from './doctor-walk';
import type { Finding } from './finding';
import { runIsolated, SYSTEM_LIMITS, type Ending } from './isolated';
import type { Environment } from './paths';
import type { Pin } from './pin';

export interface DoctorOptions {
  readonly env?: Environment;
  readonly pin?: Pin;
  /** Node's own options for the process that walks. */
  readonly execArgv?: readonly string[];
  readonly signal?: AbortSignal;
  /** Hears each step as it ends. */
  readonly report?: (finding: Finding) => void;
}

export interface DoctorReport {
  readonly ok: boolean;
  /** Every step, in order. */
  readonly findings: readonly Finding[];
}

/** Takes every step that can be taken. A step that fails is no error: it is the answer. */
export async function examine(options: DoctorOptions = {}): Promise<DoctorReport> {
  const { env = process.env, pin, execArgv, signal, report = () => undefined } = options;
  const task: WalkTask = pin === undefined ? {} : { pin };
  const ended = new Map<StepId, Finding>();
  let begun: StepId | null = null;
  const add = (id: StepId, facts: Omit<Finding, 'id' | 'title'>): void => {
    const finding = { id, title: titleOf(id), ...facts };
    ended.set(id, finding);
    report(finding);
  };
  const hear = (message: WalkMessage): void => {
    if (message.said === 'begin') {
      begun = message.id;
      return;
    }
    const { id, ok, fact, todo, code } = message;
    begun = null;
    add(id, { state: ok ? 'ok' : 'failed', fact, todo, code });
  };
  const ending = await runIsolated('doctor-walk', task, (m) => hear(m as WalkMessage), {
    env,
    ...(execArgv === undefined ? {} : { execArgv }),
    ...(signal === undefined ? {} : { signal }),
  });

  const broken =
    ending.refusedBy === 'permission'
      ? 'permission'
      : (begun ?? (ending.problem === null ? null : firstOpen(ended)));
  if (broken !== null) add(broken, crash(ending));
  for (const { id, needs } of DOCTOR_STEPS) {
    if (ended.has(id)) continue;
    const blocked = needs.filter((need) => ended.get(need)?.state !== 'ok').map(titleOf);
    const fact = blocked.length === 0 ? 'the walk ended before it' : `needs: ${blocked.join(', ')}`;
    add(id, { state: 'unreached', fact, todo: null, code: null });
  }
  const findings = DOCTOR_STEPS.map(({ id }) => ended.get(id)!);
  return {
    // A process that dies after its last step is ill as well.
    ok: findings.every(({ state }) => state === 'ok') && ending.problem === null,
    findings,
  };
}

function titleOf(id: StepId): string {
  return DOCTOR_STEPS.find((step) => step.id === id)!.title;
}

/** The first step without an outcome; the last one when all have theirs and the process died on its way out. */
function firstOpen(ended: ReadonlyMap<StepId, Finding>): StepId {
  return DOCTOR_STEPS.find(({ id }) => !ended.has(id))?.id ?? 'op';
}

function crash({ problem, said, refusedBy }: Ending): Omit<Finding, 'id' | 'title'> {
  if (refusedBy === 'permission') {
    return {
      state: 'failed',
      fact: "Node's permission model forbids the process in which the steps are taken",
      todo: 'Start the doctor with --allow-child-process beside --permission, or without --permission.',
      code: null,
    };
  }
  if (refusedBy === 'system') {
    return {
      state: 'failed',
      fact: `the process in which the steps are taken ${problem ?? 'did not start'}`,
      todo: SYSTEM_LIMITS,
      code: null,
    };
  }
  const output = said.trim();
  return {
    state: 'failed',
    fact: `the process ${problem ?? 'ended'} in this step${output === '' ? '' : `; it said:\n${output}`}`,
    todo:
      problem === 'was ended by SIGILL'
        ? 'The CPU lacks an instruction set that the library uses: run on a newer CPU (for a virtual machine: pass the host CPU flags through).'
        : 'Run `npx tfe-node runtime verify`; when it finds nothing wrong, report this with what the process said.',
    code: null,
  };
}
