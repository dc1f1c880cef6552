import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type UserConfig } from 'vite'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The web app: one page, hashed files under /assets, a manifest that the server and the size check read. */
const web: UserConfig = {
  root: at('./web'),
  plugins: [react(), tailwindcss()],
  build: {
    outDir: at('./dist/web'),
    emptyOutDir: true,
    manifest: true,
    sourcemap: false,
    target: 'es2023',
    reportCompressedSize: false,
  },
}

const serverEntries = {
  main: './server/main.ts',
  'hash-worker': './server/auth/hash-worker.mjs',
  admin: './server/commands/admin.ts',
}

/** The server: our own modules bundled, so that it starts at once; packages stay in node_modules. */
const server: UserConfig = {
  root: at('./'),
  plugins: [react()],
  publicDir: false,
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
