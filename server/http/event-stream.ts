export type EventStream = ReturnType<typeof openEventStream>

interface EventStreamOptions {
  /** Ends the connection at once. */
  disconnect: () => void
  /** Called once, whichever side ended the stream. */
  onClose: () => void
}

/** Proxies close a connection on which nothing moves. */
const commentMs = 15_000
/** A reader that is further behind is cut off. Below this there are only the buffers of the socket. */
const maxBufferedBytes = 256 * 1024

/** The headers of a response with such a body: no cache keeps it, no proxy collects it. */
export const eventStreamHeaders = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
}

/** Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) that someone reads. */
export function openEventStream({ disconnect, onClose }: EventStreamOptions) {
  const encoder = new TextEncoder()
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined

  const close = () => {
    if (!controller) return
    controller = undefined
    clearInterval(comments)
    onClose()
  }
  const write = (text: string) => {
    controller?.enqueue(encoder.encode(text))
    if ((controller?.desiredSize ?? 0) >= 0) return
    close()
    disconnect()
  }
  const comments = setInterval(() => write(':\n\n'), commentMs)
  comments.unref()
  const body = new ReadableStream<Uint8Array>(
    {
      start(started) {
        controller = started
      },
      cancel: close,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: maxBufferedBytes }),
  )
  // So that the headers leave now.
  write(':\n\n')
  return {
    body,
    /** Sends an event. Nothing happens when the stream is over. */
    send: (event: string, data: object): void => write(frameOf(event, data)),
    /** Sends a last event and closes. */
    end(event: string, data: object): void {
      const ending = controller
      write(frameOf(event, data))
      if (!controller) return
      close()
      ending?.close()
    },
  }
}

/** JSON has no line breaks, so the data is one line. */
function frameOf(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}
