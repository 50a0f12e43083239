import {createReadStream, createWriteStream, readdirSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {pipeline} from 'node:stream/promises';
import {constants, createGzip} from 'node:zlib';
import {defineConfig, type Plugin} from 'vite';

/** A .gz beside every text file, which the server sends where the browser takes it. */
function gzip(): Plugin {
  let out = 'dist';
  const walk = (folder: string): string[] =>
    readdirSync(folder).flatMap((name) => {
      const path = join(folder, name);
      return statSync(path).isDirectory() ? walk(path) : [path];
    });
  return {
    name: 'gzip',
    apply: 'build',
    configResolved(config) {
      out = config.build.outDir;
    },
    async closeBundle() {
      for (const path of walk(out)) {
        if (!/\.(html|js|css|svg|json)$/.test(path)) continue;
        await pipeline(
          createReadStream(path),
          createGzip({level: constants.Z_BEST_COMPRESSION}),
          createWriteStream(path + '.gz'),
        );
      }
    },
  };
}

/** KaTeX's fonts in one format: every browser that can show the page reads woff2. */
function onlyWoff2(): Plugin {
  return {
    name: 'only-woff2',
    enforce: 'pre',
    transform(code, id) {
      if (!/katex(\.min)?\.css/.test(id)) return null;
      return code.replace(/,\s*url\([^)]*\.(woff|ttf)\)\s*format\("?[a-z]+"?\)/g, '');
    },
  };
}

const server = process.env['TACTUS_SERVER'] ?? 'http://127.0.0.1:8765';

export default defineConfig({
  base: './',
  plugins: [onlyWoff2(), gzip()],
  build: {
    target: 'es2021',
    assetsInlineLimit: 0, // the content security policy allows no data: fonts
    modulePreload: {polyfill: false},
    chunkSizeWarningLimit: 1000,
    rollupOptions: {
      output: {
        manualChunks: (id: string) => (/node_modules\/three\//.test(id) ? 'three' : undefined),
      },
    },
  },
  server: {proxy: {'/ws': {target: server, ws: true}}},
});
