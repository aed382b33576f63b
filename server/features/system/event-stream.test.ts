import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { everyOrg } from '../../db/reach.ts'
import type { Identity, UserActor } from '../../platform/actor.ts'
import { LiveEvents } from '../../platform/live.ts'
import type { Identities } from '../authentication/index.ts'
import { streamEvents } from './event-stream.ts'

test('an event stream whose client stalls is destroyed when its session ends and gets no further events', async () => {
  const live = new LiveEvents(() => [])
  const reader = { orgs: everyOrg, sites: null, permissions: new Set(['devices:read']) } as unknown as Identity
  let now: Identity | null = reader
  const server = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause()
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  const [, raw] = (await once(server, 'request')) as [unknown, ServerResponse]
  streamEvents(
    { ...reader, sessionId: 's', userId: 'u' } as UserActor,
    undefined,
    { raw, hijack() {} } as unknown as FastifyReply,
    {
      live,
      identities: { current: () => now, endReasonOf: () => 'session-ended' } as unknown as Identities,
    },
  )
  const tell = (orgId: string) => live.publish({ type: 'device.changed', deviceId: 'd', orgId, siteId: 'x' })
  while (raw.writableLength === 0) {
    tell('x'.repeat(100_000))
    await setTimeout(1)
  }
  now = null
  tell('lost')
  expect([live.count, raw.destroyed]).toEqual([0, true])
  now = reader
  tell('back')
  await setTimeout(20)
  client.destroy()
})
