import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import type { LiveEvent } from '../../shared/api/events.ts'
import { followLive, type LiveState } from './live-stream.ts'

const cleanups: (() => void)[] = []
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup()
})

async function streamServer(onOpen: (response: ServerResponse, connection: number) => void) {
  let connections = 0
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    onOpen(response, ++connections)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return { url, connections: () => connections }
}

function follow(url: string, silenceMs?: number) {
  const events: LiveEvent[] = []
  const states: LiveState[] = []
  const stop = followLive({
    open: (signal) => fetch(url, { signal }),
    onEvent: (event) => events.push(event),
    onState: (state) => states.push(state),
    firstPauseMs: 5,
    longestPauseMs: 20,
    silenceMs,
  })
  cleanups.push(stop)
  return { events, states, stop }
}

const at = '2026-11-21T03:00:00.000Z'
const hello = `data: ${JSON.stringify({ type: 'hello', at })}\n\n`

test('events arrive whole, however the bytes are cut, and unknown ones are skipped', async () => {
  const { url } = await streamServer((response) => {
    response.write(`: comment\n\ndata: {"type":"from-the-future"}\n\ndata: not json\n\n${hello.slice(0, 12)}`)
    setTimeout(() => response.write(hello.slice(12)), 20)
  })
  const { events, states } = follow(url)
  await expect.poll(() => events).toEqual([{ type: 'hello', at }])
  expect(states).toEqual(['connecting', 'live'])
})

test('a stream that ends is opened again, and says so in between', async () => {
  const { url } = await streamServer((response, connection) => {
    response.write(hello)
    if (connection < 3) setTimeout(() => response.destroy(), 5)
  })
  const { events, states } = follow(url)
  await expect.poll(() => events).toHaveLength(3)
  expect(states).toEqual(['connecting', 'live', 'paused', 'live', 'paused', 'live'])
})

test('a stream that falls silent is opened again', async () => {
  const { url, connections } = await streamServer((response) => response.write(hello))
  follow(url, 40)
  await expect.poll(() => connections()).toBeGreaterThanOrEqual(2)
})

test('stopping closes the stream and opens no other', async () => {
  const closed = vi.fn()
  const { url, connections } = await streamServer((response) => {
    response.write(hello)
    response.on('close', closed)
  })
  const { events, states, stop } = follow(url)
  await expect.poll(() => events).toHaveLength(1)
  stop()
  await expect.poll(() => closed).toHaveBeenCalled()
  await new Promise((resolve) => setTimeout(resolve, 60))
  expect(connections()).toBe(1)
  expect(states, 'a stream that was stopped says nothing more').toEqual(['connecting', 'live'])
})
