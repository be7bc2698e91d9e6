/** The version as the command line and our requests name it; a test holds it to package.json. */
export const VERSION = '0.1.0';
