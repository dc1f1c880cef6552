import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { PdfContent } from '../analytics/shared/pdf/pdf-content.ts'
import { httpErrors } from '../http/errors.ts'
import { orThrow } from '../primitives/or-throw.ts'
import { createWaitingRoom } from '../primitives/waiting-room.ts'
import type { PdfPages } from './pdf-pages.ts'

const timeoutMs = 60_000
const maxHeapMb = 128
const maxWaiting = 20
const maxWaitMs = 15_000
const scripts = ['latin', 'latin-ext', 'cyrillic', 'cyrillic-ext', 'vietnamese']

interface Fonts {
  regular: Uint8Array[]
  bold: Uint8Array[]
}
let fonts: Promise<Fonts> | undefined

/** A text of a page has a letter that the fonts of PDFs lack. */
export class LetterMissingError extends Error {
  readonly text: string
  constructor(text: string) {
    super(`No font has all letters of ${text}`)
    this.text = text
  }
}

type Job = { report: PdfContent } | { pages: PdfPages }
type Made = { bytes: Uint8Array<ArrayBuffer> } | { refused: string }

/** Makes PDFs in threads: one at a time for the process, because each is work of seconds and holds up to 128 MB. */
export function createPdfMaker() {
  const room = createWaitingRoom(1, maxWaiting)
  /** @throws {LetterMissingError} about the first text of pages that cannot be drawn */
  return async function makePdf(job: Job): Promise<Uint8Array<ArrayBuffer>> {
    const leave = orThrow(await room.enter(maxWaitMs), () => httpErrors.unavailable())
    try {
      const made = await drawInThread(job)
      if ('refused' in made) throw new LetterMissingError(made.refused)
      return made.bytes
    } finally {
      leave()
    }
  }
}

export type MakePdf = ReturnType<typeof createPdfMaker>

/** The thread lives as long as one PDF takes, and visits wait for nothing. */
async function drawInThread(content: Job): Promise<Made> {
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
