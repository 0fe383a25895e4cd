/** The two versions that everything else checks against. */
export const PACKAGE_VERSION = '0.1.0';
export const TENSORFLOW_VERSION = '2.21.0';
