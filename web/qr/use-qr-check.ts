import { useEffect, useRef, useState } from 'react'
import type { MendedQr, QrVerdict } from '#domain/qr/check-qr.ts'
import type { QrLook } from '#domain/qr/qr-look.ts'
import type { CheckAnswer, CheckQuestion } from './check-worker.ts'

/** State of a check: under way, impossible in this browser, or the verdict. */
export type CheckState = 'checking' | 'blind' | QrVerdict

/** Typing and dragging change a look many times a second. */
const restMs = 120

interface Asked {
  question: CheckQuestion
  take: (answer: CheckAnswer) => void
}

/** A thread that checks codes, one at a time: of questions that wait, the newest. */
function startChecker() {
  const worker = new Worker(new URL('./check-worker.ts', import.meta.url), {
    type: 'module',
    name: 'qr-check',
  })
  let asked: Asked | undefined
  let next: Asked | undefined
  const send = () => {
    asked = next
    next = undefined
    if (asked !== undefined) worker.postMessage(asked.question)
  }
  const done = (answer: CheckAnswer) => {
    const { take } = asked ?? {}
    asked = undefined
    take?.(answer)
    send()
  }
  worker.addEventListener('message', ({ data }: MessageEvent<CheckAnswer>) => done(data))
  // Its script did not come, or the browser refuses it.
  worker.addEventListener('error', () => done({ id: asked?.question.id ?? 0, isBlind: true }))
  return {
    ask(question: CheckQuestion, take: Asked['take']) {
      next = { question, take }
      if (asked === undefined) send()
    },
    stop: () => worker.terminate(),
  }
}

/** Checks a code whenever it changes, and mends it on request. */
export function useQrCheck(text: string, look: QrLook, exportScale: number) {
  const checker = useRef<ReturnType<typeof startChecker>>(undefined)
  const [known, setKnown] = useState<{ key: string; state: CheckState }>()
  const key = JSON.stringify([text, look, exportScale])
  useEffect(() => {
    checker.current = startChecker()
    return () => checker.current?.stop()
  }, [])
  useEffect(() => {
    const timer = setTimeout(() => {
      checker.current?.ask({ id: 0, text, look, exportScale, isMend: false }, (answer) =>
        setKnown({ key, state: 'verdict' in answer ? answer.verdict : 'blind' }),
      )
    }, restMs)
    return () => clearTimeout(timer)
  }, [key, text, look, exportScale])
  const mend = () =>
    new Promise<MendedQr | null>((resolve) => {
      checker.current?.ask({ id: 0, text, look, exportScale, isMend: true }, (answer) =>
        resolve('mended' in answer ? answer.mended : null),
      )
    })
  return { state: known?.key === key ? known.state : 'checking', mend } as const
}
