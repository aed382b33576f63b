import { rm } from 'node:fs/promises'
import { Agent, get } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { expect, test } from 'vitest'
import { openTls } from './index.ts'
import { day, handshake, makeScene, serve } from './test-kit.ts'

test('nothing happens while the certificate is good', async () => {
  const { options, time } = await makeScene()
  const tls = await openTls(options)
  const before = tls.secureContext()
  time.ms += 200 * day
  await tls.tick()
  expect(tls.secureContext()).toBe(before)
})

test('a certificate with less than a third of its life left is renewed', async () => {
  const { options, time } = await makeScene()
  const tls = await openTls(options)
  const before = tls.expires()
  time.ms += 270 * day
  await tls.tick()
  expect(Date.parse(tls.expires().certificate)).toBeGreaterThan(Date.parse(before.certificate) + 200 * day)
  expect(tls.expires().ca).toBe(before.ca)
})

test.each([
  ['far ahead', 5 * 365 * day],
  ['back to before the certificate', -40 * day],
  ['back to before the authority', -400 * day],
  ['beyond the end of the authority', 80 * 365 * day],
])('a clock that jumps %s gets a certificate good at that time, and the old authority', async (_where, jump) => {
  const { options, time } = await makeScene()
  const tls = await openTls(options)
  const authority = tls.caFingerprint()
  const real = time.ms
  time.ms += jump
  await tls.tick()
  expect(Date.parse(tls.expires().certificate)).toBeGreaterThan(time.ms + 300 * day)
  const jumped = tls.secureContext()
  await tls.tick()
  expect(tls.secureContext()).toBe(jumped)
  time.ms = real
  await tls.tick()
  expect(tls.caFingerprint()).toBe(authority)
  await expect(handshake(await serve(tls), `${tls.caPem()}`, 'box')).resolves.toBeDefined()
})

test('an open connection goes on through a renewal, a new one gets the new certificate', async () => {
  const { options, machine } = await makeScene()
  const tls = await openTls(options)
  const ca = `${tls.caPem()}`
  const port = await serve(tls)
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca })
  const fetch = () =>
    new Promise<TLSSocket>((resolve, reject) => {
      const request = get({ host: '127.0.0.1', port, agent, servername: 'localhost' }, (response) => {
        response.resume().once('end', () => resolve(request.socket as TLSSocket))
      }).once('error', reject)
    })
  const before = (await fetch()).getPeerCertificate().serialNumber
  machine.names = { dns: ['renamed'], ip: [] }
  await tls.tick()
  const socket = await fetch()
  expect(socket.getPeerCertificate().serialNumber).toBe(before)
  expect((await handshake(port, ca, 'renamed')).serialNumber).not.toBe(before)
  agent.destroy()
})

test('a new address is certified at once; one that vanished stays until the next renewal', async () => {
  const { options, machine, time } = await makeScene()
  const tls = await openTls(options)
  const port = await serve(tls)
  const home = machine.names
  const away = { dns: home.dns, ip: ['198.51.100.4'] }
  machine.names = away
  await tls.tick()
  await expect(handshake(port, `${tls.caPem()}`, '198.51.100.4')).resolves.toBeDefined()
  const both = tls.secureContext()
  for (const names of [home, away, home]) {
    machine.names = names
    await tls.tick()
    expect(tls.secureContext()).toBe(both)
  }
  time.ms += 270 * day
  await tls.tick()
  expect(tls.secureContext()).not.toBe(both)
  machine.names = away
  const renewed = tls.secureContext()
  await tls.tick()
  expect(tls.secureContext()).not.toBe(renewed)
})

test('addresses that keep changing do not pile up in the certificate', async () => {
  const { options, machine } = await makeScene()
  const tls = await openTls(options)
  for (let i = 0; i < 120; i++) {
    machine.names = { dns: ['box'], ip: [`192.0.2.${i}`] }
    await tls.tick()
  }
  expect(tls.secureContext().cert.length).toBeLessThan(5000)
  await expect(handshake(await serve(tls), `${tls.caPem()}`, '192.0.2.119')).resolves.toBeDefined()
})

test('a name that cannot be certified does not cause a new certificate at each tick', async () => {
  const { options, machine } = await makeScene()
  machine.names = { dns: ['bad_name', 'x'.repeat(64)], ip: ['fe80::1%eth0'] }
  const tls = await openTls(options)
  const before = tls.secureContext()
  await tls.tick()
  expect(tls.secureContext()).toBe(before)
  await expect(handshake(await serve(tls), `${tls.caPem()}`, 'localhost')).resolves.toBeDefined()
})

test('a renewal that cannot be saved is served, and reported', async () => {
  const { options, machine } = await makeScene()
  const tls = await openTls(options)
  const port = await serve(tls)
  await rm(options.dir, { recursive: true })
  machine.names = { dns: ['renamed'], ip: [] }
  await expect(tls.tick()).rejects.toThrow(/ENOENT/)
  await expect(handshake(port, `${tls.caPem()}`, 'renamed')).resolves.toBeDefined()
})

test('ticks at the same time renew once', async () => {
  const { options, machine } = await makeScene()
  const tls = await openTls(options)
  const contexts: unknown[] = []
  tls.onChange((context) => contexts.push(context))
  machine.names = { dns: ['renamed'], ip: [] }
  await Promise.all([tls.tick(), tls.tick(), tls.tick()])
  expect(contexts).toEqual([tls.secureContext()])
})
