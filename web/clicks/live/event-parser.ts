/** An event of a stream (HTML standard, server-sent events). */
export interface StreamEvent {
  name: string
  data: string
}

/**
 * Takes a stream in pieces, wherever they were cut, and gives the events that have ended. Comments and fields that no one
 * uses here are left out.
 */
export function createEventParser(onEvent: (event: StreamEvent) => void): (piece: string) => void {
  let rest = ''
  let name = ''
  let data: string[] = []

  function takeLine(line: string) {
    if (line === '') {
      if (data.length > 0) onEvent({ name: name || 'message', data: data.join('\n') })
      name = ''
      data = []
      return
    }
    const [, field, value] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (field === 'event') name = value ?? ''
    if (field === 'data') data.push(value ?? '')
  }

  return (piece) => {
    rest += piece
    // A carriage return at the end may be the first half of a line's end.
    for (;;) {
      const end = /\r\n|\n|\r(?!$)/.exec(rest)
      if (end === null) return
      takeLine(rest.slice(0, end.index))
      rest = rest.slice(end.index + end[0].length)
    }
  }
}
