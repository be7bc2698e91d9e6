/** The part of @vercel/ncc that the build uses; the package ships no types. */
declare module '@vercel/ncc' {
  interface Options {
    cache: boolean;
    esm: boolean;
    license: string;
    minify: boolean;
    quiet: boolean;
    sourceMap: boolean;
  }
  interface Built {
    code: string;
    assets: Record<string, { source: string | Buffer }>;
  }
  // The package is one CommonJS function.
  export default function ncc(entry: string, options: Options): Promise<Built>;
}
