/** Input of the W3C's WebDriver, which WebKit reads, and of its BiDi protocol, which Firefox reads. */
export type InputSource =
  | { type: 'pointer'; id: string; actions: readonly PointerAction[] }
  | { type: 'key'; id: string; actions: readonly KeyAction[] }
  | { type: 'wheel'; id: string; actions: readonly WheelAction[] }

type PointerAction =
  | { type: 'pointerMove'; x: number; y: number }
  | { type: 'pointerDown'; button: number }
  | { type: 'pointerUp'; button: number }

type KeyAction = { type: 'keyDown' | 'keyUp'; value: string }

interface WheelAction {
  type: 'scroll'
  x: number
  y: number
  deltaX: number
  deltaY: number
}

/** The characters by which both protocols name keys without one. */
export const specialKeys = {
  Enter: '\uE007',
  Escape: '\uE00C',
  ArrowDown: '\uE015',
  Tab: '\uE004',
} as const

/** The commands that the protocols of all engines have; `EnginePage` makes the rest of them. */
export interface EngineWindow {
  goto(url: string): Promise<void>
  /** Evaluates an expression in the page; a promise is waited for. Its value is a string. */
  ask(expression: string): Promise<string>
  perform(sources: readonly InputSource[]): Promise<void>
  /** Sets the size of the page, without the bars of the browser. */
  resize(width: number, height: number): Promise<void>
  deleteCookies(): Promise<void>
  screenshot(): Promise<Buffer>
  close(): Promise<void>
}

export interface EngineSettings {
  /** `host:port` of a proxy that answers for every host outside this machine. */
  proxy: string
  /** The theme of the system; default: light. */
  theme?: 'light' | 'dark'
  /** Further preferences of Firefox. */
  preferences?: Record<string, string | number | boolean>
}
