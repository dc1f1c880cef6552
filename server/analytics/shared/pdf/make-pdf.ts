import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { httpErrors } from '../../../http/errors.ts'
import { orThrow } from '../../../primitives/or-throw.ts'
import type { PdfContent } from './pdf-content.ts'

const timeoutMs = 60_000
const maxHeapMb = 128
const scripts = ['latin', 'latin-ext', 'cyrillic', 'cyrillic-ext', 'vietnamese']

interface Fonts {
  regular: Uint8Array[]
  bold: Uint8Array[]
}
let fonts: Promise<Fonts> | undefined

/** Draws in a thread that lives as long as that takes: a report has up to 200 links, and visits wait for nothing. */
export async function makePdf(content: PdfContent): Promise<Uint8Array<ArrayBuffer>> {
  fonts ??= readFonts()
  const worker = new Worker(workerPath(), {
    workerData: { content, fonts: await fonts },
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
  })
  const timer = setTimeout(() => void worker.terminate(), timeoutMs)
  try {
    return await new Promise((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
      // It took too long.
      worker.once('exit', () => reject(httpErrors.unavailable()))
    })
  } finally {
    clearTimeout(timer)
    await worker.terminate()
  }
}

async function readFonts(): Promise<Fonts> {
  const { resolve } = createRequire(import.meta.url)
  const read = (weight: number) =>
    Promise.all(
      scripts.map((script) =>
        readFile(resolve(`@fontsource/geist/files/geist-${script}-${weight}-normal.woff`)),
      ),
    )
  return { regular: await read(400), bold: await read(600) }
}

/** Beside this file in the sources; beside the bundle, or above its chunks, in dist/server. */
function workerPath(): string {
  const places = ['./pdf-worker.mjs', './pdf-worker.js', '../pdf-worker.js']
  const paths = places.map((place) => fileURLToPath(new URL(place, import.meta.url)))
  return orThrow(
    paths.find((path) => existsSync(path)),
    () => new Error(`The file of the PDF thread is missing: looked at ${paths.join(', ')}`),
  )
}
