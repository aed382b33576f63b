import { type EventSourceMessage, EventSourceParserStream } from 'eventsource-parser/stream'
import { type LiveEvent, liveEvent } from '../../shared/api/events.ts'
import { backoffMs, jittered } from '../../shared/backoff.ts'
import { pause } from './pause.ts'

export type LiveState = 'connecting' | 'live' | 'paused'

export interface LiveStreamOptions {
  open: (signal: AbortSignal) => Promise<Response>
  onEvent: (event: LiveEvent) => void
  onState: (state: LiveState) => void
  firstPauseMs?: number
  longestPauseMs?: number
  /** The server sends at least a comment regularly; a stream silent for longer is dead. */
  silenceMs?: number
}

/** Keeps a stream of live events open until the returned function is called. */
export function followLive(options: LiveStreamOptions): () => void {
  const { open, onEvent, onState, firstPauseMs = 1000, longestPauseMs = 30_000, silenceMs = 75_000 } = options
  const stopping = new AbortController()
  void run()
  return () => stopping.abort()

  async function run() {
    onState('connecting')
    for (let failures = 0; !stopping.signal.aborted; failures++) {
      const connection = new AbortController()
      const signal = AbortSignal.any([stopping.signal, connection.signal])
      try {
        await read(signal, connection, () => {
          failures = 0
          onState('live')
        })
      } catch {
        // However a stream ends: wait and open it again.
      }
      connection.abort()
      if (stopping.signal.aborted) return
      onState('paused')
      await pause(
        jittered(backoffMs(failures + 1, { firstMs: firstPauseMs, capMs: longestPauseMs }), 0.25),
        stopping.signal,
      )
    }
  }

  async function read(signal: AbortSignal, connection: AbortController, onOpen: () => void) {
    const response = await open(signal)
    if (!response.body) return
    let silence = setTimeout(() => connection.abort(), silenceMs)
    const heard = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        clearTimeout(silence)
        silence = setTimeout(() => connection.abort(), silenceMs)
        controller.enqueue(chunk)
      },
    })
    const messages = response.body
      .pipeThrough(heard)
      .pipeThrough(new TextDecoderStream() as unknown as ReadableWritablePair<string, Uint8Array>)
      .pipeThrough(new EventSourceParserStream())
    onOpen()
    try {
      await forEachMessage(messages, (message) => {
        const event = parse(message)
        if (event && !signal.aborted) onEvent(event)
      })
    } finally {
      clearTimeout(silence)
    }
  }
}

async function forEachMessage(
  messages: ReadableStream<EventSourceMessage>,
  handle: (message: EventSourceMessage) => void,
) {
  const reader = messages.getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) handle(next.value)
}

function parse(message: EventSourceMessage): LiveEvent | null {
  try {
    return liveEvent.parse(JSON.parse(message.data))
  } catch {
    // An unknown event of a newer server is ignored.
    return null
  }
}
