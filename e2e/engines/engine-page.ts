import { expect } from 'vitest'
import { type EngineWindow, specialKeys } from './engine-window.ts'
import { findInPage, type Found, type Target } from './find-in-page.ts'

export interface EnginePage extends Pick<EngineWindow, 'resize' | 'screenshot'> {
  goto(path: string): Promise<void>
  /** Calls a function in the page. It must not use anything outside itself. */
  run<Args extends readonly unknown[], Result>(
    call: (...args: Args) => Result | Promise<Result>,
    ...args: Args
  ): Promise<Result>
  /** Waits until a person can see the element and press it, and gives its place. */
  see(target: Target): Promise<Found>
  seeText(text: string, within?: string): Promise<void>
  /** Moves the pointer to the middle of the element and presses. */
  press(kind: 'button' | 'link', name: string, within?: string): Promise<void>
  pressAt(x: number, y: number): Promise<void>
  /** Turns the wheel, with the pointer at this place. */
  wheel(x: number, y: number, deltaY: number): Promise<void>
  /** Types text in place of that of a field. */
  fill(label: string, text: string, within?: string): Promise<void>
  /** A key by its name, or by its character. */
  key(name: keyof typeof specialKeys | (string & {})): Promise<void>
  /** Waits until the function gives a value that is true, however long the machine takes. */
  until<Args extends readonly unknown[]>(
    call: (...args: Args) => unknown,
    ...args: Args
  ): Promise<void>
}

/** A person at a browser, in any engine: sees, presses, types. */
export function createEnginePage(window: EngineWindow, base: string): EnginePage {
  const run: EnginePage['run'] = async (call, ...args) =>
    JSON.parse(
      await window.ask(
        `Promise.resolve((${call.toString()})(...${JSON.stringify(args)})).then((value) => JSON.stringify(value ?? null))`,
      ),
    )

  const type = (characters: readonly string[]) =>
    window.perform([
      {
        type: 'key',
        id: 'keyboard',
        actions: characters.flatMap((value) => [
          { type: 'keyDown', value },
          { type: 'keyUp', value },
        ]),
      },
    ])

  /** At the same place twice: a press can miss a moving element. */
  async function see(target: Target): Promise<Found> {
    let last: Found = { count: 0, x: 0, y: 0 }
    const look = async () => {
      const before = last
      last = await run(findInPage, target)
      if (last.problem !== undefined) return last.problem
      return last.x === before.x && last.y === before.y ? 'seen' : 'it moves'
    }
    await expect
      .poll(() => look().catch(String), {
        message: `the ${target.kind} "${target.name ?? ''}"`,
        interval: 60,
      })
      .toBe('seen')
    return last
  }

  const pressAt = (x: number, y: number) =>
    window.perform([
      {
        type: 'pointer',
        id: 'mouse',
        actions: [
          { type: 'pointerMove', x: Math.round(x), y: Math.round(y) },
          { type: 'pointerDown', button: 0 },
          { type: 'pointerUp', button: 0 },
        ],
      },
    ])

  async function press(target: Target): Promise<void> {
    const { x, y } = await see(target)
    await pressAt(x, y)
  }

  const until: EnginePage['until'] = async (call, ...args) => {
    await expect
      .poll(() => run(call, ...args).then(Boolean, () => false), { message: call.toString() })
      .toBe(true)
  }

  return {
    pressAt,
    wheel: (x, y, deltaY) =>
      window.perform([
        { type: 'wheel', id: 'wheel', actions: [{ type: 'scroll', x, y, deltaX: 0, deltaY }] },
      ]),
    resize: window.resize,
    screenshot: window.screenshot,
    run,
    see,
    async goto(path) {
      await window.goto(new URL(path, base).href)
      // A prerendered screen takes no keys until the app has replaced it.
      await until(() => document.querySelector('#app[data-prerendered]') === null)
    },
    seeText: async (text, within) => {
      await see({ kind: 'text', name: text, ...(within !== undefined && { within }) })
    },
    press: (kind, name, within) => press({ kind, name, ...(within !== undefined && { within }) }),
    async fill(label, text, within) {
      await press({ kind: 'field', name: label, ...(within !== undefined && { within }) })
      await run(() => {
        const { activeElement } = document
        if (
          activeElement instanceof HTMLInputElement ||
          activeElement instanceof HTMLTextAreaElement
        )
          activeElement.select()
      })
      await type(Array.from(text))
    },
    key: (name) =>
      type([name in specialKeys ? specialKeys[name as keyof typeof specialKeys] : name]),
    until,
  }
}
