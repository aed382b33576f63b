import type { LiveEvent } from '../../shared/api/events.ts'

/** A browser's live stream, over a real connection. */
export async function liveStream(origin: string, token: string, deviceId?: string) {
  const stop = new AbortController()
  const response = await fetch(`${origin}/api/v1/events${deviceId ? `?deviceId=${deviceId}` : ''}`, {
    headers: { authorization: `Bearer ${token}` },
    signal: stop.signal,
  })
  if (!response.ok || !response.body) throw new Error(`events: ${response.status} ${await response.text()}`)
  const events: LiveEvent[] = []
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''

  /** The first event that fits, as soon as it is there. */
  async function event(fits: (event: LiveEvent) => boolean): Promise<LiveEvent> {
    for (;;) {
      const found = events.find(fits)
      if (found) return found
      const { value, done } = await reader.read()
      if (done) throw new Error('the stream ended')
      const blocks = `${rest}${value}`.split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks)
        if (block.startsWith('data: ')) events.push(JSON.parse(block.slice('data: '.length)) as LiveEvent)
    }
  }
  await event(({ type }) => type === 'hello')
  return { events, event, [Symbol.dispose]: () => stop.abort() }
}
