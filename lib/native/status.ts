/** What is loaded and what is held. Loads nothing unless asked to. */
import { PACKAGE_VERSION, TENSORFLOW_VERSION } from '../version';
import { booleanOption, checkOptions } from '../tensor/options';
import { configurationInForce, type ConfigurationInForce } from '../config/configure';
import { native, nativeIfOpen } from './loader';

/** What {@link status} answers. */
export interface Status {
  /** Version of this package. */
  readonly version: string;
  /** The TensorFlow in this process; null before the first use of a tensor. */
  readonly tensorflow: {
    /** What `TF_Version()` answered. */
    readonly version: string;
    /** The files that are mapped. */
    readonly ccPath: string;
    readonly frameworkPath: string;
    /** The context's, by TensorFlow's own names. */
    readonly devices: readonly { readonly name: string; readonly type: string }[];
  } | null;
  /** The TensorFlow version that this package is pinned to. */
  readonly pinnedTensorflow: string;
  /** What {@link configure} asked for, over the environment and the defaults. One for the process. */
  readonly configuration: ConfigurationInForce;
  /** Tensors of this thread that TensorFlow holds now. */
  readonly liveTensors: number;
  /** The most that this thread held at once. */
  readonly peakTensors: number;
  /** Bytes of their data. */
  readonly liveBytes: number;
  /** Bytes of tensor data that `dataSync({ copy: false })` lent and the garbage collector has not given back yet. */
  readonly lentBytes: number;
}

/**
 * Versions, paths and devices of the loaded TensorFlow, and the live tensors of this thread.
 *
 * @param options `load: true` opens the library first.
 * @throws TfeError `TFE_OPTION_UNKNOWN`, `TFE_OPTION_VALUE`, and with `load` what opening throws
 * @example
 * status().liveTensors; // 0
 */
export function status(options: { readonly load?: boolean } = {}): Status {
  checkOptions('status', options, ['load']);
  const binding = booleanOption('status', options, 'load', false) ? native() : nativeIfOpen();
  const base = {
    version: PACKAGE_VERSION,
    pinnedTensorflow: TENSORFLOW_VERSION,
    configuration: configurationInForce(),
  };
  if (binding === null) {
    return {
      ...base,
      tensorflow: null,
      liveTensors: 0,
      peakTensors: 0,
      liveBytes: 0,
      lentBytes: 0,
    };
  }
  const held = binding.held();
  return {
    ...base,
    tensorflow: binding.library() ?? null,
    liveTensors: held.liveHandles,
    peakTensors: held.peakHandles,
    liveBytes: held.liveBytes,
    lentBytes: held.lentBytes,
  };
}
