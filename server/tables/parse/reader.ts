import { problems } from '../errors.ts'

/** A column, or a place inside of a JSON column: `data->items->0->>name`. */
export interface ColumnPath {
  column: string
  path: readonly JsonStep[]
}

export interface JsonStep {
  /** A key of an object, or the index of a list. */
  key: string | number
  /** Operator for text or for JSON. */
  arrow: '->>' | '->'
}

const maxSteps = 20
const quotedName = /"((?:[^"\\]|\\.)*)"/sy
/** Without the characters that mean something; a dash is part of a name unless it begins an arrow. */
const plainName = /(?:[^"(),.:!-]|-(?!>))+/sy

/** A cursor over the text of one parameter. */
export class Reader {
  readonly #text: string
  readonly #what: string
  #at = 0

  /** @param what the parameter, for the error */
  constructor(text: string, what: string) {
    this.#text = text
    this.#what = what
  }

  /** Takes the match of a sticky pattern here. */
  match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)
    if (found) this.#at += found[0].length
    return found
  }

  expect(pattern: RegExp): RegExpExecArray {
    return this.match(pattern) ?? this.fail()
  }

  /** Takes `"…"`, in which a backslash escapes the next character; undefined when there is none here. */
  quoted(pattern: RegExp): string | undefined {
    return this.match(pattern)?.[1]?.replace(/\\(.)/gs, '$1')
  }

  /** Takes a name, quoted or not. */
  name(): string {
    const name = this.quoted(quotedName) ?? this.expect(plainName)[0].trim()
    return name === '' ? this.fail() : name
  }

  /** Takes the arrows that follow a column, and their keys. */
  path(): JsonStep[] {
    const steps: JsonStep[] = []
    for (let arrow = this.#arrow(); arrow; arrow = this.#arrow()) {
      const index = this.match(/-?\d{1,9}(?=$|->|[.:,)])/y)
      const key = index ? Number(index[0]) : this.name()
      if (steps.push({ arrow, key }) > maxSteps) this.fail()
    }
    return steps
  }

  #arrow(): JsonStep['arrow'] | undefined {
    return this.match(/->>?/y)?.[0] as JsonStep['arrow'] | undefined
  }

  field(): ColumnPath {
    return { column: this.name(), path: this.path() }
  }

  end(): void {
    this.expect(/\s*$/y)
  }

  fail(): never {
    throw problems.unparsable(this.#what, this.#text.slice(0, 1_000))
  }
}
